// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "longformer/train/rank_load.h"

namespace longformer {

/// Where a run stands after an optimizer step.
struct ProgressUpdate {
  std::int64_t step = 0;  ///< Optimizer steps done, from 1.
  double epoch = 0;       ///< Passes over the data, with fraction.
  double loss = 0;
  double learning_rate = 0;
  std::int64_t tokens = 0;           ///< Of this step alone, on all ranks.
  std::vector<RankLoad> ranks = {};  ///< Of this step; by rank.
};

struct ProgressOptions {
  /// A terminal gets one line that is overwritten; anything else whole lines.
  bool is_terminal = false;
  std::size_t columns = 80;  ///< Width of the terminal, at least 1.
  std::int64_t total_steps = 0;
  /// Steps done before this process started (after a resume).
  std::int64_t first_step = 0;
  /// Least time between two redraws of a terminal's line, or two plain lines.
  double terminal_interval_s = 0.2;
  double plain_interval_s = 10;
};

/// Shows how far training is, in one line:
///
///   step 120/1000  12%  loss 0.4513  3.1k tokens/s  2m13s left  epoch 1.20 ...
///
/// Of several ranks it also shows how busy each is, what share of the time they
/// wait for data and for each other, and each one's peak of memory:
///
///   ...  busy 97/95%  data 0%  exchange 4%  memory 1.2/1.1G ...
///
/// The loss and these are means since the line before; speed and time left are
/// those of the last minute. The first step and the last one are always shown.
///
/// Threads: all functions may be called from any thread.
class ProgressDisplay {
 public:
  /// `write` receives, on a terminal, text with control characters to be
  /// written as it is; otherwise whole lines without a newline (log_info).
  /// `clock` gives seconds that never go back; by default a steady clock.
  ProgressDisplay(ProgressOptions options,
                  std::function<void(std::string_view)> write,
                  std::function<double()> clock = {});

  void update(const ProgressUpdate& update);
  /// Removes the line from the terminal, so that other text may be written; it
  /// is drawn again at the next update. No effect on plain output.
  void clear();

 private:
  struct Sample {
    double time_s;
    std::int64_t step;
    std::int64_t tokens;  ///< Since the start of the process.
  };

  std::string line(const ProgressUpdate& update) const;
  std::string ranks_text() const;
  void remember(double now);

  ProgressOptions options_;
  std::function<void(std::string_view)> write_;
  std::function<double()> clock_;
  std::mutex mutex_;
  std::deque<Sample> samples_;
  std::int64_t step_ = 0;
  std::int64_t tokens_ = 0;
  double loss_sum_ = 0;
  std::int64_t loss_count_ = 0;
  std::vector<RankLoad> ranks_;  ///< Sums and peaks.
  double last_shown_s_ = 0;
  bool is_shown_ = false;  ///< A line stands on the terminal.
};

/// "48s", "2m13s", "3h07m", "2d04h"; not negative.
std::string format_duration(double seconds);

}  // namespace longformer
