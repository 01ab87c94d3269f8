// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "longformer/io/model_files.h"
#include "longformer/io/safetensors_writer.h"

#include "../train/tiny_model.h"
#include "program_test.h"

namespace longformer::test {

inline constexpr const char* kPositions =
    "longformer.embeddings.position_embeddings.weight";

struct Weight {
  std::vector<std::int64_t> shape;
  std::vector<float> values;
};
using Weights = std::map<std::string, Weight>;

inline Weights weights_in(const std::string& directory) {
  Weights weights;
  const ModelFiles files = ModelFiles::open(directory);
  for (const ModelFiles::Tensor& tensor : files.tensors()) {
    Weight& weight = weights[tensor.name()];
    weight.shape = tensor.entry->shape;
    weight.values.resize(static_cast<std::size_t>(tensor.entry->num_elements));
    tensor.read_as_float(weight.values);
  }
  return weights;
}

inline bool operator==(const Weight& a, const Weight& b) {
  return a.shape == b.shape && a.values == b.values;
}

class ConvertTest : public ProgramTest {
 protected:
  void SetUp() override {
    write_model("model", tiny_config());
    write("data.jsonl", toy_rows({20, 60, 128}, {}));
  }

  /// A copy of model/ with other weights.
  void write_weights(const std::string& directory,
                     const Weights& weights) const {
    write(directory + "/config.json", read_file(path("model/config.json")));
    std::vector<TensorSource> sources;
    for (const auto& [name, weight] : weights) {
      sources.push_back(tensor_source(name, DType::kF32, weight.shape,
                                      std::as_bytes(std::span(weight.values))));
    }
    write_safetensors(path(directory + "/model.safetensors"),
                      std::move(sources));
  }

  /// A copy of model/ whose tensors have other names; "" leaves one out.
  void write_renamed(
      const std::string& directory,
      const std::function<std::string(const std::string&)>& rename) const {
    Weights renamed;
    for (const auto& [name, weight] : weights_in(path("model"))) {
      const std::string other = rename(name);
      if (!other.empty()) renamed[other] = weight;
    }
    write_weights(directory, renamed);
  }

  /// config.json of a copy, changed.
  void change_config(const std::string& directory,
                     const std::function<void(Json&)>& change) const {
    Json config =
        parse_strict_json(read_file(path(directory + "/config.json")));
    change(config);
    write(directory + "/config.json", config.dump());
  }

  Json config_of(const std::string& directory) const {
    return parse_strict_json(read_file(path(directory + "/config.json")));
  }

  RunResult convert(const std::string& input, const std::string& output,
                    const std::vector<std::string>& more = {}) const {
    return run(with({"convert", "--input", input, "--output", output}, more));
  }

  std::string answers(const std::string& model) const {
    return run_well({"predict", "--model", model, "--data", "data.jsonl",
                     "--output", "-", "--logits"})
        .standard_output;
  }

  /// A RoBERTa of 62 tokens: no global projections, no windows.
  void write_short_model(const std::string& directory) const {
    Weights weights;
    for (const auto& [name, weight] : weights_in(path("model"))) {
      if (name.find("_global") != std::string::npos) continue;
      const std::string prefix = "longformer.";
      weights[name.starts_with(prefix) ? "roberta." + name.substr(prefix.size())
                                       : name] = weight;
    }
    Weight& positions =
        weights["roberta.embeddings.position_embeddings.weight"];
    positions.shape[0] = 64;
    positions.values.resize(64 * 32);
    write_weights(directory, weights);
    change_config(directory, [](Json& config) {
      config["model_type"] = "roberta";
      config["max_position_embeddings"] = 64;
      config.erase("attention_window");
    });
  }
};

inline std::string without_prefix(const std::string& name) {
  const std::string prefix = "longformer.";
  return name.starts_with(prefix) ? name.substr(prefix.size()) : name;
}

}  // namespace longformer::test
