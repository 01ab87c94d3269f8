// SPDX-License-Identifier: MIT
#include "partial_name.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "longformer/io/file_system.h"

namespace longformer {
namespace {

constexpr std::string_view kPartialMark = ".partial-";
constexpr std::string_view kOldMark = ".old-";

/// "<digits>-<digits>"
bool is_writer_number(std::string_view text) {
  const std::size_t dash = text.find('-');
  if (dash == 0 || dash == std::string_view::npos || dash + 1 == text.size()) {
    return false;
  }
  return text.find_first_not_of("0123456789-") == std::string_view::npos &&
         text.find('-', dash + 1) == std::string_view::npos;
}

std::optional<Leftover> parse_with_mark(std::string_view file_name,
                                        std::string_view mark,
                                        LeftoverKind kind) {
  const std::size_t at = file_name.rfind(mark);
  if (at == std::string_view::npos || at == 0 ||
      !is_writer_number(file_name.substr(at + mark.size()))) {
    return std::nullopt;
  }
  return Leftover{kind, std::string(file_name.substr(0, at))};
}

}  // namespace

std::string leftover_path(const std::string& target_path, LeftoverKind kind) {
  static std::atomic<unsigned> next_number{0};
  std::string path = target_path;
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  path += kind == LeftoverKind::kPartial ? kPartialMark : kOldMark;
  return path + std::to_string(::getpid()) + "-" +
         std::to_string(next_number++);
}

std::string create_partial(
    const std::string& target_path,
    const std::function<void(const std::string& path)>& create) {
  while (true) {
    std::string path = leftover_path(target_path, LeftoverKind::kPartial);
    try {
      create(path);
      return path;
    } catch (const FileError& error) {
      if (error.error_number() != EEXIST) throw;
    }
  }
}

std::optional<Leftover> parse_leftover(std::string_view file_name) {
  if (auto partial =
          parse_with_mark(file_name, kPartialMark, LeftoverKind::kPartial)) {
    return partial;
  }
  return parse_with_mark(file_name, kOldMark, LeftoverKind::kOld);
}

}  // namespace longformer
