// SPDX-License-Identifier: MIT
#include "block_cache.h"

#include <sys/mman.h>

#include <cstdlib>

namespace longformer {
namespace {

void give_to_system(void* block, std::size_t bytes) {
  if (bytes >= BlockCache::kLeastMapped) {
    munmap(block, bytes);
  } else {
    std::free(block);
  }
}

}  // namespace

void* BlockCache::take(std::size_t bytes) {
  BlocksOfOneSize& same = by_size_[bytes];
  same.last_taken = ++takes_;
  if (same.blocks.empty()) return nullptr;
  void* block = same.blocks.back();
  same.blocks.pop_back();
  bytes_ -= bytes;
  return block;
}

void BlockCache::keep(void* block, std::size_t bytes) {
  by_size_[bytes].blocks.push_back(block);
  bytes_ += bytes;
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
    return block == MAP_FAILED ? nullptr : block;
  }
  void* block = nullptr;
  return posix_memalign(&block, 64, bytes) == 0 ? block : nullptr;
}

}  // namespace longformer
