// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>

#include "longformer/model/classifier.h"
#include "longformer/tokenizer/tokenizer.h"

namespace longformer {

/// A trained model with its tokenizer, ready to answer.
struct ModelForUse {
  std::shared_ptr<LongformerClassifier> classifier;
  std::unique_ptr<Tokenizer> tokenizer;  ///< Null: rows carry input_ids.
};

/// Loads them and logs what was loaded, new and ignored; a model without a
/// trained head gets a loud warning, since its answers mean nothing.
ModelForUse load_model_for_use(const std::string& model_dir,
                               const std::string& tokenizer_dir);

}  // namespace longformer
