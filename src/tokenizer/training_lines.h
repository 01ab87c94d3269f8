// SPDX-License-Identifier: MIT
#pragma once

#include <deque>
#include <string>
#include <string_view>

namespace longformer {

/// Longest line given to the SentencePiece trainer, in bytes. It skips lines
/// above its own limit, so that one is set higher.
inline constexpr std::size_t kLongestTrainingLine = 4096;

/// Appends to `lines` what the trainer shall see of a text: its lines with
/// white space folded to single blanks and without characters that the trainer
/// reserves; long ones cut at blanks, and words beyond the limit anywhere
/// between characters. Ill-formed UTF-8 becomes U+FFFD.
void append_training_lines(std::string_view text,
                           std::deque<std::string>& lines);

}  // namespace longformer
