// SPDX-License-Identifier: MIT
#include "longformer/train/best_model.h"

#include <cmath>
#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longformer/base/error.h"

namespace longformer {
namespace {

using testing::HasSubstr;

TEST(BestModelTest, LargerOrSmallerIsBetterAsTheMetricSays) {
  BestModel accuracy("accuracy", true, 0);
  EXPECT_TRUE(accuracy.observe(10, 0.5));
  EXPECT_FALSE(accuracy.observe(20, 0.4));
  EXPECT_TRUE(accuracy.observe(30, 0.6));
  EXPECT_EQ(accuracy.best_step(), 30);
  BestModel loss("loss", false, 0);
  EXPECT_TRUE(loss.observe(10, 0.5));
  EXPECT_TRUE(loss.observe(20, 0.4));
  EXPECT_FALSE(loss.observe(30, 0.6));
  EXPECT_EQ(loss.best_value(), 0.4);
}

TEST(BestModelTest, OnATieTheEarlierModelStays) {
  BestModel best("accuracy", true, 0);
  best.observe(10, 0.5);
  EXPECT_FALSE(best.observe(20, 0.5));
  EXPECT_EQ(best.best_step(), 10);
}

TEST(BestModelTest, WhatIsNoNumberIsNeverBest) {
  for (const bool larger_is_better : {true, false}) {
    BestModel best("x", larger_is_better, 0);
    EXPECT_FALSE(best.observe(1, std::nan("")));
    EXPECT_FALSE(best.observe(2, std::nullopt));
    EXPECT_FALSE(best.best_step());
    EXPECT_TRUE(best.observe(3, 0.1));
    EXPECT_FALSE(best.observe(4, std::nan("")));
    EXPECT_EQ(best.best_step(), 3);
    EXPECT_EQ(best.validations_without_improvement(), 1);
  }
}

TEST(BestModelTest, StopsAfterPatienceValidationsWithoutImprovement) {
  BestModel best("accuracy", true, 2);
  best.observe(1, 0.5);
  best.observe(2, 0.4);
  EXPECT_FALSE(best.should_stop());
  best.observe(3, 0.6);
  best.observe(4, 0.6);
  EXPECT_FALSE(best.should_stop());
  best.observe(5, std::nullopt);
  EXPECT_TRUE(best.should_stop());
}

TEST(BestModelTest, WithoutPatienceItNeverStops) {
  BestModel best("accuracy", true, 0);
  EXPECT_FALSE(best.should_stop());
  for (int step = 0; step < 100; ++step) best.observe(step, 0.5);
  EXPECT_FALSE(best.should_stop());
}

TEST(BestModelTest, ARestoredStateContinuesAsIfNothingHadHappened) {
  BestModel before("loss", false, 3);
  before.observe(10, 0.1 + 0.2);
  before.observe(20, 0.5);
  BestModel after("loss", false, 3);
  after.restore(parse_strict_json(before.to_json().dump()), "state.json");
  EXPECT_EQ(after.to_json(), before.to_json());
  EXPECT_FALSE(after.observe(30, 0.1 + 0.2));
  EXPECT_FALSE(after.should_stop());
  EXPECT_FALSE(after.observe(40, 0.4));
  EXPECT_TRUE(after.should_stop());
}

TEST(BestModelTest, AStateWithoutAnyValidationIsRestored) {
  BestModel best("loss", false, 3);
  best.restore(BestModel("loss", false, 3).to_json(), "state.json");
  EXPECT_FALSE(best.best_value());
}

TEST(BestModelTest, AnInfiniteValueIsNeverBest) {
  BestModel loss("loss", false, 3);
  EXPECT_FALSE(loss.observe(1, std::numeric_limits<double>::infinity()));
  EXPECT_FALSE(loss.observe(2, -std::numeric_limits<double>::infinity()));
  EXPECT_FALSE(loss.best_value());
}

TEST(BestModelTest, AnotherMetricIsRefusedWithAdvice) {
  BestModel best("accuracy", true, 3);
  try {
    best.restore(BestModel("f1_macro", true, 3).to_json(), "state.json");
    ADD_FAILURE();
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr("best_metric = f1_macro"));
  }
}

TEST(BestModelTest, AMalformedStateIsRefusedAndChangesNothing) {
  BestModel best("loss", false, 3);
  best.observe(5, 0.5);
  const Json good = best.to_json();
  for (const char* text :
       {R"([])", R"({})", R"({"metric":"loss"})",
        R"({"metric":"loss","best_value":null,"best_step":3,)"
        R"("validations_without_improvement":0})",
        R"({"metric":"loss","best_value":0.5,"best_step":-3,)"
        R"("validations_without_improvement":0})",
        R"({"metric":"loss","best_value":"0.5","best_step":3,)"
        R"("validations_without_improvement":0})",
        R"({"metric":"loss","best_value":0.5,"best_step":3,)"
        R"("validations_without_improvement":0,"more":1})"}) {
    EXPECT_THROW(best.restore(parse_strict_json(text), "state.json"),
                 ModelError)
        << text;
    EXPECT_EQ(best.to_json(), good);
  }
}

}  // namespace
}  // namespace longformer
