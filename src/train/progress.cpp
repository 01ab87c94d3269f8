// SPDX-License-Identifier: MIT
#include "longformer/train/progress.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace longformer {
namespace {

constexpr double kWindowS = 60;
/// Samples closer than this are not kept: a minute of short steps stays small.
constexpr double kSampleIntervalS = 0.1;
/// Erases from the cursor to the end of the line.
constexpr std::string_view kEraseLine = "\x1b[K";

double steady_seconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

/// "950", "3.1k", "12k", "1.2M".
std::string format_count(double count) {
  const char* unit = "";
  for (const char* larger : {"k", "M", "G"}) {
    if (count < 999.5) break;
    count /= 1000;
    unit = larger;
  }
  const bool has_decimal = *unit != '\0' && count < 9.95;
  return fmt::format("{:.{}f}{}", count, has_decimal ? 1 : 0, unit);
}

std::string format_loss(double loss) {
  return std::abs(loss) < 1e4 ? fmt::format("{:.4f}", loss)
                              : fmt::format("{:.3g}", loss);
}

}  // namespace

std::string format_duration(double seconds) {
  // Beyond a few years, or without an end, the exact number says nothing.
  if (!(seconds < 3.6e8)) return "ages";
  const auto total = static_cast<std::int64_t>(std::max(0.0, seconds) + 0.5);
  const std::int64_t minutes = total / 60;
  const std::int64_t hours = minutes / 60;
  if (total < 60) return fmt::format("{}s", total);
  if (hours < 1) return fmt::format("{}m{:02}s", minutes, total % 60);
  if (hours < 24) return fmt::format("{}h{:02}m", hours, minutes % 60);
  return fmt::format("{}d{:02}h", hours / 24, hours % 24);
}

ProgressDisplay::ProgressDisplay(ProgressOptions options,
                                 std::function<void(std::string_view)> write,
                                 std::function<double()> clock)
    : options_(options),
      write_(std::move(write)),
      clock_(clock ? std::move(clock) : steady_seconds),
      step_(options.first_step) {
  remember(clock_());
}

void ProgressDisplay::remember(double now) {
  // The newest sample is always the current one; between the older ones lies
  // at least the interval.
  const std::size_t count = samples_.size();
  if (count >= 2 && samples_[count - 1].time_s - samples_[count - 2].time_s <
                        kSampleIntervalS) {
    samples_.pop_back();
  }
  samples_.push_back({now, step_, tokens_});
  while (samples_.size() > 2 && samples_[1].time_s <= now - kWindowS) {
    samples_.pop_front();
  }
}

void ProgressDisplay::update(const ProgressUpdate& update) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const double now = clock_();
  step_ = update.step;
  tokens_ += update.tokens;
  loss_sum_ += update.loss;
  ++loss_count_;
  ranks_.resize(update.ranks.size());
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    ranks_[i].compute_seconds += update.ranks[i].compute_seconds;
    ranks_[i].data_seconds += update.ranks[i].data_seconds;
    ranks_[i].exchange_seconds += update.ranks[i].exchange_seconds;
    ranks_[i].peak_memory_bytes = std::max(ranks_[i].peak_memory_bytes,
                                           update.ranks[i].peak_memory_bytes);
  }
  remember(now);
  const double interval = options_.is_terminal ? options_.terminal_interval_s
                                               : options_.plain_interval_s;
  const bool is_last = update.step == options_.total_steps;
  const bool is_first = update.step == options_.first_step + 1;
  if (!is_first && !is_last && now - last_shown_s_ < interval) return;
  std::string text = line(update);
  if (options_.is_terminal) {
    text.resize(std::min(text.size(), options_.columns - 1));
    // The cursor stays at the beginning, where other output may follow.
    text.insert(0, kEraseLine);
    text.insert(0, "\r");
    text += is_last ? "\n" : "\r";
    is_shown_ = !is_last;
  }
  write_(text);
  last_shown_s_ = now;
  loss_sum_ = 0;
  loss_count_ = 0;
  ranks_.clear();
}

std::string ProgressDisplay::line(const ProgressUpdate& update) const {
  std::string text = fmt::format("step {}", update.step);
  const std::int64_t total = options_.total_steps;
  if (total > 0) {
    text += fmt::format("/{}  {:.0f}%", total,
                        std::floor(100.0 * static_cast<double>(update.step) /
                                   static_cast<double>(total)));
  }
  // The most useful first: a narrow terminal cuts the end off.
  text += fmt::format(
      "  loss {}", format_loss(loss_sum_ / static_cast<double>(loss_count_)));
  const Sample& oldest = samples_.front();
  const Sample& newest = samples_.back();
  const double seconds = newest.time_s - oldest.time_s;
  const auto steps = static_cast<double>(newest.step - oldest.step);
  if (seconds > 0 && steps > 0) {
    const auto tokens = static_cast<double>(newest.tokens - oldest.tokens);
    text += fmt::format("  {} tokens/s", format_count(tokens / seconds));
    if (total > update.step) {
      const auto steps_left = static_cast<double>(total - update.step);
      text += fmt::format("  {} left",
                          format_duration(seconds / steps * steps_left));
    }
  }
  if (ranks_.size() > 1) text += ranks_text();
  text += fmt::format("  epoch {:.2f}  lr {:.1e}", update.epoch,
                      update.learning_rate);
  return text;
}

std::string ProgressDisplay::ranks_text() const {
  std::string busy;
  std::string memory;
  RankLoad all;
  for (const RankLoad& rank : ranks_) {
    const char* slash = busy.empty() ? "" : "/";
    busy += fmt::format("{}{:.0f}", slash, 100 * rank.busy());
    memory += slash + format_count(static_cast<double>(rank.peak_memory_bytes));
    all.compute_seconds += rank.compute_seconds;
    all.data_seconds += rank.data_seconds;
    all.exchange_seconds += rank.exchange_seconds;
  }
  const double percent = all.seconds() > 0 ? 100 / all.seconds() : 0;
  return fmt::format("  busy {}%  data {:.0f}%  exchange {:.0f}%  memory {}",
                     busy, percent * all.data_seconds,
                     percent * all.exchange_seconds, memory);
}

void ProgressDisplay::clear() {
  // Without a lock: a plain line is written by the log, which may call this.
  if (!options_.is_terminal) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!is_shown_) return;
  write_("\r" + std::string(kEraseLine));
  is_shown_ = false;
}

}  // namespace longformer
