// SPDX-License-Identifier: MIT
#include "longformer/train/checkpoint_store.h"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longformer/base/error.h"
#include "longformer/base/log.h"
#include "longformer/io/atomic_write.h"
#include "longformer/io/file_system.h"
#include "longformer/train/checkpoint_manifest.h"

#include "support/temp_dir.h"

namespace longformer {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class CheckpointStoreTest : public testing::Test {
 protected:
  CheckpointStoreTest() : store_(root()) {
    set_log_observer([this](LogLevel level, std::string_view message) {
      if (level == LogLevel::kWarning) warnings_.emplace_back(message);
    });
  }
  ~CheckpointStoreTest() override { set_log_observer({}); }

  std::string root() const { return (folder_ / "checkpoints").string(); }
  std::string path(const std::string& name) const {
    return join_path(root(), name);
  }

  std::string save(std::int64_t step) {
    return store_.save(step, [step](const std::string& directory) {
      write_file_atomically(join_path(directory, "model.bin"),
                            std::string(1000, 'm') + std::to_string(step));
      create_directories(join_path(directory, "optimizer"));
      write_file_atomically(join_path(directory, "optimizer/state.bin"), "o");
    });
  }

  std::int64_t newest() const {
    const auto checkpoint = store_.newest_valid();
    return checkpoint ? checkpoint->step : -1;
  }

  /// Changes the file's bytes as `change` says.
  template <class Change>
  void damage(const std::string& file, Change change) {
    std::string bytes = read_file(path(file));
    change(bytes);
    std::ofstream(path(file), std::ios::binary) << bytes;
  }

  test::TempDir folder_;
  CheckpointStore store_;
  std::vector<std::string> warnings_;
};

TEST_F(CheckpointStoreTest, ASavedCheckpointIsFoundWithItsFiles) {
  EXPECT_EQ(save(123), path("step-000123"));
  const auto found = store_.newest_valid();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->step, 123);
  EXPECT_EQ(read_file(join_path(found->directory, "optimizer/state.bin")), "o");
  EXPECT_TRUE(warnings_.empty());
}

TEST_F(CheckpointStoreTest, AnEmptyStoreHasNothing) {
  EXPECT_FALSE(store_.newest_valid());
  EXPECT_TRUE(store_.steps().empty());
  store_.prune(1);
  store_.remove_leftovers();
  store_.set_aside_after(0);
  EXPECT_FALSE(exists(root()));
}

