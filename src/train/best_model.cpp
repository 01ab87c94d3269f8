// SPDX-License-Identifier: MIT
#include "longformer/train/best_model.h"

#include <cmath>
#include <utility>

#include "longformer/base/error.h"

#include "json_fields.h"

namespace longformer {

BestModel::BestModel(std::string metric, bool larger_is_better,
                     std::int64_t patience)
    : metric_(std::move(metric)),
      larger_is_better_(larger_is_better),
      patience_(patience) {}

bool BestModel::observe(std::int64_t step, std::optional<double> value) {
  const bool is_number = value && std::isfinite(*value);
  const bool is_best =
      is_number &&
      (!best_value_ ||
       (larger_is_better_ ? *value > *best_value_ : *value < *best_value_));
  if (!is_best) {
    ++without_improvement_;
    return false;
  }
  best_value_ = value;
  best_step_ = step;
  without_improvement_ = 0;
  return true;
}

bool BestModel::should_stop() const {
  return patience_ > 0 && without_improvement_ >= patience_;
}

Json BestModel::to_json() const {
  Json state = Json::object();
  state["metric"] = metric_;
  state["best_value"] = best_value_ ? Json(*best_value_) : Json(nullptr);
  state["best_step"] = best_step_ ? Json(*best_step_) : Json(nullptr);
  state["validations_without_improvement"] = without_improvement_;
  return state;
}

void BestModel::restore(const Json& state, const std::string& where) {
  JsonFields fields(state, where);
  const std::string metric = fields.text("metric");
  const std::optional<double> value = fields.number_or_null("best_value");
  const std::optional<std::int64_t> step =
      fields.integer_or_null("best_step", 0);
  const std::int64_t without =
      fields.integer("validations_without_improvement", 0);
  fields.finish();
  if (value.has_value() != step.has_value()) {
    fields.fail("only one of \"best_value\" and \"best_step\" is null");
  }
  if (metric != metric_) {
    throw ConfigError(where + ": the run chose its best model by " + metric +
                      ", now best_metric is " + metric_ +
                      "; resume with best_metric = " + metric +
                      ", or start a new run");
  }
  best_value_ = value;
  best_step_ = step;
  without_improvement_ = without;
}

}  // namespace longformer
