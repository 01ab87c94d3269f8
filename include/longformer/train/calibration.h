// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace longformer {

/// The confidence of one prediction and whether it was right.
struct Confidence {
  double probability = 0;
  bool correct = false;
};

/// One bin (k/B, (k+1)/B] of the reliability diagram that is not empty.
struct CalibrationBin {
  std::int64_t index = 0;
  std::int64_t count = 0;
  double accuracy = 0;
  double mean_confidence = 0;
};

/// Naeini, Cooper & Hauskrecht 2015, "Obtaining well calibrated probabilities
/// using Bayesian binning"; equal-width bins.
struct Calibration {
  /// Mean of |accuracy - confidence| over bins, weighted by count.
  double expected_error = 0;
  /// Largest |accuracy - confidence| of a bin.
  double maximum_error = 0;
  std::vector<CalibrationBin> bins;
};

/// Requires probabilities in [0, 1] and at least one bin. Cost: linear.
Calibration calibration(std::span<const Confidence> predictions,
                        std::int64_t num_bins);

}  // namespace longformer
