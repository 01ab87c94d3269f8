// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "longformer/config/doctor_options.h"
#include "longformer/launch/device_list.h"
#include "longformer/launch/launch_environment.h"
#include "longformer/machine/diagnosis.h"

#include "commands.h"

namespace longformer {

/// As one of several processes, whoever started them: exchanges with the others
/// and returns what that took. Does it with the device and over the network
/// that `train` would use here. Throws Error.
ExchangeCheck exchange_with_others(const DoctorOptions& options,
                                   const LaunchEnvironment& launch,
                                   const Environment& environment);

/// Does so in as many processes as there are `devices`, all started here.
ExchangeCheck exchange_between_children(const DeviceList& devices, int threads,
                                        const Arguments& arguments,
                                        const Environment& environment);

/// In such a child: tells the parent the times.
void report_to_parent(const ExchangeCheck& check);

}  // namespace longformer
