// SPDX-License-Identifier: MIT
#include "longformer/config/option_checks.h"
#include "longformer/config/option_values.h"

#include "shared_checks.h"

namespace longformer {

std::vector<OptionProblem> validate(const EvaluateOptions& options) {
  ProblemList problems;
  check_paths("data", options.task.data, false, problems);
  check_reading(options.reading, problems);
  check_label_column(options.task.label_column, options.reading, problems);
  check_compute(options.compute, problems);
  return problems.take();
}

std::vector<OptionProblem> validate(const PredictOptions& options) {
  ProblemList problems;
  check_paths("data", options.task.data, true, problems);
  check_reading(options.reading, problems);
  check_compute(options.compute, problems);
  return problems.take();
}

std::vector<OptionProblem> validate(const TokenizerTrainOptions& options) {
  ProblemList problems;
  check_paths("data", options.task.data, false, problems);
  check_reading(options.reading, problems);
  return problems.take();
}

std::vector<OptionProblem> validate(const TokenizerEncodeOptions& options) {
  ProblemList problems;
  const TokenizerEncodeTask& task = options.task;
  check_paths("data", task.data, true, problems);
  check_reading(options.reading, problems);
  if (task.stride > 0 && task.max_length == 0) {
    problems.add("stride: has no effect without max_length; give both",
                 {"stride", "max_length"});
  } else if (task.stride > 0 && task.stride >= task.max_length) {
    problems.add("stride: " + std::to_string(task.stride) +
                     " is not below max_length " +
                     std::to_string(task.max_length),
                 {"stride", "max_length"});
  }
  return problems.take();
}

std::vector<OptionProblem> validate(const TokenizerDecodeOptions& options) {
  ProblemList problems;
  check_paths("data", options.task.data, true, problems);
  return problems.take();
}

std::vector<OptionProblem> validate(const InspectOptions& options) {
  ProblemList problems;
  check_reading(options.reading, problems);
  check_label_column(options.task.label_column, options.reading, problems);
  return problems.take();
}

std::vector<OptionProblem> validate(const ConvertOptions& options) {
  ProblemList problems;
  check_window(options.task.attention_window, problems);
  return problems.take();
}

std::vector<OptionProblem> validate(const DoctorOptions& options) {
  const TrainOptions& training = options;
  if (!training.data.train_data.empty()) return validate(training);
  ProblemList problems;
  check_compute(options.compute, problems);
  return problems.take();
}

std::vector<std::string> warnings(const EvaluateOptions& options,
                                  const OptionSources& sources) {
  std::vector<std::string> lines = reading_warnings(options.reading, sources);
  for (std::string& line : launch_warnings(options.launch, sources)) {
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<std::string> warnings(const PredictOptions& options,
                                  const OptionSources& sources) {
  std::vector<std::string> lines = reading_warnings(options.reading, sources);
  for (std::string& line : launch_warnings(options.launch, sources)) {
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<std::string> warnings(const TokenizerTrainOptions& options,
                                  const OptionSources& sources) {
  return reading_warnings(options.reading, sources);
}

std::vector<std::string> warnings(const TokenizerEncodeOptions& options,
                                  const OptionSources& sources) {
  return reading_warnings(options.reading, sources);
}

std::vector<std::string> warnings(const InspectOptions& options,
                                  const OptionSources& sources) {
  return reading_warnings(options.reading, sources);
}

std::vector<std::string> warnings(const TokenizerDecodeOptions&,
                                  const OptionSources&) {
  return {};
}

std::vector<std::string> warnings(const DoctorOptions& options,
                                  const OptionSources& sources) {
  const TrainOptions& training = options;
  if (training.data.train_data.empty()) return {};
  return warnings(training, sources);
}

std::vector<std::string> warnings(const ConvertOptions& options,
                                  const OptionSources&) {
  const ConvertTask& task = options.task;
  if (!task.one_sided_window || task.attention_window == 0) return {};
  return {"one_sided_window has no effect on attention_window (" +
          std::to_string(task.attention_window) +
          "), which replaces the input's windows and counts both sides"};
}

}  // namespace longformer
