// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace longformer {

/// Environment variables by name. Everything in this layer takes one, so that
/// what it decides can be tested without touching the process's own.
using Environment = std::map<std::string, std::string, std::less<>>;

/// The environment of this process. Entries without a name are left out; of
/// several with one name the first counts, as for getenv.
Environment current_environment();

/// The value of a variable, "" if it is not set: shells unset a variable for
/// one command by giving it no value. Valid as long as `environment` is.
std::string_view variable(const Environment& environment,
                          std::string_view name);

}  // namespace longformer
