// SPDX-License-Identifier: MIT
#include "longformer/data/sampler.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "longformer/base/random.h"

namespace longformer {

std::vector<std::int64_t> epoch_order(std::int64_t num_documents,
                                      std::uint64_t seed, std::int64_t epoch,
                                      bool shuffle) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(num_documents));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  if (!shuffle) return order;
  RandomStream random(random_key(seed, RandomPurpose::kShuffle,
                                 static_cast<std::uint64_t>(epoch)),
                      /*stream=*/0);
  // Not std::shuffle: its result differs between standard libraries.
  for (std::size_t i = order.size(); i > 1; --i) {
    std::swap(order[i - 1], order[random.next_below(i)]);
  }
  return order;
}

Sampler::Sampler(std::int64_t num_documents, std::int64_t batch_size,
                 std::uint64_t seed, bool shuffle)
    : num_documents_(num_documents),
      batch_size_(batch_size),
      seed_(seed),
      shuffle_(shuffle) {
  if (num_documents < 1 || batch_size < 1) {
    throw std::invalid_argument(
        "Sampler needs at least one document and a batch of one");
  }
}

std::int64_t Sampler::steps_per_epoch() const {
  return (num_documents_ - 1) / batch_size_ + 1;
}

std::span<const std::int64_t> Sampler::rows(const DataPosition& position) {
  if (position.epoch < 0 || position.step_in_epoch < 0 ||
      position.step_in_epoch >= steps_per_epoch()) {
    throw std::out_of_range("Sampler: no such step in an epoch");
  }
  if (position.epoch != epoch_) {
    order_ = epoch_order(num_documents_, seed_, position.epoch, shuffle_);
    epoch_ = position.epoch;
  }
  const std::int64_t begin = position.step_in_epoch * batch_size_;
  const std::int64_t count = std::min(batch_size_, num_documents_ - begin);
  return std::span<const std::int64_t>(order_).subspan(
      static_cast<std::size_t>(begin), static_cast<std::size_t>(count));
}

DataPosition Sampler::position_of(std::int64_t step) const {
  return {step / steps_per_epoch(), step % steps_per_epoch()};
}

DataPosition Sampler::next(const DataPosition& position) const {
  if (position.step_in_epoch + 1 < steps_per_epoch()) {
    return {position.epoch, position.step_in_epoch + 1};
  }
  return {position.epoch + 1, 0};
}

}  // namespace longformer