TEST_F(CheckpointStoreTest, TheMostStepsAreNewestEvenWithSevenDigits) {
  save(999'999);
  save(1'000'000);
  save(7);
  EXPECT_EQ(newest(), 1'000'000);
  EXPECT_THAT(store_.steps(), ElementsAre(7, 999'999, 1'000'000));
}

TEST_F(CheckpointStoreTest, AFileShortByOneByteIsSkippedWithAWarning) {
  save(1);
  save(2);
  damage("step-000002/model.bin", [](std::string& b) { b.pop_back(); });
  EXPECT_EQ(newest(), 1);
  ASSERT_EQ(warnings_.size(), 1U);
  EXPECT_THAT(warnings_[0], HasSubstr("step-000002: skipped"));
  EXPECT_THAT(warnings_[0],
              HasSubstr("model.bin has 1000 bytes, the manifest says 1001"));
  EXPECT_TRUE(exists(path("step-000002/optimizer/state.bin")));
}

TEST_F(CheckpointStoreTest, AFlippedBitIsSkippedWithAWarning) {
  save(1);
  save(2);
  damage("step-000002/model.bin", [](std::string& b) { b[500] ^= 1; });
  EXPECT_EQ(newest(), 1);
  ASSERT_EQ(warnings_.size(), 1U);
  EXPECT_THAT(warnings_[0], HasSubstr("model.bin has the digest"));
}

TEST_F(CheckpointStoreTest, AMissingFileOrManifestIsSkippedWithAWarning) {
  save(1);
  save(2);
  save(3);
  remove_tree(path("step-000003/manifest.json"));
  remove_tree(path("step-000002/optimizer"));
  EXPECT_EQ(newest(), 1);
  ASSERT_EQ(warnings_.size(), 2U);
  EXPECT_THAT(warnings_[0], HasSubstr("has no manifest.json"));
  EXPECT_THAT(warnings_[1], HasSubstr("optimizer/state.bin is missing"));
}

TEST_F(CheckpointStoreTest, AnEmptyDirectoryIsSkippedWithAWarning) {
  save(1);
  create_directories(path("step-000009"));
  EXPECT_EQ(newest(), 1);
  EXPECT_EQ(warnings_.size(), 1U);
}

TEST_F(CheckpointStoreTest, ADirectoryUnderTheNameOfAnotherStepIsSkipped) {
  save(1);
  save(2);
  std::filesystem::rename(path("step-000002"), path("step-000005"));
  EXPECT_EQ(newest(), 1);
  ASSERT_EQ(warnings_.size(), 1U);
  EXPECT_THAT(warnings_[0], HasSubstr("its manifest is of step 2"));
}

TEST_F(CheckpointStoreTest, OtherNamesAreNoCheckpoints) {
  save(1);
  for (const char* name : {"step-2", "step-00000002", "step-000002x", "best",
                           "step-000002.superseded", "step--00002", "step-"}) {
    create_directories(path(name));
  }
  std::ofstream(path("step-000003")) << "a file";
  EXPECT_EQ(newest(), 1);
  EXPECT_THAT(store_.steps(), ElementsAre(1));
  EXPECT_TRUE(warnings_.empty());
}

TEST_F(CheckpointStoreTest, AFailureWhileSavingLeavesTheStoreAsItWas) {
  save(1);
  EXPECT_THROW(store_.save(2,
                           [](const std::string& directory) {
                             write_file_atomically(join_path(directory, "a"),
                                                   "a");
                             throw std::runtime_error("out of memory");
                           }),
               std::runtime_error);
  EXPECT_EQ(list_directory(root()).size(), 1U);
  EXPECT_THROW(store_.save(2, [](const std::string&) {}),
               std::invalid_argument);
  EXPECT_EQ(list_directory(root()).size(), 1U);
}

TEST_F(CheckpointStoreTest, SavingAStepAgainReplacesItsCheckpoint) {
  save(4);
  damage("step-000004/model.bin", [](std::string& b) { b.clear(); });
  save(4);
  EXPECT_EQ(newest(), 4);
  EXPECT_TRUE(warnings_.empty());
  EXPECT_EQ(list_directory(root()).size(), 1U);
}

TEST_F(CheckpointStoreTest, ResumeNoneFindsNothingAndAutoTheNewest) {
  save(1);
  save(2);
  EXPECT_FALSE(store_.find("none"));
  EXPECT_EQ(store_.find("auto")->step, 2);
}

TEST_F(CheckpointStoreTest, ResumeAutoStartsOnlyWhereNothingWasSaved) {
  EXPECT_FALSE(store_.find("auto"));
  save(1);
  save(2);
  for (const char* file : {"step-000001/model.bin", "step-000002/model.bin"}) {
    damage(file, [](std::string& b) { b[0] ^= 4; });
  }
  try {
    store_.find("auto");
    FAIL() << "no error";
  } catch (const ModelError& error) {
    EXPECT_THAT(error.what(), HasSubstr("all 2 checkpoints are damaged"));
    EXPECT_THAT(error.what(), HasSubstr("delete " + root()));
  }
}

TEST_F(CheckpointStoreTest, ResumeFromADirectoryTakesThatOne) {
  save(1);
  save(2);
  EXPECT_EQ(store_.find(path("step-000001"))->step, 1);
  EXPECT_EQ(store_.find(path("step-000001/"))->directory, path("step-000001/"));
}

TEST_F(CheckpointStoreTest, ResumeFromABrokenDirectoryIsFatal) {
  save(1);
  save(2);
  damage("step-000002/model.bin", [](std::string& b) { b[0] ^= 4; });
  for (const std::string& directory :
       {path("step-000002"), path("step-000003"), root(),
        path("step-000001/model.bin"), std::string("")}) {
    try {
      store_.find(directory);
      ADD_FAILURE() << directory;
    } catch (const ModelError& error) {
      EXPECT_THAT(error.what(), HasSubstr("not a complete checkpoint"));
    }
  }
}

TEST_F(CheckpointStoreTest, PruningKeepsTheNewestAndTheBest) {
  for (const std::int64_t step : {10, 20, 30, 40, 50}) save(step);
  store_.prune(2, 20);
  EXPECT_THAT(store_.steps(), ElementsAre(20, 40, 50));
  store_.prune(2, 50);
  EXPECT_THAT(store_.steps(), ElementsAre(40, 50));
  store_.prune(0);
  EXPECT_THAT(store_.steps(), ElementsAre(50));
}

TEST_F(CheckpointStoreTest, PruningNeitherCountsNorDeletesBrokenOnes) {
  for (const std::int64_t step : {10, 20, 30, 40}) save(step);
  damage("step-000040/model.bin", [](std::string& b) { b.pop_back(); });
  damage("step-000010/model.bin", [](std::string& b) { b.pop_back(); });
  store_.prune(1);
  EXPECT_THAT(store_.steps(), ElementsAre(10, 30, 40));
  EXPECT_EQ(newest(), 30);
}

TEST_F(CheckpointStoreTest, LaterCheckpointsCanBeSetAside) {
  for (const std::int64_t step : {10, 20, 30}) save(step);
  store_.set_aside_after(10);
  EXPECT_EQ(newest(), 10);
  EXPECT_TRUE(exists(path("step-000020.superseded/manifest.json")));
  save(20);
  store_.set_aside_after(10);
  EXPECT_TRUE(exists(path("step-000020.superseded-2/manifest.json")));
}

TEST_F(CheckpointStoreTest, LeftoversOfKilledRunsAreIgnoredAndThenRemoved) {
  save(1);
  // Names as the writers of a process that is gone have made them.
  create_directories(path("step-000002.partial-1-0"));
  create_directories(path("step-000000.deleted"));
  std::filesystem::rename(path("step-000001"), path("step-000001.old-1-0"));
  EXPECT_FALSE(store_.newest_valid());
  store_.remove_leftovers();
  EXPECT_EQ(newest(), 1);
  EXPECT_EQ(list_directory(root()).size(), 1U);
}

}  // namespace
}  // namespace longformer
