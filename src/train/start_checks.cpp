// SPDX-License-Identifier: MIT
#include "start_checks.h"

#include <functional>
#include <string>
#include <vector>

#include "longformer/base/error.h"
#include "longformer/base/log.h"
#include "longformer/data/input_files.h"
#include "longformer/io/file_system.h"
#include "longformer/train/checkpoint_store.h"
#include "longformer/train/metric_names.h"

namespace longformer {
namespace {

/// What several checks found, each of which throws what it finds.
class FoundErrors {
 public:
  /// `option` is put before the message.
  void look(const std::string& option, const std::function<void()>& check) {
    try {
      check();
    } catch (const Error& error) {
      const std::string message = error.what();
      const bool names_it = message.starts_with(option + ":");
      found_.emplace_back(error.code(),
                          names_it ? message : option + ": " + message);
    }
  }

  void throw_all() const {
    if (found_.empty()) return;
    std::string message;
    if (found_.size() > 1) {
      message = std::to_string(found_.size()) + " problems with the options:";
    }
    for (const Error& error : found_) {
      message += (message.empty() ? "" : "\n  ") + std::string(error.what());
    }
    throw Error(found_.front().code(), message);
  }

 private:
  std::vector<Error> found_;
};

std::vector<std::string> expanded(const std::vector<std::string>& inputs) {
  return inputs.empty() ? inputs : expand_inputs(inputs);
}

void warn_of_shared_files(const std::vector<std::string>& training,
                          const std::vector<std::string>& others,
                          const std::string& purpose) {
  const std::string file = shared_file(training, others);
  if (file.empty()) return;
  log_warning("train_data and " + purpose + "_data share a file (" + file +
              "): the " + purpose + " metrics will look better than they are");
}

void check_architecture(const std::string& path) {
  if (path.empty()) return;
  const bool is_folder = is_directory(path);
  if (!is_folder && exists(path)) return;
  throw ConfigError(
      path + (is_folder ? ": is a directory; give its config.json"
                        : ": there is no such file; give the config.json that "
                          "describes the model"));
}

}  // namespace

void check_start(const TrainOptions& options) {
  FoundErrors found;
  found.look("architecture",
             [&] { check_architecture(options.model.architecture); });
  found.look("best_metric", [&] {
    if (options.run.best_metric == "auto") return;
    check_metric_exists(options.run.best_metric,
                        chosen(options.data.problem_type));
  });
  const TrainDataOptions& data = options.data;
  found.look("train_data", [&] { expanded(data.train_data); });
  found.look("validation_data", [&] { expanded(data.validation_data); });
  found.look("test_data", [&] { expanded(data.test_data); });
  found.look("resume", [&] {
    // Once output_dir is locked.
    const std::string& resume = options.run.resume;
    if (resume == "auto" || resume == "auto_or_restart") return;
    CheckpointStore("").find(resume, ManifestCheck::kSizes);
  });
  found.throw_all();
}

void warn_of_shared_data(const TrainOptions& options) {
  const std::vector<std::string> training = expanded(options.data.train_data);
  const auto validation = expanded(options.data.validation_data);
  const auto test = expanded(options.data.test_data);
  warn_of_shared_files(training, validation, "validation");
  warn_of_shared_files(training, test, "test");
}

}  // namespace longformer
