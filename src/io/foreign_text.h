// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace longformer {

/// What a file that begins with `start` is, and what to do about it ("a zip
/// archive ...; unpack it"), if it is surely no text.
std::optional<std::string> foreign_kind(std::string_view start);

/// Whether more bytes could make `start` the beginning of such a file or of
/// gzip data.
bool may_become_binary(std::string_view start);

}  // namespace longformer
