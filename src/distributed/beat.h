// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace longformer {

/// What a rank says of itself in the store that all ranks share.
struct Beat {
  enum class Kind {
    kAlive,
    kFailed,   ///< `message` says why; its last one.
    kVerdict,  ///< `message` says which other rank is lost; its last one.
    kLeft,     ///< It has finished; its last one.
  };
  std::int64_t count = 0;     ///< Beats so far: each differs from the last.
  std::int64_t turn = 0;      ///< Activities begun so far.
  std::int64_t arrivals = 0;  ///< Heartbeat::await_all() calls so far.
  Kind kind = Kind::kAlive;
  std::int64_t process = 0;  ///< Its number, among those of `place`.
  std::string place;         ///< The same for processes that see each other.
  std::string activity;      ///< On one line.
  std::string message;

  bool operator==(const Beat&) const = default;
};

/// Of this process.
Beat first_beat();
/// Whether the process that sent `other` has ended, as far as whoever sent
/// `own` can see it: they have to be on one host.
bool has_ended(const Beat& other, const Beat& own);

std::string to_text(const Beat& beat);
/// Nothing if to_text() did not write it.
std::optional<Beat> parse_beat(const std::string& text);

}  // namespace longformer
