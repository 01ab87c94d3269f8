// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <memory>

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "longformer/distributed/communicator.h"
#include "longformer/launch/launch_environment.h"

namespace longformer {

/// A process group that exchanges CPU tensors over Gloo. All ranks of one host
/// talk over the loopback interface only, which nobody else reaches.
///
/// `interface`: the one to exchange over; "": see CommunicatorSettings.
/// `traffic` counts what goes through the group, whoever exchanges it.
/// Connects to every other rank; throws c10::Error if that fails.
c10::intrusive_ptr<c10d::ProcessGroup> make_gloo_group(
    const c10::intrusive_ptr<c10d::Store>& store,
    const LaunchEnvironment& launch, const std::string& interface,
    std::chrono::milliseconds timeout,
    std::shared_ptr<ExchangeTraffic> traffic);

}  // namespace longformer
