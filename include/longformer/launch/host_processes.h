// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "longformer/launch/child_environment.h"
#include "longformer/launch/device_list.h"
#include "longformer/launch/environment.h"
#include "longformer/launch/listening_socket.h"
#include "longformer/launch/process_group_parent.h"

namespace longformer {

/// The processes of a job on this host, one for each of `devices`, all with the
/// command line "longformer COMMAND ARGUMENTS...". Where their logs go, and
/// what else is special, is left to the caller.
///
/// first: the place of the first of them; the ranks of the others follow its
///   own. Local ranks, their number and the devices are filled in.
/// socket: what the first process inherits to listen at; null: nothing.
ProcessGroupOptions host_processes(const std::string& command,
                                   const std::vector<std::string>& arguments,
                                   const Environment& environment,
                                   const DeviceList& devices,
                                   const ChildPlace& first,
                                   ListeningSocket* socket);

}  // namespace longformer
