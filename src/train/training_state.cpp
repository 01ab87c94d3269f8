// SPDX-License-Identifier: MIT
#include "longformer/train/training_state.h"

#include <limits>

#include "longformer/base/error.h"

#include "json_fields.h"

namespace longformer {
namespace {

constexpr std::int64_t kVersion = 1;

/// Throws through `fields` where single members are right but not together.
void check_together(const TrainingState& state, const JsonFields& fields) {
  if (state.updates > state.step) {
    fields.fail("\"updates\" is " + std::to_string(state.updates) +
                ", more than \"step\", which is " + std::to_string(state.step));
  }
  if (state.step_in_epoch > state.step) {
    fields.fail("\"step_in_epoch\" is " + std::to_string(state.step_in_epoch) +
                ", more than \"step\", which is " + std::to_string(state.step));
  }
  if (state.loss_scale && *state.loss_scale <= 0) {
    fields.fail("\"loss_scale\" is not positive");
  }
}

}  // namespace

Json TrainingState::to_json() const {
  Json json = Json::object();
  json["version"] = kVersion;
  json["step"] = step;
  json["updates"] = updates;
  json["epoch"] = epoch;
  json["step_in_epoch"] = step_in_epoch;
  json["documents"] = documents;
  json["tokens"] = tokens;
  json["total_steps"] = total_steps;
  json["seed"] = seed;
  json["loss_scale"] = loss_scale ? Json(*loss_scale) : Json(nullptr);
  json["best_model"] = best_model;
  json["options_digest"] = options_digest;
  json["dataset_fingerprint"] = dataset_fingerprint;
  json["history_digest"] = history_digest;
  return json;
}

TrainingState parse_training_state(std::string_view text,
                                   const std::string& where) {
  Json json;
  try {
    json = parse_strict_json(text);
  } catch (const JsonSyntaxError& error) {
    throw ModelError(where + ": " + describe(error) +
                     "; the file is damaged, so resume from another "
                     "checkpoint");
  }
  JsonFields fields(json, where);
  const std::int64_t version = fields.integer("version", 0);
  if (version != kVersion) {
    fields.fail("has version " + std::to_string(version) +
                ", this program reads version " + std::to_string(kVersion));
  }
  TrainingState state;
  state.step = fields.integer("step", 0);
  state.updates = fields.integer("updates", 0);
  state.epoch = fields.integer("epoch", 0);
  state.step_in_epoch = fields.integer("step_in_epoch", 0);
  state.documents = fields.integer("documents", 0);
  state.tokens = fields.integer("tokens", 0);
  state.total_steps = fields.integer("total_steps", 0);
  state.seed = fields.integer("seed", std::numeric_limits<std::int64_t>::min());
  state.loss_scale = fields.number_or_null("loss_scale");
  state.best_model = fields.object_or_null("best_model");
  state.options_digest = fields.text("options_digest");
  state.dataset_fingerprint = fields.text("dataset_fingerprint");
  state.history_digest = fields.text("history_digest");
  fields.finish();
  check_together(state, fields);
  return state;
}

}  // namespace longformer
