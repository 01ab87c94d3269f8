// SPDX-License-Identifier: MIT
#include "longformer/config/nearest_name.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace longformer {
namespace {

const std::vector<std::string> kNames{
    "learning_rate", "embedding_learning_rate",
    "epochs",        "model",
    "max_steps",     "max_length",
    "seed",          "batch_size"};

TEST(NearestNameTest, FindsMisspellings) {
  EXPECT_EQ(nearest_name("learning_rat", kNames), "learning_rate");
  EXPECT_EQ(nearest_name("lerning_rate", kNames), "learning_rate");
  EXPECT_EQ(nearest_name("mdoel", kNames), "model");
  EXPECT_EQ(nearest_name("epoch", kNames), "epochs");
  EXPECT_EQ(nearest_name("max_step", kNames), "max_steps");
}

TEST(NearestNameTest, IgnoresCaseAndTheKindOfSeparator) {
  EXPECT_EQ(nearest_name("learning-rate", kNames), "learning_rate");
  EXPECT_EQ(nearest_name("Learning_Rate", kNames), "learning_rate");
}

TEST(NearestNameTest, FindsNamesInsideLongerOnes) {
  EXPECT_EQ(nearest_name("num_train_epochs", kNames), "epochs");
  EXPECT_EQ(nearest_name("per_device_train_batch_size", kNames), "batch_size");
}

TEST(NearestNameTest, SaysNothingWhenNothingIsClose) {
  EXPECT_EQ(nearest_name("zzzzzz", kNames), "");
  EXPECT_EQ(nearest_name("", kNames), "");
  EXPECT_EQ(nearest_name("x", {}), "");
  EXPECT_EQ(nearest_name("q", {"a"}), "");
}

TEST(NearestNameTest, CopesWithVeryLongNames) {
  EXPECT_EQ(nearest_name(std::string(10'000'000, 'x'), kNames), "");
}

}  // namespace
}  // namespace longformer
