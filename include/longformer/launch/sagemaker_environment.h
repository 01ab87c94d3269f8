// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "longformer/launch/environment.h"
#include "longformer/launch/rendezvous.h"

namespace longformer {

/// One input of a SageMaker training job.
struct SageMakerChannel {
  std::string name;
  /// The folder; for a pipe the FIFO of epoch 0, which may not exist yet.
  std::string path;
  /// As the job gives it, such as "text/csv"; "" if it does not.
  std::string content_type;
  bool is_pipe = false;     ///< Can be read once, front to back.
  bool is_sharded = false;  ///< Every host has other files.
};

/// What SageMaker says about the training job, from the files below its base
/// folder and, where present, the SM_... variables of its toolkit, which come
/// first. Every key that some client or the local mode leaves out is optional.
struct SageMakerEnvironment {
  std::string base_dir;
  std::string model_dir;        ///< What becomes model.tar.gz.
  std::string output_data_dir;  ///< What else is kept at the end.
  std::string checkpoint_dir;  ///< Copied during the run, there after restarts.

  /// The text of hyperparameters.json for OptionReader::read_platform(), which
  /// knows its quirks, and its path; "" and the path if there is no file.
  std::string hyperparameters;
  std::string hyperparameters_file;

  /// In the same order on every host: algo-2 before algo-10.
  std::vector<std::string> hosts;
  int host_index = 0;             ///< Of this host in `hosts`.
  std::string network_interface;  ///< "eth0"; "" if the platform names none.
  int num_gpus = 0;               ///< SM_NUM_GPUS; 0: not said.
  std::string job_name;           ///< "" in local mode.

  std::vector<SageMakerChannel> channels;  ///< Sorted by name.
};

/// The base folder if this is a SageMaker container: SAGEMAKER_BASE_DIR, else
/// `default_dir` if it has input/config. Nothing otherwise.
/// Throws ConfigError if SAGEMAKER_BASE_DIR names no folder.
std::optional<std::string> find_sagemaker_base(
    const Environment& environment, const std::string& default_dir = "/opt/ml");

/// Throws ConfigError naming the file when one is malformed, when this host is
/// not among the hosts, or for a cluster of several instance groups.
SageMakerEnvironment read_sagemaker_environment(const Environment& environment,
                                                const std::string& base_dir);

/// The options that follow from the folders, as a JSON object of texts for
/// OptionReader::read_platform(). To be read before the hyperparameters, which
/// may override them.
///
///   train_data, validation_data, test_data, model, tokenizer: the channels
///     train, validation, test, model and tokenizer
///   output_dir, model_dir, checkpoint_dir: where the platform keeps them
///   resume: auto_or_restart, since a job whose instance was reclaimed starts
///     again with what was copied of its checkpoints
///   print_metrics: on
///   start_timeout: longer for several hosts, whose names may take a while
///   token_cache: within `scratch_dir`, since output_dir is uploaded
std::string sagemaker_path_options(const SageMakerEnvironment& sagemaker,
                                   const std::string& scratch_dir = "/tmp");

/// The configuration file of the job: the hyperparameter `config`, a path that
/// may be relative to input/data; else the only .json file of the channel
/// `config`; "" if there is neither.
/// Throws ConfigError if that channel holds none or several.
std::string sagemaker_config_file(const SageMakerEnvironment& sagemaker);

/// The channels that none of the paths in use lies in; worth a warning.
std::vector<std::string> unused_channels(
    const SageMakerEnvironment& sagemaker,
    const std::vector<std::string>& used_paths);

/// Refuses inputs that cannot give what one process would compute.
/// Throws ConfigError if hosts have different files of a channel.
void check_channels(const SageMakerEnvironment& sagemaker);

/// The processes of this host within the job.
struct HostLayout {
  int first_rank = 0;
  int world_size = 1;
  /// Port 7777 on the first host, as the toolkit has it; kNone on one host.
  Rendezvous rendezvous;
};
/// processes_per_host: the same on all hosts.
HostLayout sagemaker_layout(const SageMakerEnvironment& sagemaker,
                            int processes_per_host);

/// Where the reason of a failure goes.
std::string sagemaker_failure_file(const std::string& base_dir);

/// What the platform shows as the reason of a failure: at most 1024 bytes of
/// valid UTF-8, no control characters, the first line not blank.
std::string failure_text(std::string_view message);

/// Writes failure_text(); replaces an older file, makes the folder. To be
/// called last, after all logging. Throws FileError.
void write_failure_file(const std::string& path, std::string_view message);

}  // namespace longformer
