// SPDX-License-Identifier: MIT
#include "longformer/train/model_place.h"

#include "longformer/base/error.h"
#include "longformer/io/file_system.h"
#include "longformer/train/checkpoint_store.h"

namespace longformer {
namespace {

bool has(const std::string& directory, const char* name) {
  return exists(join_path(directory, name));
}

/// The model that `directory` holds in its folder "model"; "" if none.
std::string model_in(const std::string& directory) {
  const std::string model = join_path(directory, "model");
  return has(model, "config.json") ? model : "";
}

/// The newest model of a folder of checkpoints; "" if there is none.
std::string newest_model(const std::string& checkpoints) {
  std::string newest;
  if (!is_directory(checkpoints)) return newest;
  // Steps have leading zeros, so that names are in the order of the steps.
  for (const DirectoryEntry& entry : list_directory(checkpoints)) {
    const std::string path = join_path(checkpoints, entry.name);
    if (!has(path, "training_state.json")) continue;
    if (std::string model = model_in(path); !model.empty()) newest = model;
  }
  return newest;
}

const char* name_of(ModelPlace::Kind kind) {
  switch (kind) {
    case ModelPlace::Kind::kRun:
      return "the output folder of a training run";
    case ModelPlace::Kind::kCheckpoints:
      return "the folder of a run's checkpoints";
    case ModelPlace::Kind::kCheckpoint:
      break;
  }
  return "a checkpoint";
}

}  // namespace

std::optional<ModelPlace> find_model_place(const std::string& directory) {
  using Kind = ModelPlace::Kind;
  if (!is_directory(directory) || has(directory, "config.json")) {
    return std::nullopt;
  }
  if (has(directory, "training_state.json")) {
    return ModelPlace{Kind::kCheckpoint, model_in(directory)};
  }
  if (has(directory, "run.json")) {
    std::string model = model_in(directory);
    if (model.empty()) {
      model = newest_model(join_path(directory, kCheckpointsName));
    }
    return ModelPlace{Kind::kRun, model};
  }
  std::string model = newest_model(directory);
  if (model.empty()) return std::nullopt;
  return ModelPlace{Kind::kCheckpoints, model};
}

void refuse_model_place(const std::string& directory) {
  const auto place = find_model_place(directory);
  if (!place) return;
  throw ModelError(
      directory + ": is " + name_of(place->kind) + ", not a model; " +
      (place->model.empty() ? std::string("it holds no model yet")
                            : "its model is " + place->model + ": give that"));
}

}  // namespace longformer
