// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "longformer/config/option_reader.h"
#include "longformer/config/train_options.h"
#include "longformer/launch/environment.h"
#include "longformer/launch/sagemaker_environment.h"

#include "options.h"

namespace longformer {

/// What SageMaker says about the job if `train` runs in one of its containers.
/// Throws ConfigError, see read_sagemaker_environment().
std::optional<SageMakerEnvironment> find_sagemaker_job(
    const Environment& environment);

/// Adds the job's configuration file, folders and hyperparameters to the
/// sources of options.
void add_sagemaker_sources(const SageMakerEnvironment& job,
                           const Environment& environment, CommandLine& line);

/// What is worth a warning about the channels: those that nothing uses, or
/// that none gives training data.
std::vector<std::string> channel_warnings(const SageMakerEnvironment& job,
                                          const TrainOptions& options);

/// Files into which the data of channels in pipe mode was copied, removed with
/// the object. The processes of a host share them.
class PipeCopies {
 public:
  PipeCopies() = default;
  ~PipeCopies();
  PipeCopies(const PipeCopies&) = delete;
  PipeCopies& operator=(const PipeCopies&) = delete;

  /// Copies what `options` read from pipes. Returns false if told to stop.
  /// Throws DataError, SystemError.
  bool make(const SageMakerEnvironment& job, const TrainOptions& options,
            const Environment& environment,
            const std::function<bool()>& should_stop);

  /// Says to a process where they are; nothing if there are none.
  Environment environment() const;

 private:
  std::string directory_;
};

/// Replaces the pipes in `options` by the copies that `environment` names.
void use_pipe_copies(const SageMakerEnvironment& job,
                     const Environment& environment, TrainOptions& options);

/// Variables that every process of a job on several hosts is to have: the
/// network interface that the platform names, unless the user has set another.
Environment sagemaker_network(const SageMakerEnvironment& job,
                              const Environment& environment);

}  // namespace longformer
