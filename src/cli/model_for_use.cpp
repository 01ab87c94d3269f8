// SPDX-License-Identifier: MIT
#include "model_for_use.h"

#include <unistd.h>

#include <csignal>
#include <string_view>

#include "longformer/base/error.h"
#include "longformer/base/log.h"
#include "longformer/train/data_loading.h"
#include "longformer/train/pretrained.h"

namespace longformer {
namespace {

/// Touching what another program cut off a mapped file is the signal SIGBUS.
/// Only what is safe in a signal handler is done here.
extern "C" void end_with_explanation(int) {
  constexpr std::string_view kMessage =
      "error: a model file was shortened while it was in use; run this again "
      "(replace models by renaming, not by writing into their files)\n";
  // Nothing can be done if even this fails.
  [[maybe_unused]] const auto written =
      ::write(STDERR_FILENO, kMessage.data(), kMessage.size());
  ::_exit(static_cast<int>(ExitCode::kModel));
}

void explain_shortened_files() {
  struct sigaction action {};
  action.sa_handler = end_with_explanation;
  sigaction(SIGBUS, &action, nullptr);
}

}  // namespace

void ModelForUse::check_unchanged() const {
  if (mapped_files != nullptr) mapped_files->check_unchanged();
}

ModelForUse load_model_for_use(const std::string& model_dir,
                               const std::string& tokenizer_dir,
                               at::Device device) {
  const ModelConfig config = read_model_config(model_dir);
  ModelForUse model;
  LoadRules rules;
  rules.only_answers = true;
  LoadedClassifier loaded = load_classifier(model_dir, config, rules);
  if (loaded.mapped_files != nullptr) explain_shortened_files();
  for (const std::string& note : loaded.report.notes) log_warning(note);
  log_info(model_dir + ": " + loaded.report.summary());
  if (!loaded.report.initialised.empty()) {
    log_warning(model_dir +
                ": the classification head is not in the files and is random "
                "now; the answers mean nothing until it is trained");
  }
  model.classifier = std::move(loaded.classifier);
  if (!device.is_cpu()) model.classifier->to(device);
  model.mapped_files = std::move(loaded.mapped_files);
  model.tokenizer = find_tokenizer(tokenizer_dir, model_dir, config);
  return model;
}

}  // namespace longformer
