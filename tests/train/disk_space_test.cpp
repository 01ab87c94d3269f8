// SPDX-License-Identifier: MIT
#include "longformer/train/disk_space.h"

#include <gmock/gmock.h>

#include "longformer/base/error.h"

namespace longformer {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr std::uint64_t kMega = 1'000'000;

DiskNeed need(std::int64_t present) {
  return {.checkpoint_bytes = 300 * kMega,
          .model_bytes = 100 * kMega,
          .kept = 2,
          .present = present};
}

TEST(DiskSpaceTest, RoomForAllThatIsKeptIsEnough) {
  EXPECT_FALSE(check_disk_space("run", 1000 * kMega, need(0)));
  EXPECT_FALSE(check_disk_space("run", 700 * kMega, need(1)));
  // The one that is written before the oldest goes.
  EXPECT_FALSE(check_disk_space("run", 400 * kMega, need(2)));
  EXPECT_FALSE(check_disk_space("run", 400 * kMega, need(7)));
}

TEST(DiskSpaceTest, LessIsWarnedOf) {
  const auto warning = check_disk_space("run", 999 * kMega, need(0));
  ASSERT_TRUE(warning);
  EXPECT_THAT(*warning,
              AllOf(HasSubstr("run: 999.0 MB are free, a checkpoint takes "
                              "300.0 MB and the model 100.0 MB"),
                    HasSubstr("3 more checkpoints will not fit"),
                    HasSubstr("keep_checkpoints (2)")));
}

// SageMaker training toolkit issue 204; open_lm issue 154.
TEST(DiskSpaceTest, NoRoomForTheFirstCheckpointEndsTheRunAtItsStart) {
  for (const std::int64_t present : {0, 2}) {
    EXPECT_THROW(check_disk_space("run", 399 * kMega, need(present)),
                 SystemError);
  }
}

}  // namespace
}  // namespace longformer
