// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "longformer/config/model_config.h"

namespace longformer {

/// The function that Hugging Face calls `name`, or nothing.
std::optional<Activation> activation_named(std::string_view name);

/// Every known name, for messages.
std::string activation_name_list();

}  // namespace longformer
