// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <vector>

#include <ATen/ATen.h>

#include "longformer/model/classifier.h"

namespace longformer::test {

/// One folder of the golden model cases: what the reference was given and what
/// it answered.
struct GoldenCase {
  std::string name;
  std::string directory;
  Json description;  ///< case.json
  std::map<std::string, at::Tensor> inputs;
  std::map<std::string, at::Tensor> expected;

  std::string text(const char* key) const;
  const at::Tensor& expect(const std::string& key) const;
};

/// All tensors of a safetensors file in their own types.
std::map<std::string, at::Tensor> read_tensors(const std::string& path);

/// Names of the classification cases, sorted.
std::vector<std::string> classification_cases();
GoldenCase load_golden_case(const std::string& name);

/// A row of a golden batch without its padding.
struct GoldenDocument {
  std::int64_t row = 0;
  std::vector<std::int64_t> columns;  ///< Where the mask is not 0.
};

/// Rows that have live tokens.
std::vector<GoldenDocument> live_documents(const GoldenCase& golden);

/// Whether a row's mask has a hole; such rows cannot be packed.
bool has_hole(const GoldenDocument& document);

/// The given rows as records of `predict`, one a line.
std::string golden_records(const GoldenCase& golden,
                           const std::vector<GoldenDocument>& documents);

/// The given rows as one packed batch, positions counted from the ids.
PackedInput pack_golden(const GoldenCase& golden,
                        const std::vector<GoldenDocument>& documents,
                        std::int64_t pad_token_id);
Targets golden_targets(const GoldenCase& golden,
                       const std::vector<GoldenDocument>& documents);

}  // namespace longformer::test
