// SPDX-License-Identifier: MIT
#include "longformer/train/counting_allocator.h"

#include <unistd.h>

#include <fstream>
#include <random>
#include <thread>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

namespace longformer::test {
namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;

class CountingAllocatorTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { CountingAllocator::install(); }
  void SetUp() override {
    CountingAllocator::release_cached();
    CountingAllocator::reset_peak();
  }
  void TearDown() override {
    CountingAllocator::set_limit(CountingAllocator::kNoLimit);
    CountingAllocator::fail_at(0);
  }

  static at::Tensor bytes(std::int64_t count) {
    return at::empty({count}, at::TensorOptions(at::kByte));
  }
  static std::int64_t in_use() {
    return CountingAllocator::statistics().current_bytes;
  }
};

TEST_F(CountingAllocatorTest, CountsWhatTensorsTake) {
  const std::int64_t before = in_use();
  {
    const at::Tensor tensor = bytes(10 * kMiB);
    const std::int64_t taken = in_use() - before;
    EXPECT_GE(taken, 10 * kMiB);
    EXPECT_LE(taken, 10 * kMiB * 9 / 8 + 64);
    EXPECT_GE(CountingAllocator::statistics().largest_bytes, 10 * kMiB);
  }
  EXPECT_EQ(in_use(), before);
}

TEST_F(CountingAllocatorTest, ThePeakIsThatOfTensorsAliveTogether) {
  const std::int64_t before = in_use();
  for (int i = 0; i < 3; ++i) bytes(8 * kMiB);
  const std::int64_t one_by_one =
      CountingAllocator::statistics().peak_bytes - before;
  EXPECT_LT(one_by_one, 10 * kMiB);
  {
    const at::Tensor first = bytes(8 * kMiB);
    const at::Tensor second = bytes(8 * kMiB);
  }
  EXPECT_GE(CountingAllocator::statistics().peak_bytes - before, 16 * kMiB);
  CountingAllocator::reset_peak();
  const AllocatorStatistics after = CountingAllocator::statistics();
  EXPECT_EQ(after.peak_bytes, after.current_bytes);
  EXPECT_EQ(after.largest_bytes, 0);
}

TEST_F(CountingAllocatorTest, FreedBlocksAreUsedAgain) {
  const void* address = nullptr;
  {
    const at::Tensor tensor = bytes(5 * kMiB);
    address = tensor.const_data_ptr();
  }
  EXPECT_GE(CountingAllocator::statistics().cached_bytes, 5 * kMiB);
  const at::Tensor next = bytes(5 * kMiB);
  EXPECT_EQ(next.const_data_ptr(), address);
}

TEST_F(CountingAllocatorTest, ALargeBlockServesWhatIsLittleSmaller) {
  const void* address = nullptr;
  {
    const at::Tensor tensor = bytes(10 * kMiB);
    address = tensor.const_data_ptr();
  }
  const std::int64_t before = in_use();
  {
    const at::Tensor much_smaller = bytes(6 * kMiB);
    EXPECT_NE(much_smaller.const_data_ptr(), address);
    const at::Tensor smaller = bytes(9 * kMiB);
    EXPECT_EQ(smaller.const_data_ptr(), address);
    // Counted is what was asked for, so that a run's figures do not depend on
    // what happened to be kept.
    EXPECT_LE(in_use() - before, 15 * kMiB * 9 / 8 + 128);
  }
  EXPECT_EQ(in_use(), before);
  const at::Tensor again = bytes(10 * kMiB);
  EXPECT_EQ(again.const_data_ptr(), address);
}

TEST_F(CountingAllocatorTest, ReleasingGivesTheCacheBackToTheSystem) {
  bytes(5 * kMiB);
  CountingAllocator::release_cached();
  EXPECT_EQ(CountingAllocator::statistics().cached_bytes, 0);
}

TEST_F(CountingAllocatorTest, TheCacheIsBoundedWhenEverySizeIsNew) {
  for (std::int64_t i = 1; i <= 60; ++i) bytes(i * 8 * kMiB / 7);
  const AllocatorStatistics statistics = CountingAllocator::statistics();
  EXPECT_LE(statistics.cached_bytes,
            std::max(statistics.peak_bytes, 64 * kMiB));
}

std::int64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::int64_t total = 0;
  std::int64_t resident = 0;
  file >> total >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

