// SPDX-License-Identifier: MIT
#include <algorithm>
#include <set>

#include "longformer/config/option_checks.h"
#include "longformer/config/option_values.h"

#include "shared_checks.h"

namespace longformer {
namespace {

void check_start(const ModelOptions& options, ProblemList& problems) {
  const std::vector<std::string> both{"model", "architecture"};
  if (options.model.empty() && options.architecture.empty()) {
    problems.add(
        "model: missing; give --model DIR to start from a trained model, or "
        "--architecture FILE to train one from scratch",
        both);
  } else if (!options.model.empty() && !options.architecture.empty()) {
    problems.add("model and architecture are both given (" +
                     shown(options.model) + ", " + shown(options.architecture) +
                     "); give one of them",
                 both);
  }
  check_window(options.attention_window, problems);
}

void check_labels(const TrainDataOptions& data, const ClassWeights& weights,
                  ProblemList& problems) {
  std::set<std::string> seen;
  for (const std::string& label : data.labels) {
    if (!seen.insert(label).second) {
      problems.add("labels: " + shown(label) + " appears twice", {"labels"});
    }
  }
  if (seen.contains("")) {
    problems.add("labels: holds an empty name", {"labels"});
  }
  if (data.labels.size() == 1 &&
      data.labels[0].find(',') != std::string::npos) {
    problems.add("labels: " + shown(data.labels[0]) +
                     " is one name; give the names one by one: --labels A B",
                 {"labels"});
  }
  const auto& values = weights.values;
  if (weights.kind != ClassWeights::Kind::kList) return;
  if (!data.labels.empty() && values.size() != data.labels.size()) {
    problems.add("class_weights: has " + std::to_string(values.size()) +
                     " numbers for " + std::to_string(data.labels.size()) +
                     " labels; give one a label, in their order",
                 {"class_weights", "labels"});
  }
  if (std::all_of(values.begin(), values.end(),
                  [](double weight) { return weight == 0; })) {
    problems.add("class_weights: all are 0, nothing would be learnt",
                 {"class_weights"});
  }
}

/// Whether their number suits the model is known when that is read.
void check_recomputation(const MemoryOptions& options, ProblemList& problems) {
  const auto num_layers =
      static_cast<std::int64_t>(options.recomputation.size());
  try {
    recomputation_of(options.recomputation, num_layers);
  } catch (const ConfigError& error) {
    problems.add(error.what(), {"recomputation"});
  }
}

void check_schedule(const OptimizerOptions& options, ProblemList& problems) {
  if (options.warmup_steps > 0 && options.warmup_ratio > 0) {
    problems.add("warmup_steps (" + std::to_string(options.warmup_steps) +
                     ") and warmup_ratio (" + shown(options.warmup_ratio) +
                     ") are both given; give one of them",
                 {"warmup_steps", "warmup_ratio"});
  }
}

void check_validation(const TrainOptions& options, ProblemList& problems) {
  if (options.run.early_stopping_patience > 0 &&
      options.data.validation_data.empty()) {
    problems.add(
        "early_stopping_patience: has nothing to watch without "
        "validation_data; give validation_data or set it to 0",
        {"early_stopping_patience", "validation_data"});
  }
  if (options.run.resume.empty()) {
    problems.add(
        "resume: is empty; give none, auto or the directory of a checkpoint",
        {"resume"});
  }
  if (options.run.best_metric.empty()) {
    problems.add("best_metric: is empty; give auto or the name of a metric",
                 {"best_metric"});
  }
}

void check_loss(const OptimizerOptions& options, ProblemType problem_type,
                ProblemList& problems) {
  const std::string type(name_of(problem_type));
  if (options.label_smoothing > 0 &&
      problem_type != ProblemType::kSingleLabel) {
    problems.add(
        "label_smoothing: has no meaning for " + type + "; set it to 0",
        {"label_smoothing", "problem_type"});
  }
  if (options.class_weights.kind != ClassWeights::Kind::kNone &&
      problem_type != ProblemType::kSingleLabel) {
    problems.add(
        "class_weights: has no meaning for " + type + "; set it to none",
        {"class_weights", "problem_type"});
  }
}

}  // namespace

std::vector<OptionProblem> validate(const TrainOptions& options) {
  ProblemList problems;
  const TrainDataOptions& data = options.data;
  check_paths("train_data", data.train_data, false, problems);
  check_paths("validation_data", data.validation_data, false, problems);
  check_paths("test_data", data.test_data, false, problems);
  check_reading(options.reading, problems);
  check_label_column(data.label_column, options.reading, problems);
  check_labels(data, options.optimizer.class_weights, problems);
  check_start(options.model, problems);
  check_schedule(options.optimizer, problems);
  check_compute(options.compute, problems);
  check_recomputation(options.memory, problems);
  check_validation(options, problems);
  if (const auto problem_type = chosen(data.problem_type)) {
    check_loss(options.optimizer, *problem_type, problems);
  }
  return problems.take();
}

std::vector<OptionProblem> validate_for_problem(const TrainOptions& options,
                                                ProblemType problem_type) {
  ProblemList problems;
  check_loss(options.optimizer, problem_type, problems);
  return problems.take();
}

std::vector<std::string> warnings_for_length(const TrainOptions& options,
                                             std::int64_t total_steps,
                                             std::int64_t steps_per_epoch) {
  std::vector<std::string> lines;
  const std::string length =
      " the " + std::to_string(total_steps) + " steps of this run";
  const auto is_beyond = [&](std::int64_t steps, const char* name,
                             const char* effect) {
    if (steps <= total_steps) return;
    lines.push_back(std::string(name) + " (" + std::to_string(steps) +
                    ") is above" + length + ": " + effect);
  };
  const RunOptions& run = options.run;
  const bool validates = !options.data.validation_data.empty();
  if (validates) {
    is_beyond(run.validate_every, "validate_every",
              "only the last step is measured");
  }
  is_beyond(run.checkpoint_every, "checkpoint_every",
            "only the last step is saved");
  if (options.optimizer.warmup_steps >= total_steps &&
      options.optimizer.warmup_steps > 0) {
    lines.push_back("warmup_steps (" +
                    std::to_string(options.optimizer.warmup_steps) +
                    ") is not below" + length +
                    ": the learning rate never reaches learning_rate, and the "
                    "schedule has no effect");
  }
  const std::int64_t interval =
      run.validate_every > 0 ? run.validate_every : steps_per_epoch;
  const std::int64_t validations = (total_steps + interval - 1) / interval;
  if (validates && run.early_stopping_patience > 0 &&
      run.early_stopping_patience >= validations) {
    lines.push_back("early_stopping_patience (" +
                    std::to_string(run.early_stopping_patience) +
                    ") has no effect: this run validates " +
                    std::to_string(validations) +
                    (validations == 1 ? " time" : " times"));
  }
  return lines;
}

std::vector<std::string> warnings(const TrainOptions& options,
                                  const OptionSources& sources) {
  std::vector<std::string> lines = reading_warnings(options.reading, sources);
  for (std::string& line : launch_warnings(options.launch, sources)) {
    lines.push_back(std::move(line));
  }
  const TrainDataOptions& data = options.data;
  if (data.validation_data.empty()) {
    for (const char* name : {"validate_every", "best_metric"}) {
      if (sources.contains(name)) {
        lines.push_back(std::string(name) +
                        " has no effect without validation_data");
      }
    }
  }
  if (!options.model.architecture.empty()) {
    if (options.model.reinit_head) {
      lines.push_back(
          "reinit_head has no effect with architecture: all weights are new");
    }
    if (options.model.allow_missing_weights) {
      lines.push_back(
          "allow_missing_weights has no effect with architecture: all weights "
          "are new");
    }
  }
  return lines;
}

}  // namespace longformer
