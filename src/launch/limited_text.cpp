// SPDX-License-Identifier: MIT
#include "limited_text.h"

#include "longformer/base/utf8.h"

namespace longformer {

std::string limited_text(std::string_view text, std::size_t max_bytes) {
  // No replacement is shorter than what it replaces, so nothing that is cut off
  // here could have stayed; a character in two is behind the limit.
  std::string valid = replace_invalid_utf8(text.substr(0, max_bytes + 4));
  valid.resize(cut_between_characters(valid, max_bytes));
  return valid;
}

}  // namespace longformer
