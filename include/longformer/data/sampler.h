// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace longformer {

/// Where training stands in the data: all that a resume needs.
struct DataPosition {
  std::int64_t epoch = 0;
  std::int64_t step_in_epoch = 0;

  bool operator==(const DataPosition&) const = default;
};

/// The rows of an epoch in the order of training: a permutation that is a pure
/// function of its arguments, the same on every machine (Fisher-Yates over the
/// counter-based generator), or the order of the file without `shuffle`.
std::vector<std::int64_t> epoch_order(std::int64_t num_documents,
                                      std::uint64_t seed, std::int64_t epoch,
                                      bool shuffle);

/// Which documents form the global batch of a step.
///
/// Step k of an epoch takes places [k * batch_size, (k + 1) * batch_size) of
/// its order; the last step of an epoch may be shorter and is used.
/// Threads: one at a time (it keeps the order of one epoch).
class Sampler {
 public:
  /// num_documents, batch_size >= 1.
  Sampler(std::int64_t num_documents, std::int64_t batch_size,
          std::uint64_t seed, bool shuffle);

  std::int64_t steps_per_epoch() const;
  /// Rows of the data set. Valid until the next call with another epoch.
  std::span<const std::int64_t> rows(const DataPosition& position);
  /// The position of optimizer step `step`, counted from 0 over all epochs.
  DataPosition position_of(std::int64_t step) const;
  DataPosition next(const DataPosition& position) const;

 private:
  std::int64_t num_documents_;
  std::int64_t batch_size_;
  std::uint64_t seed_;
  bool shuffle_;
  std::int64_t epoch_ = -1;
  std::vector<std::int64_t> order_;
};

}  // namespace longformer
