// SPDX-License-Identifier: MIT
#include "longformer/train/pretrained.h"

#include <algorithm>
#include <map>
#include <set>

#include <ATen/Functions.h>

#include "longformer/base/error.h"
#include "longformer/io/file_system.h"
#include "longformer/train/model_place.h"
#include "longformer/train/weight_names.h"

#include "weight_reading.h"

namespace longformer {
namespace {

std::string first_names(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 4;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kShown); ++i) {
    text += (i == 0 ? "" : ", ") + names[i];
  }
  if (names.size() > kShown) text += ", ...";
  return text;
}

std::string counted(const char* what, const std::vector<std::string>& names) {
  std::string text = std::string(what) + " " + std::to_string(names.size());
  if (!names.empty()) text += " (" + first_names(names) + ")";
  return text;
}

/// Fills a classifier from files and keeps account of every tensor.
class Loader {
 public:
  Loader(std::shared_ptr<const ModelFiles> files,
         LongformerClassifier& classifier, const LoadRules& rules)
      : files_(std::move(files)), classifier_(classifier), rules_(rules) {
    report_.notes = files_->notes();
    for (const ModelFiles::Tensor& tensor : files_->tensors()) {
      const PublishedName published = published_name(tensor.name());
      if (published.role == WeightRole::kIgnored) {
        report_.ignored.push_back(tensor.name());
      } else if (!by_name_.emplace(published.name, &tensor).second) {
        throw ModelError(tensor.file->path() + ": " + tensor.name() + " and " +
                         by_name_[published.name]->name() + " are both " +
                         published.name + "; remove one of them");
      }
    }
  }

  bool keeps_mapped() const { return keeps_mapped_; }

  LoadReport load() {
    const std::vector<NamedParameter> parameters =
        named_parameters(classifier_);
    const bool has_global = has_global_projections();
    std::vector<NamedParameter> missing;
    for (const NamedParameter& parameter : parameters) {
      if (is_head_parameter(parameter.name) && rules_.reinit_head) {
        report_.initialised.push_back(parameter.name);
      } else if (const auto* tensor = find(parameter.name)) {
        plan(*tensor, parameter);
        ++report_.num_loaded;
      } else if (const auto* local =
                     has_global ? nullptr
                                : find(local_counterpart(parameter.name))) {
        plan(*local, parameter);
        report_.copied.push_back(parameter.name);
      } else {
        missing.push_back(parameter);
      }
    }
    check_head(parameters, missing);
    note_unused(parameters);
    check_missing(missing);
    initialise(missing);
    read_all(reads_);
    return std::move(report_);
  }

 private:
  const ModelFiles::Tensor* find(const std::string& name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : found->second;
  }

  bool has_global_projections() const {
    for (const auto& [name, tensor] : by_name_) {
      if (!local_counterpart(name).empty()) return true;
    }
    return false;
  }

  void plan(const ModelFiles::Tensor& tensor, const NamedParameter& parameter) {
    check_shape(tensor, parameter.tensor,
                is_head_parameter(parameter.name) && !rules_.only_answers
                    ? "give --reinit-head to start with a new head, or the "
                      "labels that the model was trained with"
                    : "the weights do not belong to this config.json");
    WeightRead read{&tensor, parameter.tensor};
    if (rules_.only_answers && is_read_in_parts(read)) {
      if (at::Tensor mapped = mapped_tensor(tensor, files_); mapped.defined()) {
        parameter.tensor.set_data(mapped);
        read.is_mapped = true;
        keeps_mapped_ = true;
      }
    }
    reads_.push_back(std::move(read));
  }

