// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "longformer/distributed/communicator.h"
#include "longformer/machine/exchange_timing.h"

namespace longformer {

/// Sums up small and large tensors of all ranks and checks the sums; the median
/// time of a few rounds for each size, from 4 bytes to 64 MiB. Collective.
///
/// on_gpu: tensors on this process's GPU, as CommunicatorSettings::cuda says;
///   else on the CPU.
/// Cost: three seconds at most, unless one sum takes longer.
/// Throws PeerError if an exchange fails or a sum is wrong.
std::vector<ExchangeTiming> measure_exchange(Communicator& communicator,
                                             bool on_gpu);

}  // namespace longformer
