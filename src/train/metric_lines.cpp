// SPDX-License-Identifier: MIT
#include "longformer/train/metric_lines.h"

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace longformer {
namespace {

constexpr double kIntervalS = 10;

/// The shortest decimal number without an exponent that reads back the same.
std::string plain_number(double value) {
  // The longest one has 1 + 309 digits before or 324 + 17 behind the point.
  std::array<char, 400> text;
  const auto [end, error] = std::to_chars(
      text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  return {text.data(), end};
}

}  // namespace

MetricLines::MetricLines(std::function<void(std::string_view)> print,
                         std::int64_t total_steps)
    : print_(std::move(print)), total_steps_(total_steps) {}

void MetricLines::add_step(std::int64_t step, double loss, double learning_rate,
                           std::int64_t tokens, double time_s) {
  if (!print_) return;
  ++count_;
  loss_sum_ += loss;
  tokens_ += tokens;
  const double seconds = time_s - reported_s_;
  if (has_reported_ && step != total_steps_ && seconds < kIntervalS) return;
  line("train_loss", loss_sum_ / static_cast<double>(count_), step);
  line("learning_rate", learning_rate, step);
  // Of the first step it is not known when it began.
  if (has_reported_ && seconds > 0) {
    line("tokens_per_second",
         std::round(static_cast<double>(tokens_) / seconds), step);
  }
  has_reported_ = true;
  reported_s_ = time_s;
  count_ = 0;
  loss_sum_ = 0;
  tokens_ = 0;
}

void MetricLines::add_report(std::string_view data, std::int64_t step,
                             const MetricsReport& report) {
  if (!print_) return;
  const Json entries = report.to_json();
  for (const auto& [name, entry] : entries.items()) {
    const auto value = report.value(name);
    if (value) line(std::string(data) + "_" + name, *value, step);
  }
}

void MetricLines::line(std::string_view name, double value, std::int64_t step) {
  if (!std::isfinite(value)) return;
  std::string text = "metric ";
  text.append(name).append("=").append(plain_number(value));
  print_(text + " step=" + std::to_string(step) + "\n");
}

}  // namespace longformer
