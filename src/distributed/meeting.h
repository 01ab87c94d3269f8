// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>

#include <torch/csrc/distributed/c10d/Store.hpp>

#include "longformer/launch/launch_environment.h"

namespace longformer {

/// Opens the store at the rendezvous of `launch`, with its key prefix. Rank 0
/// makes it unless the launcher has. Only rank 0's host address is listened at,
/// where that is possible (see can_listen_at).
///
/// Throws PeerError if nobody answers within `timeout`, SystemError if the
/// address is taken.
c10::intrusive_ptr<c10d::Store> open_store(const LaunchEnvironment& launch,
                                           std::chrono::milliseconds timeout);

/// Waits until all ranks have done so; logs who is missing every few seconds.
/// Throws PeerError naming the missing ranks, ConfigError if another process
/// has this rank already.
void await_all_ranks(c10d::Store& store, const LaunchEnvironment& launch,
                     std::chrono::milliseconds timeout);

}  // namespace longformer
