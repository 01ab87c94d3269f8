// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace longformer {

/// Normalisation rules in the form that Charsmap reads: the controls that are
/// white space (tab, line ends, U+0085, U+2028, U+2029) become blanks. For
/// programs that use a trained model without cutting at white space first; as
/// controls form no grapheme with what follows, transformers agrees.
std::string white_space_charsmap();

}  // namespace longformer
