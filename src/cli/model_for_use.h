// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>

#include "longformer/io/model_files.h"
#include "longformer/model/classifier.h"
#include "longformer/tokenizer/tokenizer.h"

namespace longformer {

/// A trained model with its tokenizer, ready to answer.
struct ModelForUse {
  std::shared_ptr<LongformerClassifier> classifier;
  std::unique_ptr<Tokenizer> tokenizer;  ///< Null: rows carry input_ids.
  std::shared_ptr<const ModelFiles> mapped_files;

  /// To be called before answers are given away. Throws ModelError if a file
  /// that the weights are in was changed meanwhile.
  void check_unchanged() const;
};

/// Loads them onto `device` and logs what was loaded, new and ignored; a model
/// without a trained head gets a loud warning, since its answers mean nothing.
ModelForUse load_model_for_use(const std::string& model_dir,
                               const std::string& tokenizer_dir,
                               at::Device device);

}  // namespace longformer
