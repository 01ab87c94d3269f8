// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace longformer {

/// The first host of a Slurm host list such as "gpu[03-05,9],login": "gpu03".
/// Several brackets in one name are allowed. Nothing if the list is malformed.
std::optional<std::string> first_slurm_host(std::string_view list);

/// The number of tasks on node `node` (from 0) by a list such as "4(x2),3";
/// nothing if the list is malformed or has fewer nodes.
std::optional<int> slurm_tasks_of_node(std::string_view list, int node);

}  // namespace longformer
