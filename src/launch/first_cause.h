// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "longformer/launch/process_group_parent.h"

namespace longformer {

/// Chooses among the failures of a group, told in the order in which they were
/// seen, the one that the others follow from.
class FirstCause {
 public:
  /// A failure of a process's own. Returns whether it is the cause so far.
  bool add(RankFailure failure);
  /// What a process said that ended because of the cause.
  void add_witness(const RankFailure& failure);
  /// A process that ended with 0, for which others may have waited in vain.
  void add_success(int rank);

  bool has_cause() const { return cause_.has_value(); }
  /// Whether the cause so far only says that another process failed.
  bool is_second_hand() const;
  /// With a hint at processes that left before.
  RankFailure cause() const;

 private:
  std::optional<RankFailure> cause_;
  std::string left_before_;
};

/// The last line that is not blank of what a log holds from byte `start` on;
/// "" if there is none or the log cannot be read.
std::string last_line(const std::string& path, std::int64_t start);

}  // namespace longformer
