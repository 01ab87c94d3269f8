// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "longformer/config/option_fields.h"
#include "longformer/config/option_reader.h"

namespace longformer {

/// Rewrites arguments so that every flag is followed by exactly one value
/// ("--logits" becomes "--logits true", "--seed=-1" becomes "--seed -1") and
/// positional arguments come last, behind "--". Tells `reader` of unknown
/// flags, missing values and stray arguments, all of them, where CLI11 would
/// stop at the first or take the next flag for a value; those are left out.
std::vector<std::string> prepare_arguments(
    const std::vector<std::string>& args,
    const std::vector<OptionField>& fields, OptionReader& reader);

}  // namespace longformer
