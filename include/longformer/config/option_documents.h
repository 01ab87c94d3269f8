// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "longformer/base/strict_json.h"
#include "longformer/config/option_fields.h"

namespace longformer {

/// One table a group, in Markdown: option, values, default, unit, meaning.
/// The titles of the groups are headings of level `heading_level`.
std::string markdown_tables(const std::vector<OptionField>& fields,
                            int heading_level);

/// JSON schema (draft 2020-12) of a configuration file with these options.
Json json_schema(const std::vector<OptionField>& fields);

/// Text of configs/README.md: the options of every command.
std::string option_reference();

/// Text of configs/schema.json: a configuration file of `longformer train`.
std::string train_schema();

}  // namespace longformer
