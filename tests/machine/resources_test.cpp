// SPDX-License-Identifier: MIT
#include "longformer/machine/resources.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/temp_dir.h"

namespace longformer::test {
namespace {

TEST(ResourcesTest, AFolderThatDoesNotExistIsTriedAtItsNearestParent) {
  const TempDir directory;
  const std::string path = directory / "runs/first";
  const Folder folder = examine_folder("output_dir", path);
  EXPECT_EQ(folder.problem, "");
  EXPECT_EQ(folder.path, path);
  EXPECT_GT(folder.free_bytes, 0U);
  EXPECT_TRUE(std::filesystem::is_empty(directory.path()));
}

TEST(ResourcesTest, WhatCannotHoldFilesIsNamed) {
  const TempDir directory;
  const std::string file = directory.write("file", "x");
  EXPECT_THAT(examine_folder("output_dir", file + "/run").problem,
              testing::HasSubstr("file is no folder"));
  // Nobody, root included, makes files there.
  EXPECT_NE(examine_folder("TMPDIR", "/proc").problem, "");
}

TEST(ResourcesTest, AProcessHasFilesAndCores) {
  const Resources resources = measure_resources();
  EXPECT_GT(resources.open_files, 0U);
  EXPECT_GE(resources.open_files_possible, resources.open_files);
  EXPECT_GE(resources.threads, 1);
}

}  // namespace
}  // namespace longformer::test
