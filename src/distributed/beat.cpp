// SPDX-License-Identifier: MIT
#include "beat.h"

#include <sstream>

namespace longformer {

std::string to_text(const Beat& beat) {
  return std::to_string(beat.count) + " " + std::to_string(beat.turn) + " " +
         std::to_string(beat.arrivals) + " " +
         std::to_string(static_cast<int>(beat.kind)) + " " + beat.activity +
         "\n" + beat.message;
}

std::optional<Beat> parse_beat(const std::string& text) {
  std::istringstream stream(text);
  Beat beat;
  int kind = 0;
  stream >> beat.count >> beat.turn >> beat.arrivals >> kind;
  if (!stream || stream.get() != ' ' || kind < 0 ||
      kind > static_cast<int>(Beat::Kind::kLeft)) {
    return std::nullopt;
  }
  beat.kind = static_cast<Beat::Kind>(kind);
  if (!std::getline(stream, beat.activity)) return std::nullopt;
  std::ostringstream rest;
  rest << stream.rdbuf();
  beat.message = rest.str();
  return beat;
}

}  // namespace longformer
