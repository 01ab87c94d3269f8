// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>

namespace longformer {

/// Number of processors this process may use (its CPU affinity and its
/// cgroup's CPU quota), at least 1.
int available_threads();

/// Calls body(begin, end) on up to `threads` threads for consecutive parts of
/// [0, count), each at least `grain` long (the last may be shorter). Parts are
/// handed out in order as threads become free. Returns when all are done; the
/// first exception (in order of the parts) is thrown again here.
///
/// For work without tensors (tokenising, checksums); tensor code uses
/// at::parallel_for.
void parallel_parts(
    std::int64_t count, std::int64_t grain, int threads,
    const std::function<void(std::int64_t begin, std::int64_t end)>& body);

}  // namespace longformer
