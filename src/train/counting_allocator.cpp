// SPDX-License-Identifier: MIT
#include "longformer/train/counting_allocator.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <mutex>
#include <new>
#include <string>

#include <c10/core/CPUAllocator.h>
#include <c10/util/Exception.h>

#include "block_cache.h"

namespace longformer {
namespace {

/// Stands before the data, so that freeing needs nothing but the pointer.
struct alignas(64) Header {
  std::size_t counted_bytes;
  CachedBlock block;
};
static_assert(sizeof(Header) == 64, "tensor data must stay 64-byte aligned");

class Allocator final : public c10::Allocator {
 public:
  /// Never destroyed: tensors may be freed after main has returned.
  static Allocator& instance() {
    static Allocator* allocator = new Allocator;
    return *allocator;
  }

  c10::DataPtr allocate(std::size_t bytes) override {
    const c10::Device device(c10::DeviceType::CPU);
    if (bytes == 0) return {nullptr, nullptr, &free_block, device};
    const std::size_t block_bytes = size_class(bytes);
    CachedBlock block = take(bytes, block_bytes);
    if (block.data == nullptr) block = fresh(bytes, block_bytes);
    std::byte* data = static_cast<std::byte*>(block.data) + prefix(block.bytes);
    new (data - sizeof(Header)) Header{block_bytes, block};
    return {data, data, &free_block, device};
  }

  c10::DeleterFnPtr raw_deleter() const override { return &free_block; }
  void copy_data(void* destination, const void* source,
                 std::size_t bytes) const override {
    default_copy_data(destination, source, bytes);
  }

  AllocatorStatistics statistics() {
    const std::lock_guard<std::mutex> lock(mutex_);
    AllocatorStatistics now;
    now.current_bytes = static_cast<std::int64_t>(current_);
    now.peak_bytes = static_cast<std::int64_t>(peak_);
    now.largest_bytes = static_cast<std::int64_t>(largest_);
    now.cached_bytes = static_cast<std::int64_t>(cache_.bytes());
    now.num_allocations = num_allocations_;
    return now;
  }
  void reset_peak() {
    const std::lock_guard<std::mutex> lock(mutex_);
    // Follows the peaks of the last steps, so that a step starts with the
    // blocks of the one before.
    recent_peak_ = std::max(peak_, recent_peak_ - recent_peak_ / 16);
    peak_ = current_;
    largest_ = 0;
  }
  void set_limit(std::int64_t bytes) {
    const std::lock_guard<std::mutex> lock(mutex_);
    limit_ = static_cast<std::size_t>(bytes);
  }
  void release_cached() {
    const std::lock_guard<std::mutex> lock(mutex_);
    cache_.shrink_to(0);
  }
  void fail_at(std::int64_t n) {
    const std::lock_guard<std::mutex> lock(mutex_);
    fail_in_ = n;
  }

 private:
  /// Bytes before the data of a block.
  static std::size_t prefix(std::size_t block_bytes) {
    return block_bytes >= BlockCache::kLeastMapped ? BlockCache::kSmallPage
                                                   : sizeof(Header);
  }

  static std::size_t size_class(std::size_t bytes) {
    const std::size_t small = rounded(bytes + sizeof(Header));
    return small < BlockCache::kLeastMapped
               ? small
               : rounded(bytes + BlockCache::kSmallPage);
  }

  /// Eight sizes for every power of two: at most 12.5 % is wasted.
  static std::size_t rounded(std::size_t bytes) {
    if (bytes <= 512) return 512;
    const std::size_t step = std::bit_floor(bytes - 1) / 8;
    return (bytes + step - 1) / step * step;
  }

  static bool is_always_granted(std::size_t bytes) {
    return bytes <= static_cast<std::size_t>(CountingAllocator::kAlwaysGranted);
  }

  [[noreturn]] static void refuse(std::size_t bytes, const std::string& why) {
    TORCH_CHECK_WITH(OutOfMemoryError, false, "out of memory: ", bytes,
                     " bytes wanted, ", why);
    std::abort();  // Not reached; the macro throws.
  }

  /// Counts the allocation; a cached block, or none for a fresh one.
  CachedBlock take(std::size_t bytes, std::size_t block_bytes) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!is_always_granted(bytes)) {
      if (fail_in_ > 0 && --fail_in_ == 0) {
        refuse(bytes, "refused by a test");
      }
      if (current_ + block_bytes > limit_) {
        refuse(bytes, std::to_string(current_) + " in use of a limit of " +
                          std::to_string(limit_));
      }
    }
    ++num_allocations_;
    current_ += block_bytes;
    peak_ = std::max(peak_, current_);
    largest_ = std::max(largest_, block_bytes);
    const CachedBlock block = cache_.take(block_bytes);
    if (block.data == nullptr) bound_cache();
    return block;
  }

  CachedBlock fresh(std::size_t bytes, std::size_t block_bytes) {
    if (void* block = BlockCache::allocate(block_bytes)) {
      return {block, block_bytes};
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    cache_.shrink_to(0);
    if (void* block = BlockCache::allocate(block_bytes)) {
      return {block, block_bytes};
    }
    current_ -= block_bytes;
    refuse(bytes, "the system has no more");
  }

  static void free_block(void* data) {
    if (data == nullptr) return;
    instance().give_back(static_cast<const Header*>(data) - 1);
  }

  void give_back(const Header* header) {
    const std::lock_guard<std::mutex> lock(mutex_);
    current_ -= header->counted_bytes;
    cache_.keep(header->block);
    bound_cache();
  }

  /// Packed batches have a new size every time: without a bound, blocks of
  /// sizes that never return would pile up. Tensors in use and kept blocks
  /// together stay at the peak.
  void bound_cache() {
    const std::size_t bound =
        std::min(limit_, std::max({peak_, recent_peak_, kLeastCache}));
    if (current_ + cache_.bytes() > bound) {
      cache_.shrink_to(bound > current_ ? bound - current_ : 0);
    }
  }

  static constexpr std::size_t kLeastCache = std::size_t{64} << 20;

  std::mutex mutex_;
  BlockCache cache_;
  std::size_t current_ = 0;
  std::size_t peak_ = 0;
  std::size_t recent_peak_ = 0;
  std::size_t largest_ = 0;
  std::size_t limit_ = static_cast<std::size_t>(CountingAllocator::kNoLimit);
  std::int64_t num_allocations_ = 0;
  std::int64_t fail_in_ = 0;
};

}  // namespace

void CountingAllocator::install() {
  c10::SetCPUAllocator(&Allocator::instance(), /*priority=*/100);
}
AllocatorStatistics CountingAllocator::statistics() {
  return Allocator::instance().statistics();
}
void CountingAllocator::reset_peak() { Allocator::instance().reset_peak(); }
void CountingAllocator::set_limit(std::int64_t bytes) {
  Allocator::instance().set_limit(bytes);
}
void CountingAllocator::release_cached() {
  Allocator::instance().release_cached();
}
void CountingAllocator::fail_at(std::int64_t n) {
  Allocator::instance().fail_at(n);
}

}  // namespace longformer
