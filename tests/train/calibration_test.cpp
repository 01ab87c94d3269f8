// SPDX-License-Identifier: MIT
#include "longformer/train/calibration.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace longformer {
namespace {

TEST(CalibrationTest, ABinHoldsItsUpperEdgeAndNotItsLowerOne) {
  for (const std::int64_t bins : {1, 3, 7, 10, 15, 20, 100}) {
    for (std::int64_t k = 0; k < bins; ++k) {
      const double edge =
          static_cast<double>(k + 1) / static_cast<double>(bins);
      const std::vector<Confidence> on{{edge, true}};
      EXPECT_EQ(calibration(on, bins).bins.at(0).index, k) << bins;
      if (k + 1 == bins) continue;
      const std::vector<Confidence> above{{std::nextafter(edge, 2), true}};
      EXPECT_EQ(calibration(above, bins).bins.at(0).index, k + 1) << bins;
    }
  }
}

TEST(CalibrationTest, ZeroFallsIntoTheFirstBin) {
  const std::vector<Confidence> zero{{0, false}};
  const Calibration result = calibration(zero, 10);
  EXPECT_EQ(result.bins.at(0).index, 0);
  EXPECT_DOUBLE_EQ(result.expected_error, 0);
}

TEST(CalibrationTest, ErrorsAreWeightedByTheNumberOfPredictions) {
  const std::vector<Confidence> predictions{
      {0.9, true}, {0.9, true}, {0.9, false}, {0.6, false}};
  const Calibration result = calibration(predictions, 10);
  ASSERT_EQ(result.bins.size(), 2U);
  EXPECT_EQ(result.bins[0].index, 5);
  EXPECT_EQ(result.bins[1].count, 3);
  EXPECT_NEAR(result.bins[1].accuracy, 2.0 / 3, 1e-15);
  EXPECT_NEAR(result.expected_error, (0.9 - 2.0 / 3) * 0.75 + 0.6 * 0.25,
              1e-15);
  EXPECT_NEAR(result.maximum_error, 0.6, 1e-15);
}

}  // namespace
}  // namespace longformer
