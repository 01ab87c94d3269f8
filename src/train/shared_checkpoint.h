// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "longformer/distributed/communicator.h"
#include "longformer/train/checkpoint_store.h"

namespace longformer {

/// Collective: the checkpoint that rank 0 continues from, for every rank.
///
/// Hosts need not share a disk, and only rank 0's host writes checkpoints. A
/// host that lacks this one, or has another or a damaged one in its place, gets
/// a copy into its own `store`.
///
/// `found`: of rank 0; the others' does not count. Cost: one reading of the
/// checkpoint on each rank, and sending it where it is missing.
/// Throws SystemError if it cannot be written, PeerError if another rank fails.
std::optional<Checkpoint> share_checkpoint(
    Communicator& communicator, const std::optional<Checkpoint>& found,
    CheckpointStore store);

}  // namespace longformer
