// SPDX-License-Identifier: MIT
#include "slurm_lists.h"

#include "launch_variables.h"

namespace longformer {
namespace {

/// "03" of "03-05,9"; "" if it does not begin with a digit.
std::string_view first_number(std::string_view ranges) {
  const std::size_t end = ranges.find_first_not_of("0123456789");
  if (end != std::string_view::npos && ranges[end] != '-' &&
      ranges[end] != ',') {
    return {};
  }
  return ranges.substr(0, end);
}

}  // namespace

std::optional<std::string> first_slurm_host(std::string_view list) {
  std::string host;
  while (!list.empty() && list.front() != ',') {
    if (list.front() != '[') {
      host += list.front();
      list.remove_prefix(1);
      continue;
    }
    const std::size_t end = list.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view number = first_number(list.substr(1, end - 1));
    if (number.empty()) return std::nullopt;
    host += number;
    list.remove_prefix(end + 1);
  }
  if (host.empty() || host.find_first_of(" ]") != std::string::npos) {
    return std::nullopt;
  }
  return host;
}

std::optional<int> slurm_tasks_of_node(std::string_view list, int node) {
  for (;;) {
    const std::size_t comma = list.find(',');
    std::string_view item = list.substr(0, comma);
    int repeats = 1;
    const std::size_t open = item.find("(x");
    if (open != std::string_view::npos) {
      if (!item.ends_with(')')) return std::nullopt;
      const auto count = whole_number(
          item.substr(open + 2, item.size() - open - 3), 1, kMaxProcesses);
      if (!count) return std::nullopt;
      repeats = *count;
      item = item.substr(0, open);
    }
    const auto tasks = whole_number(item, 1, kMaxProcesses);
    if (!tasks) return std::nullopt;
    if (node < repeats) return tasks;
    node -= repeats;
    if (comma == std::string_view::npos) return std::nullopt;
    list.remove_prefix(comma + 1);
  }
}

}  // namespace longformer
