// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "longformer/train/metrics_report.h"

namespace longformer {

/// Lines for platforms that find metrics in a program's output by regular
/// expressions (SageMaker's MetricDefinitions):
///
///   metric train_loss=0.1234 step=100
///
/// One metric a line; plain decimal numbers without exponents, no colours. The
/// form is a promise: users write expressions for it.
///
/// Threads: from one thread at a time.
class MetricLines {
 public:
  /// `print` takes whole lines with their newline; empty: nothing is made.
  /// `total_steps`: of the run; its last step is always reported.
  MetricLines(std::function<void(std::string_view)> print,
              std::int64_t total_steps);

  /// A step of training that ended at `time_s` (seconds of a clock that never
  /// goes back). Reports train_loss (the mean since the report before),
  /// learning_rate and tokens_per_second at the first and the last step, and
  /// else every ten seconds.
  void add_step(std::int64_t step, double loss, double learning_rate,
                std::int64_t tokens, double time_s);

  /// Every number of a report, as "<data>_<name>".
  void add_report(std::string_view data, std::int64_t step,
                  const MetricsReport& report);

 private:
  void line(std::string_view name, double value, std::int64_t step);

  std::function<void(std::string_view)> print_;
  std::int64_t total_steps_;
  std::int64_t count_ = 0;  ///< Steps since the last report.
  double loss_sum_ = 0;
  std::int64_t tokens_ = 0;
  double reported_s_ = 0;
  bool has_reported_ = false;
};

}  // namespace longformer
