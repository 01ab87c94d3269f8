// SPDX-License-Identifier: MIT
#include "longformer/train/ranking.h"

#include <algorithm>
#include <cstdint>

namespace longformer {
namespace {

double as_double(std::int64_t count) { return static_cast<double>(count); }

}  // namespace

RankingQuality ranking_quality(std::vector<ScoredExample> examples) {
  std::sort(examples.begin(), examples.end(),
            [](const ScoredExample& a, const ScoredExample& b) {
              return a.score > b.score;
            });
  const std::int64_t positives =
      std::count_if(examples.begin(), examples.end(),
                    [](const ScoredExample& e) { return e.positive; });
  const auto negatives = static_cast<std::int64_t>(examples.size()) - positives;

  std::int64_t positives_above = 0;
  std::int64_t negatives_above = 0;
  double ordered_pairs = 0;  // Halves and integers: exact up to 2^52.
  double precision_sum = 0;
  for (auto next = examples.begin(); next != examples.end();) {
    const double score = next->score;
    std::int64_t positives_here = 0;
    std::int64_t negatives_here = 0;
    for (; next != examples.end() && next->score == score; ++next) {
      ++(next->positive ? positives_here : negatives_here);
    }
    ordered_pairs +=
        as_double(negatives_here) *
        (as_double(positives_above) + 0.5 * as_double(positives_here));
    positives_above += positives_here;
    negatives_above += negatives_here;
    precision_sum += as_double(positives_here) * as_double(positives_above) /
                     as_double(positives_above + negatives_above);
  }

  RankingQuality quality;
  if (positives > 0 && negatives > 0) {
    quality.auroc =
        ordered_pairs / (as_double(positives) * as_double(negatives));
  }
  if (positives > 0) {
    quality.average_precision = precision_sum / as_double(positives);
  }
  return quality;
}

}  // namespace longformer
