// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "longformer/launch/environment.h"

namespace longformer {

/// Names of this host's network interfaces that are up and have an address, in
/// the system's order. Throws SystemError.
std::vector<std::string> network_interfaces();

/// The interface over which processes of several hosts exchange: the option
/// `network_interface`, else GLOO_SOCKET_IFNAME, else NCCL_SOCKET_IFNAME; ""
/// if none of them says, so that the route decides.
///
/// The variables are read as the libraries read them: several names with
/// commas, of which the first that is there counts; NCCL's are beginnings of
/// names, exact after "=", and exclude after "^".
///
/// Throws ConfigError naming the option or variable, its value and the
/// interfaces there are, if none of these matches.
std::string choose_interface(std::string_view option,
                             const Environment& environment,
                             const std::vector<std::string>& available);

}  // namespace longformer
