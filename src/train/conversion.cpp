// SPDX-License-Identifier: MIT
#include "longformer/train/conversion.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <set>

#include "longformer/base/error.h"
#include "longformer/base/log.h"
#include "longformer/config/model_config.h"
#include "longformer/io/atomic_write.h"
#include "longformer/io/file_system.h"
#include "longformer/io/model_files.h"
#include "longformer/io/safetensors_writer.h"
#include "longformer/tokenizer/tokenizer.h"
#include "longformer/train/model_place.h"
#include "longformer/train/weight_names.h"

#include "encoder_weights.h"
#include "weight_conversion.h"

namespace longformer {
namespace {

constexpr const char* kPositions =
    "longformer.embeddings.position_embeddings.weight";
// Far beyond every model there is; a larger number is a mistake.
constexpr std::int64_t kMostPositions = 100'000'000;

/// One tensor of the result: where it comes from and what is done to it.
struct Plan {
  std::string name;
  const ModelFiles::Tensor* source;
  DType dtype;
  std::vector<std::int64_t> shape;
  bool is_tiled = false;
};

class Conversion {
 public:
  explicit Conversion(const ConvertTask& task)
      : task_(task), files_(ModelFiles::open(task.input)) {
    for (const std::string& note : files_.notes()) log_warning(note);
    for (const ModelFiles::Tensor& tensor : files_.tensors()) {
      const PublishedName published = published_name(tensor.name());
      if (published.role == WeightRole::kIgnored && !is_kept(published.name)) {
        left_out_.push_back(tensor.name());
      } else if (!sources_.emplace(published.name, &tensor).second) {
        throw ModelError(tensor.file->path() + ": " + tensor.name() +
                         " stands for " + published.name +
                         ", which another tensor stands for too; remove one");
      }
    }
    read_config();
    check_weights(sources_, config_, has_global_, files_.path());
    plan_tensors();
  }

  void write() {
    recover_leftovers_of(task_.output);
    AtomicDirectory directory(task_.output);
    std::vector<TensorSource> tensors;
    for (const Plan& plan : plans_) tensors.push_back(source_of(plan));
    write_model_weights(directory.path(), std::move(tensors), task_.shard_size);
    write_file_atomically(join_path(directory.path(), "config.json"),
                          config_json().dump(2) + "\n");
    write_tokenizer(directory.path());
    directory.commit();
    report();
  }

 private:
  /// Other heads and the pooler are nothing to a classifier, but part of the
  /// model that is converted.
  static bool is_kept(const std::string& name) {
    return name.find("position_ids") == std::string::npos;
  }

  std::string model_directory() const {
    return is_directory(task_.input) ? task_.input : parent_path(task_.input);
  }

  void read_config() {
    const std::string path = join_path(model_directory(), "config.json");
    if (!exists(path)) {
      throw ModelError(path +
                       ": not found beside the weights; a config.json "
                       "says what the weights are");
    }
    has_global_ =
        std::any_of(sources_.begin(), sources_.end(), [](const auto& source) {
          return !local_counterpart(source.first).empty();
        });
    ModelConfigRules rules;
    rules.use = has_global_ ? ConfigUse::kModel : ConfigUse::kShortModel;
    rules.one_sided_window = task_.one_sided_window;
    config_ = parse_model_config_text(read_file(path), path, rules);
    if (task_.attention_window > 0) {
      set_attention_window(config_, task_.attention_window);
    }
    if (config_.attention_window.empty()) {
      throw ConfigError(path +
                        ": the model has no attention window yet; give "
                        "--attention-window (both sides together; the "
                        "published models have 512)");
    }
  }

  void plan_tensors() {
    set_positions();
    const auto wanted = wanted_dtype(task_.dtype);
    for (const auto& [name, tensor] : sources_) {
      add(name, *tensor, wanted);
      if (!has_global_) add_global_copy(name, *tensor, wanted);
    }
    warn_of_small_shards();
  }

  /// A tensor is never split.
  void warn_of_small_shards() const {
    const auto bytes = [](const Plan& plan) {
      std::int64_t elements = 1;
      for (const std::int64_t size : plan.shape) elements *= size;
      return dtype_bytes(plan.dtype, elements).value_or(0);
    };
    const auto largest = std::max_element(
        plans_.begin(), plans_.end(),
        [&](const Plan& a, const Plan& b) { return bytes(a) < bytes(b); });
    if (task_.shard_size == 0 || largest == plans_.end() ||
        bytes(*largest) <= task_.shard_size) {
      return;
    }
    log_warning("shard_size (" + std::to_string(task_.shard_size) +
                ") is below the " + std::to_string(bytes(*largest)) +
                " bytes of " + largest->name +
                ": a file holds one tensor at least and may be larger");
  }

