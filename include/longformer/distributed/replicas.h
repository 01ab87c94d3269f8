// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "longformer/distributed/communicator.h"

namespace longformer {

/// A tensor that every rank has a copy of.
struct Replica {
  std::string name;
  at::Tensor tensor;  ///< On the CPU, contiguous.
};

/// Collective: every rank's tensors become rank 0's.
void copy_from_main(Communicator& communicator,
                    const std::vector<Replica>& replicas);

/// Collective: compares digests of all tensors. Nothing if all ranks have what
/// rank 0 has, else the first rank that has not and its first tensor, on every
/// rank: "rank 1 has other values in encoder.layer.0 ... than rank 0".
std::optional<std::string> find_replica_difference(
    Communicator& communicator, const std::vector<Replica>& replicas);

}  // namespace longformer
