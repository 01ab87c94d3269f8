// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace longformer {

enum class PieceType {
  kNormal = 1,
  kUnknown = 2,
  kControl = 3,
  kUserDefined = 4,
  kUnused = 5,
  kByte = 6,
};

struct SentencePiece {
  std::string text;
  float score = 0;
  PieceType type = PieceType::kNormal;
};

/// What a SentencePiece model file (a serialized ModelProto) says, as far as
/// this program looks at it itself.
struct SentencePieceModel {
  static constexpr int kUnigram = 1;
  static constexpr int kBpe = 2;

  std::vector<SentencePiece> pieces;
  int model_type = kUnigram;
  int unk_id = 0;  ///< -1 here and below: the model has no such piece.
  int bos_id = 1;
  int eos_id = 2;
  int pad_id = -1;
  std::string charsmap;  ///< Compiled normalisation rules; may be empty.
  bool add_dummy_prefix = true;
  bool remove_extra_whitespaces = true;
  bool escape_whitespaces = true;

  /// Whether white space always starts a new piece, so that text may be cut
  /// there and encoded in parts.
  bool separable() const;
};

/// Parses and checks a model so strictly that the SentencePiece library, which
/// trusts its input, can be given the same bytes. `where` begins the messages.
///
/// Throws ModelError. Cost: linear.
SentencePieceModel parse_sentencepiece_model(std::string_view bytes,
                                             const std::string& where);

}  // namespace longformer
