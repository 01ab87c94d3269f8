// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "longformer/config/model_config.h"
#include "longformer/io/model_files.h"
#include "longformer/model/classifier.h"

namespace longformer {

/// What happened to the tensors of a model's files and of the model.
struct LoadReport {
  std::int64_t num_loaded = 0;
  std::vector<std::string> initialised;  ///< In the model, not in the files.
  std::vector<std::string> copied;       ///< Global projections from local.
  std::vector<std::string> ignored;      ///< In the files, not needed.
  std::vector<std::string> notes;

  /// "loaded 273, new 4 (classifier.dense.weight, ...), ignored 3 (...)".
  std::string summary() const;
};

struct LoadRules {
  /// Missing encoder tensors are initialised instead of being an error.
  bool allow_missing_weights = false;
  /// The head is initialised even if the files have one.
  bool reinit_head = false;
  /// Seed of what is initialised.
  std::uint64_t seed = 0;
  /// The model will not be trained. Weights that are stored as it wants them
  /// stay in the mapped files, which processes share and which costs no copy;
  /// they cannot be written, and are aligned as in the file, copied ones to 64
  /// bytes. Advice in errors names no options that only training has.
  bool only_answers = false;
};

/// config.json of a model directory.
/// Throws ModelError naming the file.
ModelConfig read_model_config(const std::string& directory,
                              const ModelConfigRules& rules = {});

struct LoadedClassifier {
  std::shared_ptr<LongformerClassifier> classifier;
  LoadReport report;
  /// The files that the model's weights are in; to be asked check_unchanged()
  /// before answers are believed. Null unless something stayed mapped.
  std::shared_ptr<const ModelFiles> mapped_files;
};

/// Makes the model that `config` describes and fills it with the weights in
/// `directory`, in the type `dtype` (fp32 or fp64).
///
/// A missing head is initialised and reported; a missing encoder tensor is an
/// error unless allowed. Global projections that are missing altogether are
/// copied from the local ones.
///
/// Throws ModelError naming file and tensor: another shape, a type that is no
/// float, a value that is not finite, a tensor that is missing.
/// Memory: the model, plus one tensor of another type at a time for each
/// thread.
LoadedClassifier load_classifier(const std::string& directory,
                                 const ModelConfig& config,
                                 const LoadRules& rules,
                                 at::ScalarType dtype = at::kFloat);

}  // namespace longformer
