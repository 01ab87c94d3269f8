// SPDX-License-Identifier: MIT
#include "longformer/base/threads.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <fstream>
#include <limits>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace longformer {
namespace {

/// The CPU quota of the cgroup (version 2) in processors; infinity if none.
double cgroup_quota() {
  std::ifstream file("/sys/fs/cgroup/cpu.max");
  std::string quota;
  double period = 0;
  if (!(file >> quota >> period) || quota == "max" || period <= 0) {
    return std::numeric_limits<double>::infinity();
  }
  try {
    return std::stod(quota) / period;
  } catch (const std::exception&) {
    return std::numeric_limits<double>::infinity();
  }
}

}  // namespace

int available_threads() {
  cpu_set_t set;
  CPU_ZERO(&set);
  int count = static_cast<int>(std::thread::hardware_concurrency());
  if (sched_getaffinity(0, sizeof(set), &set) == 0) count = CPU_COUNT(&set);
  const double quota = cgroup_quota();
  if (quota < count) count = static_cast<int>(std::ceil(quota));
  return std::max(count, 1);
}

void parallel_parts(
    std::int64_t count, std::int64_t grain, int threads,
    const std::function<void(std::int64_t begin, std::int64_t end)>& body) {
  if (count <= 0) return;
  grain = std::max<std::int64_t>(grain, 1);
  const std::int64_t parts = (count + grain - 1) / grain;
  const int workers =
      static_cast<int>(std::min<std::int64_t>(parts, std::max(threads, 1)));
  if (workers == 1) {
    body(0, count);
    return;
  }
  std::atomic<std::int64_t> next{0};
  std::mutex mutex;
  std::exception_ptr first_error;
  std::int64_t first_error_part = parts;
  const auto work = [&] {
    for (std::int64_t part = next++; part < parts; part = next++) {
      try {
        body(part * grain, std::min(count, (part + 1) * grain));
      } catch (...) {
        const std::lock_guard<std::mutex> lock(mutex);
        if (part < first_error_part) {
          first_error_part = part;
          first_error = std::current_exception();
        }
        next = parts;  // Nobody starts another part.
      }
    }
  };
  std::vector<std::jthread> pool;
  for (int i = 1; i < workers; ++i) pool.emplace_back(work);
  work();
  pool.clear();  // Joins.
  if (first_error) std::rethrow_exception(first_error);
}

}  // namespace longformer
