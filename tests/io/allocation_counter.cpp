// SPDX-License-Identifier: MIT
#include "allocation_counter.h"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace longformer::test {
namespace {

std::atomic<std::int64_t> current{0};
std::atomic<std::int64_t> peak{0};

void* counted_new(std::size_t size) {
  void* memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  const auto bytes = static_cast<std::int64_t>(::malloc_usable_size(memory));
  const std::int64_t now = current.fetch_add(bytes) + bytes;
  std::int64_t highest = peak.load();
  while (now > highest && !peak.compare_exchange_weak(highest, now)) {
  }
  return memory;
}

void counted_delete(void* memory) {
  if (memory == nullptr) return;
  current -= static_cast<std::int64_t>(::malloc_usable_size(memory));
  std::free(memory);
}

}  // namespace

std::int64_t allocated_bytes() { return current; }
std::int64_t peak_allocated_bytes() { return peak; }
void reset_peak_allocated_bytes() { peak = current.load(); }

}  // namespace longformer::test

void* operator new(std::size_t size) {
  return longformer::test::counted_new(size);
}
void* operator new[](std::size_t size) {
  return longformer::test::counted_new(size);
}
// The sanitizers bring this one along, where it would not call ours.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  try {
    return longformer::test::counted_new(size);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void operator delete(void* memory) noexcept {
  longformer::test::counted_delete(memory);
}
void operator delete[](void* memory) noexcept {
  longformer::test::counted_delete(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  longformer::test::counted_delete(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  longformer::test::counted_delete(memory);
}
