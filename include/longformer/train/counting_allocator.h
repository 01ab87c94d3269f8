// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <limits>

namespace longformer {

/// What LibTorch's tensors on the CPU take, in bytes as they are rounded up by
/// the allocator.
struct AllocatorStatistics {
  std::int64_t current_bytes = 0;
  std::int64_t peak_bytes = 0;     ///< Since the last reset_peak().
  std::int64_t largest_bytes = 0;  ///< Largest block since then.
  std::int64_t cached_bytes = 0;   ///< Freed, kept for reuse.
  std::int64_t num_allocations = 0;
};

/// The allocator behind all CPU tensors once installed: counts, keeps freed
/// blocks for reuse (fresh pages cost more than the work done in them), and
/// refuses what would pass a limit instead of letting the kernel kill the
/// process.
///
/// A refusal is c10::OutOfMemoryError. Allocations of up to 4 KiB are never
/// refused: the autograd engine makes some outside of any code that could
/// handle a failure.
///
/// Threads: all functions from any thread, except install().
class CountingAllocator {
 public:
  static constexpr std::int64_t kNoLimit =
      std::numeric_limits<std::int64_t>::max();
  /// Allocations of at most this size pass any limit.
  static constexpr std::int64_t kAlwaysGranted = 4096;

  /// Makes it LibTorch's CPU allocator. Tensors that exist keep their memory.
  static void install();

  static AllocatorStatistics statistics();
  /// peak_bytes becomes current_bytes, largest_bytes 0.
  static void reset_peak();
  /// Bytes that may be in use at one time.
  static void set_limit(std::int64_t bytes);
  /// Returns the cached blocks to the system.
  static void release_cached();

  /// For tests: the n-th allocation above kAlwaysGranted from now (1 = the
  /// next) is refused; 0 switches the injection off.
  static void fail_at(std::int64_t n);
};

}  // namespace longformer
