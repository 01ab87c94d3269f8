// SPDX-License-Identifier: MIT
#include "longformer/distributed/agreement.h"

#include <array>

#include "longformer/base/error.h"

namespace longformer {
namespace {

std::string value_of(const CommonValues& values, std::size_t index) {
  return index < values.size() ? values[index].second : "nothing";
}

/// How `values` differs from rank 0's, which arrive one by one; nothing if it
/// does not. The number of exchanges is rank 0's on all ranks.
std::optional<std::string> find_difference(Communicator& communicator,
                                           const CommonValues& values) {
  std::optional<std::string> difference;
  std::array<double, 1> count{static_cast<double>(values.size())};
  if (communicator.rank() != 0) count[0] = 0;
  communicator.reduce(count, Reduction::kMaximum);
  for (std::size_t i = 0; i < static_cast<std::size_t>(count[0]); ++i) {
    const bool has = i < values.size();
    const std::string name =
        communicator.broadcast(has ? values[i].first : "", 0);
    const std::string value =
        communicator.broadcast(has ? values[i].second : "", 0);
    const bool is_same = has && values[i].first == name;
    if (difference || (is_same && values[i].second == value)) continue;
    difference = name + " is " + (is_same ? value_of(values, i) : "unknown") +
                 " there and " + value + " on rank 0";
  }
  return difference;
}

}  // namespace

std::optional<FailedRank> first_failure(
    Communicator& communicator, const std::optional<std::string>& failure) {
  std::array<double, 1> first{
      static_cast<double>(failure ? communicator.rank() : communicator.size())};
  communicator.reduce(first, Reduction::kMinimum);
  const int rank = static_cast<int>(first[0]);
  if (rank == communicator.size()) return std::nullopt;
  return FailedRank{rank, communicator.broadcast(failure.value_or(""), rank)};
}

void check_agreement(Communicator& communicator, const CommonValues& values) {
  const auto difference =
      first_failure(communicator, find_difference(communicator, values));
  if (!difference) return;
  throw ConfigError("the processes of the job do not agree: rank " +
                    std::to_string(difference->rank) + " differs, " +
                    difference->message +
                    "; start all with the same program, options and data");
}

}  // namespace longformer
