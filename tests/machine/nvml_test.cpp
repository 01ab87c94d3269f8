// SPDX-License-Identifier: MIT
#include "longformer/machine/nvml.h"

#include <gtest/gtest.h>

namespace longformer {
namespace {

TEST(NvmlTest, KnowsDriverAndLinks) {
  const auto nvml = Nvml::open(FAKE_NVML);
  ASSERT_NE(nvml, nullptr);
  EXPECT_EQ(nvml->driver_version(), "535.129.03");
  EXPECT_TRUE(nvml->joined_by_nvlink("0000:00:1b.0", "0000:00:1c.0"));
  EXPECT_FALSE(nvml->joined_by_nvlink("0000:00:1c.0", "0000:00:1d.0"));
  EXPECT_FALSE(nvml->joined_by_nvlink("0000:00:1b.0", "0000:00:99.0"));
}

TEST(NvmlTest, IsNotNeeded) {
  EXPECT_EQ(Nvml::open("libno-such-library.so"), nullptr);
  // A library without its functions.
  EXPECT_EQ(Nvml::open("libm.so.6"), nullptr);
}

}  // namespace
}  // namespace longformer
