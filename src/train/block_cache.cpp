// SPDX-License-Identifier: MIT
#include "block_cache.h"

#include <sys/mman.h>

#include <cstdlib>

namespace longformer {
namespace {

/// Pages this large save most of the page faults, which took a third of the
/// time of a training step.
constexpr std::size_t kHugePage = std::size_t{2} << 20;

void give_to_system(void* block, std::size_t bytes) {
  if (bytes >= BlockCache::kLeastMapped) {
    munmap(block, bytes);
  } else {
    std::free(block);
  }
}

}  // namespace

CachedBlock BlockCache::take(std::size_t bytes) {
  BlocksOfOneSize& wanted = by_size_[bytes];
  wanted.last_taken = ++takes_;
  if (wanted.blocks.empty() && bytes < kLeastMapped) return {};
  const std::size_t most = bytes + bytes / 4;
  for (auto i = by_size_.find(bytes); i != by_size_.end(); ++i) {
    auto& [size, same] = *i;
    if (size > most) break;
    if (same.blocks.empty()) continue;
    void* block = same.blocks.back();
    same.blocks.pop_back();
    same.last_taken = takes_;
    bytes_ -= size;
    return {block, size};
  }
  return {};
}

void BlockCache::keep(const CachedBlock& block) {
  by_size_[block.bytes].blocks.push_back(block.data);
  bytes_ += block.bytes;
}

void BlockCache::shrink_to(std::size_t bytes) {
  while (bytes_ > bytes) {
    auto oldest = by_size_.end();
    for (auto i = by_size_.begin(); i != by_size_.end(); ++i) {
      if (i->second.blocks.empty()) continue;
      if (oldest == by_size_.end() ||
          i->second.last_taken < oldest->second.last_taken) {
        oldest = i;
      }
    }
    auto& [size, same] = *oldest;
    while (bytes_ > bytes && !same.blocks.empty()) {
      give_to_system(same.blocks.back(), size);
      same.blocks.pop_back();
      bytes_ -= size;
    }
  }
}

void* BlockCache::allocate(std::size_t bytes) {
  if (bytes >= kLeastMapped) {
    void* block = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED) return nullptr;
    if (bytes >= kHugePage) {
      madvise(static_cast<std::byte*>(block) + kSmallPage, bytes - kSmallPage,
              MADV_HUGEPAGE);
    }
    return block;
  }
  void* block = nullptr;
  return posix_memalign(&block, 64, bytes) == 0 ? block : nullptr;
}

}  // namespace longformer