// A training run whose steps had a peak of 0.2 GiB grew to 3.6 GiB: blocks of
// ever new sizes left gaps in the heap.
TEST_F(CountingAllocatorTest, StepsOfEverNewSizesStayNearTheirPeak) {
  at::set_num_threads(1);
  std::mt19937 random(3);
  const std::int64_t before = resident_bytes();
  std::vector<at::Tensor> lasting;
  std::int64_t peak = 0;
  for (int step = 0; step < 50; ++step) {
    CountingAllocator::reset_peak();
    const std::int64_t tokens = 1000 + random() % 20000;
    std::vector<at::Tensor> saved;
    for (int i = 0; i < 12; ++i) {
      saved.push_back(bytes(tokens * 64 * (1 + i % 4)).fill_(1));
      bytes(tokens * 64 * (1 + random() % 3)).fill_(1);
    }
    lasting.push_back(bytes(2000).fill_(1));
    while (!saved.empty()) {
      bytes(tokens * 128).fill_(1);
      saved.erase(saved.begin() +
                  static_cast<std::ptrdiff_t>(random() % saved.size()));
    }
    peak = std::max(peak, CountingAllocator::statistics().peak_bytes);
  }
  // 64 MiB may always be kept.
  EXPECT_LE(resident_bytes() - before,
            std::max(peak, 64 * kMiB) * 5 / 4 + 32 * kMiB);
}

TEST_F(CountingAllocatorTest, RefusesWhatPassesTheLimit) {
  CountingAllocator::set_limit(in_use() + 20 * kMiB);
  const at::Tensor fits = bytes(10 * kMiB);
  const std::int64_t before = in_use();
  try {
    bytes(15 * kMiB);
    FAIL() << "not refused";
  } catch (const c10::OutOfMemoryError& error) {
    EXPECT_NE(std::string(error.what()).find(std::to_string(15 * kMiB)),
              std::string::npos);
  }
  EXPECT_EQ(in_use(), before);
  EXPECT_NO_THROW(bytes(8 * kMiB));
}

TEST_F(CountingAllocatorTest, TheCacheDoesNotCountAgainstTheLimit) {
  CountingAllocator::set_limit(in_use() + 20 * kMiB);
  bytes(16 * kMiB);
  EXPECT_NO_THROW(bytes(17 * kMiB));
  EXPECT_LE(in_use() + CountingAllocator::statistics().cached_bytes,
            in_use() + 20 * kMiB);
}

TEST_F(CountingAllocatorTest, SmallAllocationsPassAnyLimit) {
  CountingAllocator::set_limit(0);
  EXPECT_NO_THROW(bytes(CountingAllocator::kAlwaysGranted));
  EXPECT_THROW(bytes(CountingAllocator::kAlwaysGranted + 1),
               c10::OutOfMemoryError);
}

TEST_F(CountingAllocatorTest, FailsAtTheAskedForAllocationAndOnlyThere) {
  CountingAllocator::fail_at(3);
  EXPECT_NO_THROW(bytes(kMiB));
  EXPECT_NO_THROW(bytes(100));  // Not counted: small.
  EXPECT_NO_THROW(bytes(kMiB));
  EXPECT_THROW(bytes(kMiB), c10::OutOfMemoryError);
  EXPECT_NO_THROW(bytes(kMiB));
}

TEST_F(CountingAllocatorTest, DataIsAlignedForTheWidestVectors) {
  for (const std::int64_t size : {1, 63, 64, 500, 4097, 100003}) {
    const at::Tensor tensor = bytes(size);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(tensor.const_data_ptr()) % 64,
              0U);
  }
}

TEST_F(CountingAllocatorTest, EmptyTensorsTakeNothing) {
  const std::int64_t before = in_use();
  const at::Tensor tensor = bytes(0);
  EXPECT_EQ(in_use(), before);
}

TEST_F(CountingAllocatorTest, ResizingKeepsTheContent) {
  at::Tensor tensor = at::arange(1000);
  tensor.resize_({500000});
  EXPECT_TRUE(at::equal(tensor.slice(0, 0, 1000), at::arange(1000)));
}

TEST_F(CountingAllocatorTest, ThreadsMayAllocateAndFreeForEachOther) {
  const std::int64_t before = in_use();
  std::vector<std::thread> threads;
  std::vector<at::Tensor> handed_over(4);
  for (std::size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (std::int64_t i = 1; i < 300; ++i) {
        const at::Tensor tensor = at::full({i * 37}, static_cast<double>(t));
        ASSERT_EQ(tensor[-1].item<double>(), static_cast<double>(t));
        if (i == 150) handed_over[t] = tensor;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  handed_over.clear();
  EXPECT_EQ(in_use(), before);
}

}  // namespace
}  // namespace longformer::test
