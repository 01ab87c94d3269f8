// SPDX-License-Identifier: MIT
#include "longformer/train/calibration.h"

#include <algorithm>
#include <cmath>

namespace longformer {
namespace {

/// The k with k/B < probability <= (k+1)/B; 0 for probability 0.
std::int64_t bin_of(double probability, std::int64_t num_bins) {
  const auto bins = static_cast<double>(num_bins);
  auto index = static_cast<std::int64_t>(std::ceil(probability * bins)) - 1;
  index = std::clamp<std::int64_t>(index, 0, num_bins - 1);
  // The product may have been rounded across an edge; the edges decide.
  if (index > 0 && probability <= static_cast<double>(index) / bins) --index;
  if (index + 1 < num_bins &&
      probability > static_cast<double>(index + 1) / bins) {
    ++index;
  }
  return index;
}

}  // namespace

Calibration calibration(std::span<const Confidence> predictions,
                        std::int64_t num_bins) {
  // Sums until the loop below turns them into means.
  std::vector<CalibrationBin> bins(static_cast<std::size_t>(num_bins));
  for (const Confidence& prediction : predictions) {
    const std::int64_t index = bin_of(prediction.probability, num_bins);
    CalibrationBin& bin = bins[static_cast<std::size_t>(index)];
    bin.index = index;
    ++bin.count;
    bin.accuracy += prediction.correct ? 1 : 0;
    bin.mean_confidence += prediction.probability;
  }
  Calibration result;
  for (CalibrationBin& bin : bins) {
    if (bin.count == 0) continue;
    const auto count = static_cast<double>(bin.count);
    bin.accuracy /= count;
    bin.mean_confidence /= count;
    const double error = std::abs(bin.accuracy - bin.mean_confidence);
    result.expected_error +=
        error * count / static_cast<double>(predictions.size());
    result.maximum_error = std::max(result.maximum_error, error);
    result.bins.push_back(bin);
  }
  return result;
}

}  // namespace longformer
