// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace longformer {

/// A block and its size; `data` is null if there is none.
struct CachedBlock {
  void* data = nullptr;
  std::size_t bytes = 0;
};

/// Blocks of memory that were freed and wait to be used again.
///
/// Blocks from kLeastMapped bytes on are mappings of their own: between the
/// blocks of a heap, whose sizes differ with every packed batch, gaps would
/// stay that nothing fits into (17 times the peak was measured).
///
/// Threads: the caller locks.
class BlockCache {
 public:
  static constexpr std::size_t kLeastMapped = std::size_t{1} << 20;
  /// The first page of a mapping stays small, so that a header in it does not
  /// take a large page from a tensor that nobody touches.
  static constexpr std::size_t kSmallPage = 4096;

  /// A kept block of `bytes`, a mapped one of up to a quarter more; none if
  /// there is no such.
  CachedBlock take(std::size_t bytes);
  void keep(const CachedBlock& block);
  std::size_t bytes() const { return bytes_; }

  /// Gives blocks back to the system, those first whose size was not asked for
  /// the longest, until at most `bytes` are kept.
  void shrink_to(std::size_t bytes);

  /// New memory, aligned to 64 bytes; null if there is none.
  static void* allocate(std::size_t bytes);

 private:
  struct BlocksOfOneSize {
    std::vector<void*> blocks;
    std::uint64_t last_taken = 0;
  };

  std::map<std::size_t, BlocksOfOneSize> by_size_;
  std::size_t bytes_ = 0;
  std::uint64_t takes_ = 0;
};

}  // namespace longformer
