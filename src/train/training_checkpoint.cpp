// SPDX-License-Identifier: MIT
#include "longformer/train/training_checkpoint.h"

#include "longformer/base/error.h"
#include "longformer/io/atomic_write.h"
#include "longformer/io/file_system.h"
#include "longformer/train/pretrained.h"
#include "longformer/train/saved_tensors.h"

namespace longformer {
namespace {

constexpr const char* kModel = "model";
constexpr const char* kOptimizer = "optimizer.safetensors";
constexpr const char* kAverage = "weight_average.safetensors";
constexpr const char* kState = "training_state.json";
constexpr const char* kOptions = "options.json";

}  // namespace

void write_model_directory(const LongformerClassifier& classifier,
                           const Tokenizer* tokenizer,
                           const std::string& directory) {
  save_classifier(classifier, directory);
  if (tokenizer != nullptr) tokenizer->save(directory);
}

void write_checkpoint(Trainer& trainer, const Tokenizer* tokenizer,
                      const TrainingState& state, const Json& options,
                      const std::string& directory) {
  const std::string model = join_path(directory, kModel);
  create_directories(model);
  write_model_directory(trainer.classifier(), tokenizer, model);
  save_tensors(trainer.optimizer().state(), join_path(directory, kOptimizer));
  if (trainer.average() != nullptr) {
    save_tensors(trainer.average()->state(), join_path(directory, kAverage));
  }
  write_file_atomically(join_path(directory, kState),
                        state.to_json().dump(2) + "\n");
  write_file_atomically(join_path(directory, kOptions), options.dump(2) + "\n");
}

TrainingState checkpoint_state(const std::string& directory) {
  const std::string path = join_path(directory, kState);
  return parse_training_state(read_file(path), path);
}

void read_checkpoint(const std::string& directory, const TrainingState& state,
                     Trainer& trainer) {
  load_tensors(named_parameters(trainer.classifier()),
               join_path(join_path(directory, kModel), "model.safetensors"));
  load_tensors(trainer.optimizer().state(), join_path(directory, kOptimizer));
  if (trainer.average() != nullptr) {
    const std::string path = join_path(directory, kAverage);
    if (exists(path)) {
      load_tensors(trainer.average()->state(), path);
    } else {
      trainer.average()->restart();
    }
  }
  trainer.optimizer().set_updates(state.updates);
  trainer.set_steps_done(state.step);
}

ModelConfig checkpoint_config(const std::string& directory) {
  return read_model_config(join_path(directory, kModel));
}

Json checkpoint_options(const std::string& directory) {
  const std::string path = join_path(directory, kOptions);
  try {
    return parse_strict_json(read_file(path));
  } catch (const JsonSyntaxError& error) {
    throw ModelError(path + ": " + describe(error) +
                     "; the checkpoint is damaged");
  }
}

}  // namespace longformer
