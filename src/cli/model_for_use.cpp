// SPDX-License-Identifier: MIT
#include "model_for_use.h"

#include "longformer/base/log.h"
#include "longformer/train/data_loading.h"
#include "longformer/train/pretrained.h"

namespace longformer {

ModelForUse load_model_for_use(const std::string& model_dir,
                               const std::string& tokenizer_dir) {
  const ModelConfig config = read_model_config(model_dir);
  ModelForUse model;
  LoadedClassifier loaded = load_classifier(model_dir, config, {});
  for (const std::string& note : loaded.report.notes) log_warning(note);
  log_info(model_dir + ": " + loaded.report.summary());
  if (!loaded.report.initialised.empty()) {
    log_warning(model_dir +
                ": the classification head is not in the files and is random "
                "now; the answers mean nothing until it is trained");
  }
  model.classifier = std::move(loaded.classifier);
  model.tokenizer = find_tokenizer(tokenizer_dir, model_dir, config);
  return model;
}

}  // namespace longformer