  void set_positions() {
    if (task_.max_positions == 0) return;
    const std::int64_t before = config_.usable_length();
    if (task_.max_positions < before) {
      throw ConfigError("max_positions: the model takes documents of " +
                        std::to_string(before) + " tokens already, got " +
                        std::to_string(task_.max_positions) +
                        "; give at least that");
    }
    if (task_.max_positions > kMostPositions) {
      throw ConfigError("max_positions: expected at most " +
                        std::to_string(kMostPositions) + ", got " +
                        std::to_string(task_.max_positions));
    }
    if (task_.max_positions == before) {
      log_warning("max_positions has no effect: the model takes documents of " +
                  std::to_string(before) + " tokens already");
    }
    config_.max_position_embeddings =
        task_.max_positions + config_.pad_token_id + 1;
  }

  void add(const std::string& name, const ModelFiles::Tensor& tensor,
           std::optional<DType> wanted) {
    Plan plan{name, &tensor, tensor.entry->dtype, tensor.entry->shape};
    if (wanted && is_weight_dtype(plan.dtype)) plan.dtype = *wanted;
    if (name == kPositions &&
        plan.shape.at(0) != config_.max_position_embeddings) {
      plan.shape[0] = config_.max_position_embeddings;
      plan.is_tiled = true;
    }
    plans_.push_back(std::move(plan));
  }

  /// The global projection that starts as a copy of a local one.
  void add_global_copy(const std::string& name,
                       const ModelFiles::Tensor& tensor,
                       std::optional<DType> wanted) {
    for (const char* part : {"query", "key", "value"}) {
      const std::string local = std::string(".attention.self.") + part + ".";
      const std::size_t at = name.find(local);
      if (at == std::string::npos) continue;
      std::string global = name;
      global.insert(at + local.size() - 1, "_global");
      add(global, tensor, wanted);
      ++copied_;
    }
  }

  static void check_values(const Plan& plan, std::span<const std::byte> bytes) {
    const DType dtype = plan.source->entry->dtype;
    if (!is_model_weight(plan.name) || !is_weight_dtype(dtype) ||
        !first_non_finite(bytes, dtype)) {
      return;
    }
    throw ModelError(plan.source->file->path() + ": " + plan.source->name() +
                     " holds a value that is not finite; the file is damaged "
                     "or comes from a run that diverged");
  }

  /// The tokenizer beside the weights; it may cut texts where the new model
  /// ends, no longer where the old one did.
  void write_tokenizer(const std::string& directory) const {
    if (!has_tokenizer(model_directory())) return;
    const auto tokenizer = load_tokenizer(model_directory());
    if (task_.max_positions > 0) {
      tokenizer->set_model_max_length(config_.usable_length());
    }
    tokenizer->save(directory);
  }

  TensorSource source_of(const Plan& plan) const {
    const std::int64_t kept_rows = config_.pad_token_id + 1;
    return {plan.name, plan.dtype, plan.shape,
            [&plan, kept_rows](const ByteSink& sink) {
              std::vector<std::byte> bytes(
                  static_cast<std::size_t>(plan.source->entry->num_bytes));
              plan.source->read(bytes);
              check_values(plan, bytes);
              if (plan.is_tiled) {
                bytes = tile_rows(bytes, plan.source->entry->shape[0],
                                  plan.shape[0], kept_rows);
              }
              if (plan.dtype != plan.source->entry->dtype) {
                bytes = convert_weights(bytes, plan.source->entry->dtype,
                                        plan.dtype, plan.name);
              }
              sink(bytes);
            }};
  }

  /// Which class of Hugging Face the tensors make up.
  std::string architecture() const {
    if (sources_.contains("classifier.out_proj.weight") ||
        sources_.contains("mean_classifier.out_proj.weight")) {
      return "LongformerForSequenceClassification";
    }
    if (sources_.contains("qa_outputs.weight")) {
      return "LongformerForQuestionAnswering";
    }
    if (sources_.contains("classifier.weight")) {
      return "LongformerForTokenClassification";
    }
    return sources_.contains("lm_head.dense.weight") ? "LongformerForMaskedLM"
                                                     : "LongformerModel";
  }

  Json config_json() const {
    std::set<DType> dtypes;
    for (const Plan& plan : plans_) {
      if (is_weight_dtype(plan.dtype)) dtypes.insert(plan.dtype);
    }
    Json json =
        to_json(config_, dtypes.size() == 1 ? dtype_in_config(*dtypes.begin())
                                            : "float32");
    json["architectures"] = Json::array({architecture()});
    json["model_type"] = "longformer";
    return json;
  }

  void report() const {
    std::string line = task_.output + ": " + std::to_string(plans_.size()) +
                       " tensors written";
    if (copied_ > 0) {
      line += ", " + std::to_string(copied_) +
              " of them global projections copied from the local ones";
    }
    if (!left_out_.empty()) {
      line +=
          "; left out: " + left_out_[0] + (left_out_.size() > 1 ? ", ..." : "");
    }
    log_info(line);
  }

  const ConvertTask& task_;
  ModelFiles files_;
  ModelConfig config_;
  bool has_global_ = false;
  PublishedTensors sources_;
  std::vector<std::string> left_out_;
  std::vector<Plan> plans_;
  std::int64_t copied_ = 0;
};

}  // namespace

void convert_model(const ConvertTask& task) {
  refuse_model_place(task.input);
  Conversion(task).write();
}

}  // namespace longformer
