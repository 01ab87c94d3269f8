// SPDX-License-Identifier: MIT
#include "windows.h"

#include <algorithm>
#include <string>
#include <utility>

#include "longformer/base/error.h"

namespace longformer {
namespace {

/// Windows of a pair are all combinations of both texts' windows.
constexpr std::size_t kMostWindows = 1'000'000;

[[noreturn]] void refuse(const EncodeSettings& settings,
                         const std::string& reason) {
  throw ConfigError("max_length " + std::to_string(settings.max_length) + ": " +
                    reason);
}

/// How many tokens of each text a window holds.
struct Room {
  std::size_t first = 0;
  std::size_t second = 0;
};

/// The shorter text stays whole if it fits into half of the room.
Room share_room(std::size_t first, std::size_t second, std::size_t room) {
  const bool swapped = first > second;
  std::size_t shorter = std::min(first, second);
  std::size_t longer =
      shorter > room ? shorter : std::max(shorter, room - shorter);
  if (shorter + longer > room) {
    shorter = room / 2;
    longer = shorter + room % 2;
  }
  return swapped ? Room{longer, shorter} : Room{shorter, longer};
}

Room allot(std::size_t first, std::optional<std::size_t> second,
           std::size_t room, const EncodeSettings& settings) {
  const std::size_t to_remove = first + second.value_or(0) - room;
  switch (settings.truncation) {
    case Truncation::kLongestFirst:
      return second ? share_room(first, *second, room) : Room{room, 0};
    case Truncation::kOnlyFirst:
      if (first <= to_remove) {
        refuse(settings, "the second text (" +
                             std::to_string(second.value_or(0)) +
                             " tokens) alone fills it, and only the first may "
                             "be cut; cut the longest first, or allow more");
      }
      return {first - to_remove, second.value_or(0)};
    case Truncation::kOnlySecond:
      break;
  }
  if (!second) {
    refuse(settings,
           "only the second text may be cut, but there is none, and the first "
           "has " +
               std::to_string(first) + " tokens");
  }
  if (*second <= to_remove) {
    refuse(settings, "the first text (" + std::to_string(first) +
                         " tokens) alone fills it, and only the second may be "
                         "cut; cut the longest first, or allow more");
  }
  return {first, *second - to_remove};
}

/// Ranges of at most `room` tokens, each starting `stride` tokens before the
/// end of the one before.
std::vector<TokenRange> cut(std::size_t size, std::size_t room,
                            const EncodeSettings& settings, bool first_only) {
  if (size <= room) return {{0, size}};
  if (room == 0) {
    refuse(settings, "leaves no room for text beside the special tokens");
  }
  if (first_only) return {{0, room}};
  const auto stride = static_cast<std::size_t>(settings.stride);
  if (stride >= room) {
    refuse(settings, "stride " + std::to_string(stride) +
                         " must be smaller than the " + std::to_string(room) +
                         " tokens that are left for text");
  }
  std::vector<TokenRange> ranges;
  std::size_t begin = 0;
  while (true) {
    const std::size_t end = std::min(begin + room, size);
    ranges.push_back({begin, end});
    if (end == size) return ranges;
    begin += room - stride;
  }
}

}  // namespace

WindowPlan plan_windows(std::size_t first_size,
                        std::optional<std::size_t> second_size,
                        std::size_t special_tokens,
                        const EncodeSettings& settings, bool first_only) {
  const std::size_t total = first_size + second_size.value_or(0);
  if (settings.max_length < 0 || settings.stride < 0) {
    refuse(settings, "neither it nor stride may be negative");
  }
  const auto limit = static_cast<std::size_t>(settings.max_length);
  if (limit == 0 || total + special_tokens <= limit) {
    return {{{{0, first_size}, {0, second_size.value_or(0)}}}, false};
  }
  if (limit < special_tokens || (limit == special_tokens && total > 0)) {
    refuse(settings, "the " + std::to_string(special_tokens) +
                         " special tokens leave no room for text");
  }
  const Room room =
      allot(first_size, second_size, limit - special_tokens, settings);
  const auto first = cut(first_size, room.first, settings, first_only);
  const auto second =
      cut(second_size.value_or(0), room.second, settings, first_only);
  if (first.size() > kMostWindows / second.size()) {
    refuse(settings, "the pair would give " + std::to_string(first.size()) +
                         " x " + std::to_string(second.size()) +
                         " windows; cut only one of the texts");
  }
  WindowPlan plan{{{first[0], second[0]}}, true};
  for (std::size_t i = 1; i < first.size(); ++i) {
    for (const TokenRange& range : second) {
      plan.windows.push_back({first[i], range});
    }
  }
  for (std::size_t j = 1; j < second.size(); ++j) {
    plan.windows.push_back({first[0], second[j]});
  }
  return plan;
}

}  // namespace longformer
