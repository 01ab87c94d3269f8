// SPDX-License-Identifier: MIT
#pragma once

#include <exception>
#include <string>
#include <string_view>

namespace longformer {

/// What stands before the first line break: LibTorch appends traces.
std::string first_line(std::string_view text);

/// The message of an exception, on one line.
std::string failure_text(const std::exception_ptr& failure);

}  // namespace longformer
