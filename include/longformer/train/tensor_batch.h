// SPDX-License-Identifier: MIT
#pragma once

#include "longformer/config/task.h"
#include "longformer/data/packed_batch.h"
#include "longformer/model/packed_input.h"

namespace longformer {

/// Tensors of a packed batch on `device`.
PackedInput to_packed_input(const PackedBatch& batch, at::Device device);

/// Targets of a batch that has them: class ids, or values [B, num_labels].
Targets to_targets(const PackedBatch& batch, ProblemType problem_type,
                   std::int64_t num_labels, at::Device device);

}  // namespace longformer
