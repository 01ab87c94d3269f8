// SPDX-License-Identifier: MIT
#include "beat.h"

#include <unistd.h>

#include <array>
#include <fstream>
#include <sstream>

namespace longformer {
namespace {

/// This boot of this host, and the name space of process numbers: containers
/// have their own.
std::string place_of_this_process() {
  std::string place;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> place;
  std::array<char, 64> space{};
  const ssize_t size =
      readlink("/proc/self/ns/pid", space.data(), space.size());
  if (place.empty() || size <= 0) return "";
  return place + "/" +
         std::string(space.data(), static_cast<std::size_t>(size));
}

/// A process that has ended stays until its parent has looked at it.
bool is_running(std::int64_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string text;
  // The name, in brackets, may hold anything.
  if (!std::getline(file, text)) return false;
  const std::size_t end = text.rfind(')');
  return end != std::string::npos && end + 2 < text.size() &&
         text[end + 2] != 'Z' && text[end + 2] != 'X';
}

}  // namespace

Beat first_beat() {
  Beat beat;
  beat.process = getpid();
  beat.place = place_of_this_process();
  beat.activity = "the start";
  return beat;
}

bool has_ended(const Beat& other, const Beat& own) {
  return !own.place.empty() && other.place == own.place &&
         !is_running(other.process);
}

std::string to_text(const Beat& beat) {
  return std::to_string(beat.count) + " " + std::to_string(beat.turn) + " " +
         std::to_string(beat.arrivals) + " " +
         std::to_string(static_cast<int>(beat.kind)) + " " +
         std::to_string(beat.process) + " /" + beat.place + " " +
         beat.activity + "\n" + beat.message;
}

std::optional<Beat> parse_beat(const std::string& text) {
  std::istringstream stream(text);
  Beat beat;
  int kind = 0;
  stream >> beat.count >> beat.turn >> beat.arrivals >> kind >> beat.process >>
      beat.place;
  if (!stream || beat.place[0] != '/' || stream.get() != ' ' || kind < 0 ||
      kind > static_cast<int>(Beat::Kind::kLeft)) {
    return std::nullopt;
  }
  beat.place.erase(0, 1);
  beat.kind = static_cast<Beat::Kind>(kind);
  if (!std::getline(stream, beat.activity)) return std::nullopt;
  std::ostringstream rest;
  rest << stream.rdbuf();
  beat.message = rest.str();
  return beat;
}

}  // namespace longformer
