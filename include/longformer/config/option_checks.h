// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "longformer/config/command_options.h"
#include "longformer/config/doctor_options.h"
#include "longformer/config/option_reader.h"
#include "longformer/config/task.h"
#include "longformer/config/train_options.h"

namespace longformer {

/// Everything that is wrong between options whose single values are right:
/// contradictions, options without which another has no effect, texts with a
/// syntax of their own. Pure; looks at no file and no device.
std::vector<OptionProblem> validate(const TrainOptions& options);
std::vector<OptionProblem> validate(const EvaluateOptions& options);
std::vector<OptionProblem> validate(const PredictOptions& options);
std::vector<OptionProblem> validate(const TokenizerTrainOptions& options);
std::vector<OptionProblem> validate(const TokenizerEncodeOptions& options);
std::vector<OptionProblem> validate(const TokenizerDecodeOptions& options);
std::vector<OptionProblem> validate(const InspectOptions& options);
std::vector<OptionProblem> validate(const ConvertOptions& options);
/// Like that of a training if there is something to train on.
std::vector<OptionProblem> validate(const DoctorOptions& options);

/// What is only known once `problem_type` is: options that it has no use for.
/// Call it when the training files have decided; throw_if_any() takes the
/// result.
std::vector<OptionProblem> validate_for_problem(const TrainOptions& options,
                                                ProblemType problem_type);

/// What is only known once the data is: options that a run of `total_steps`
/// steps is too short for; one line each, for the log.
std::vector<std::string> warnings_for_length(const TrainOptions& options,
                                             std::int64_t total_steps,
                                             std::int64_t steps_per_epoch);

/// Options that were given and change nothing in this run, and combinations
/// that are hardly meant; one line each, for the log.
std::vector<std::string> warnings(const TrainOptions& options,
                                  const OptionSources& sources);
std::vector<std::string> warnings(const EvaluateOptions& options,
                                  const OptionSources& sources);
std::vector<std::string> warnings(const PredictOptions& options,
                                  const OptionSources& sources);
std::vector<std::string> warnings(const TokenizerTrainOptions& options,
                                  const OptionSources& sources);
std::vector<std::string> warnings(const TokenizerEncodeOptions& options,
                                  const OptionSources& sources);
std::vector<std::string> warnings(const TokenizerDecodeOptions& options,
                                  const OptionSources& sources);
std::vector<std::string> warnings(const InspectOptions& options,
                                  const OptionSources& sources);
std::vector<std::string> warnings(const ConvertOptions& options,
                                  const OptionSources& sources);
std::vector<std::string> warnings(const DoctorOptions& options,
                                  const OptionSources& sources);

}  // namespace longformer