  /// A head is loaded whole or not at all.
  void check_head(const std::vector<NamedParameter>& parameters,
                  const std::vector<NamedParameter>& missing) const {
    std::size_t head = 0;
    std::size_t missing_head = 0;
    std::string first;
    for (const NamedParameter& p : parameters) {
      if (is_head_parameter(p.name)) ++head;
    }
    for (const NamedParameter& p : missing) {
      if (!is_head_parameter(p.name)) continue;
      if (missing_head++ == 0) first = p.name;
    }
    if (missing_head > 0 && missing_head < head) {
      throw ModelError(files_->path() + ": " + first +
                       " is missing while other tensors of the "
                       "classification head are there; " +
                       (rules_.only_answers
                            ? "the file is incomplete"
                            : "give --reinit-head to start with a new head"));
    }
  }

  void note_unused(const std::vector<NamedParameter>& parameters) {
    std::set<std::string> wanted;
    for (const NamedParameter& p : parameters) wanted.insert(p.name);
    for (const auto& [name, tensor] : by_name_) {
      if (!wanted.contains(name)) report_.ignored.push_back(tensor->name());
    }
  }

  void check_missing(const std::vector<NamedParameter>& missing) {
    for (const NamedParameter& p : missing) {
      if (!is_head_parameter(p.name) && !rules_.allow_missing_weights) {
        std::string message = files_->path() + ": " + p.name + " is missing";
        if (!report_.ignored.empty()) {
          message +=
              " (not needed by this model: " + first_names(report_.ignored) +
              ")";
        }
        throw ModelError(
            message + "; the file belongs to another kind of model" +
            (rules_.only_answers ? " or is incomplete"
                                 : ", or give --allow-missing-weights to "
                                   "initialise what is missing"));
      }
      report_.initialised.push_back(p.name);
    }
  }

  /// Gives initial values where the files give none. They are the same
  /// whatever else is initialised, so anything more is simply read over.
  void initialise(const std::vector<NamedParameter>& missing) {
    if (report_.initialised.empty()) return;
    const bool head_only =
        std::all_of(missing.begin(), missing.end(),
                    [](const auto& p) { return is_head_parameter(p.name); });
    initialize_weights(classifier_, rules_.seed, head_only);
  }

  std::shared_ptr<const ModelFiles> files_;
  LongformerClassifier& classifier_;
  LoadRules rules_;
  std::map<std::string, const ModelFiles::Tensor*> by_name_;
  std::vector<WeightRead> reads_;
  LoadReport report_;
  bool keeps_mapped_ = false;
};

}  // namespace

std::string LoadReport::summary() const {
  std::string text = "loaded " + std::to_string(num_loaded) + ", " +
                     counted("new", initialised) + ", " +
                     counted("ignored", ignored);
  if (!copied.empty()) {
    text += ", " + counted("copied from the local projections", copied);
  }
  return text;
}

ModelConfig read_model_config(const std::string& directory,
                              const ModelConfigRules& rules) {
  if (!is_directory(directory)) {
    throw ModelError(directory +
                     (exists(directory)
                          ? ": is a file; give the folder that it "
                            "lies in: a model is a directory "
                          : ": there is no such directory; a model "
                            "is a directory ") +
                     "with config.json and model.safetensors");
  }
  const std::string path = join_path(directory, "config.json");
  if (!exists(path)) {
    refuse_model_place(directory);
    throw ModelError(path +
                     ": not found; a model is a directory with "
                     "config.json and model.safetensors");
  }
  return parse_model_config_text(read_file(path), path, rules);
}

LoadedClassifier load_classifier(const std::string& directory,
                                 const ModelConfig& config,
                                 const LoadRules& rules, at::ScalarType dtype) {
  const at::NoGradGuard no_gradients;
  const auto files =
      std::make_shared<const ModelFiles>(ModelFiles::open(directory));
  LoadedClassifier result;
  result.classifier = std::make_shared<LongformerClassifier>(config);
  if (dtype != at::kFloat) result.classifier->to(dtype);
  Loader loader(files, *result.classifier, rules);
  result.report = loader.load();
  if (loader.keeps_mapped()) result.mapped_files = files;
  return result;
}

}  // namespace longformer
