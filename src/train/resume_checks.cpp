// SPDX-License-Identifier: MIT
#include "resume_checks.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "longformer/base/error.h"
#include "longformer/base/log.h"
#include "longformer/config/option_checks.h"
#include "longformer/train/training_checkpoint.h"

namespace longformer {
namespace {

constexpr const char* kAdvice =
    "it cannot change while a run goes on: put it back, or train into a new "
    "output_dir";

/// Options that say nothing about the numbers of a run.
constexpr std::array<std::string_view, 10> kFree{
    "resume",        "output_dir",   "model_dir",         "checkpoint_dir",
    "token_cache",   "rendezvous",   "network_interface", "start_timeout",
    "print_metrics", "recomputation"};

/// Options that name places of a host, and one that changes no result.
constexpr std::array<std::string_view, 15> kLocal{
    "output_dir",        "model_dir",       "checkpoint_dir", "token_cache",
    "train_data",        "validation_data", "test_data",      "model",
    "architecture",      "tokenizer",       "resume",         "rendezvous",
    "network_interface", "print_metrics",   "threads"};

/// Options that decide which documents there are and what they are made of.
constexpr std::array<std::string_view, 12> kDataOptions{
    "train_data",  "label_column",     "problem_type", "labels",
    "text_column", "text_pair_column", "data_format",  "csv_delimiter",
    "csv_quote",   "encoding",         "max_bad_rows", "tokenizer"};

template <std::size_t kSize>
bool is_among(const std::array<std::string_view, kSize>& names,
              std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

struct ChangedOption {
  std::string name;
  Json before;
  Json now;

  std::string text() const {
    return name + " was " + before.dump() +
           " in the run that is resumed and is " + now.dump() + " now";
  }
};

std::vector<ChangedOption> changed_options(const std::string& checkpoint,
                                           const TrainOptions& options) {
  const Json before = checkpoint_options(checkpoint);
  const Json now = options_to_json(options);
  std::vector<ChangedOption> changed;
  for (const auto& [name, value] : now.items()) {
    const auto old = before.find(name);
    if (old != before.end() && *old != value) {
      changed.push_back({name, *old, value});
    }
  }
  return changed;
}

std::string differing(const char* what, const std::string& before,
                      const std::string& now) {
  return std::string(what) + " was " + before +
         " in the run that is resumed and is " + now + " now";
}

/// What would give the weights another shape or meaning.
void compare_shapes(const ModelConfig& before, const ModelConfig& now,
                    const std::string& option,
                    std::vector<OptionProblem>& problems) {
  const std::pair<const char*, std::int64_t ModelConfig::*> shapes[] = {
      {"vocab_size", &ModelConfig::vocab_size},
      {"hidden_size", &ModelConfig::hidden_size},
      {"num_hidden_layers", &ModelConfig::num_hidden_layers},
      {"num_attention_heads", &ModelConfig::num_attention_heads},
      {"intermediate_size", &ModelConfig::intermediate_size},
      {"max_position_embeddings", &ModelConfig::max_position_embeddings},
      {"type_vocab_size", &ModelConfig::type_vocab_size}};
  for (const auto& [name, member] : shapes) {
    if (before.*member == now.*member) continue;
    problems.push_back({option + ": describes another model: " +
                            differing(name, std::to_string(before.*member),
                                      std::to_string(now.*member)) +
                            "; " + kAdvice,
                        {option}});
  }
  if (before.pooling != now.pooling) {
    problems.push_back(
        {differing("pooling", std::string(name_of(before.pooling)),
                   std::string(name_of(now.pooling))) +
             "; " + kAdvice,
         {"pooling"}});
  }
}

}  // namespace

void check_resumed_options(const std::string& checkpoint,
                           const TrainOptions& options,
                           const ModelConfig& config) {
  std::vector<OptionProblem> problems;
  const ModelConfig before = checkpoint_config(checkpoint);
  compare_shapes(before, config,
                 options.model.model.empty() ? "architecture" : "model",
                 problems);
  for (const ChangedOption& changed : changed_options(checkpoint, options)) {
    // 0 is the model's own length.
    const auto length = [&](const Json& value) {
      const auto given =
          value.is_number_integer() ? value.get<std::int64_t>() : 0;
      return given > 0 ? given : before.usable_length();
    };
    const bool is_other_length = changed.name == "max_length" &&
                                 length(changed.before) != length(changed.now);
    if (changed.name == "class_weights" || is_other_length) {
      problems.push_back({changed.text() + "; " + kAdvice, {changed.name}});
    } else if (!is_among(kFree, changed.name) && changed.name != "pooling") {
      log_warning(changed.text());
    }
  }
  throw_if_any(problems);
}

void check_resumed_labels(const std::string& checkpoint,
                          const std::vector<std::string>& labels) {
  const std::vector<std::string> before = checkpoint_config(checkpoint).labels;
  if (labels == before) return;
  throw ConfigError(
      "train_data: " +
      differing("labels", Json(before).dump(), Json(labels).dump()) +
      "; put the data and the option labels back, or train into "
      "a new output_dir");
}

void refuse_other_data(const std::string& checkpoint,
                       const TrainOptions& options) {
  std::string changes;
  for (const ChangedOption& changed : changed_options(checkpoint, options)) {
    if (!is_among(kDataOptions, changed.name)) continue;
    changes += (changes.empty() ? " (" : ", ") + changed.text();
  }
  if (!changes.empty()) changes += ")";
  throw ConfigError(
      "train_data: the training data or its tokenisation is not what " +
      checkpoint + " was made with" + changes +
      "; put it back, or train into a new output_dir");
}

bool may_differ_between_ranks(std::string_view option) {
  return is_among(kLocal, option);
}

}  // namespace longformer
