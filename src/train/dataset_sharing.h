// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "longformer/data/dataset.h"
#include "longformer/distributed/communicator.h"

namespace longformer {

/// Collective: gives all ranks the data set that rank 0 has.
///
/// `entry`: the token cache entry that holds it, of rank 0; a rank that finds
/// it shares rank 0's memory, the others get a copy. "": there is none.
void share_dataset(Communicator& communicator, const std::string& entry,
                   const EncodeOptions& options, Dataset& dataset);

}  // namespace longformer
