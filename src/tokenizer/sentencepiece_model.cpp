// SPDX-License-Identifier: MIT
#include "sentencepiece_model.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <unordered_set>

#include "longformer/base/error.h"
#include "longformer/base/utf8.h"

#include "charsmap.h"

namespace longformer {
namespace {

constexpr std::string_view kSpaceSymbol = "\xE2\x96\x81";  // U+2581

/// Reads the wire format of protocol buffers: a sequence of numbered fields.
class FieldReader {
 public:
  FieldReader(std::string_view bytes, const std::string& where)
      : bytes_(bytes), where_(where) {}

  /// Moves to the next field; false at the end.
  bool next() {
    if (position_ == bytes_.size()) return false;
    const std::uint64_t tag = varint();
    number = static_cast<int>(tag >> 3);
    if (tag >> 3 == 0 || tag >> 3 > 0x1FFFFFFF) fail("a field has no number");
    is_text = false;
    switch (tag & 7) {
      case 0:
        value = varint();
        break;
      case 1:
        text = take(8);
        break;
      case 2: {
        is_text = true;
        text = take(varint());
        break;
      }
      case 5: {
        text = take(4);
        std::uint32_t bits = 0;
        std::memcpy(&bits, text.data(), 4);
        value = bits;
        break;
      }
      default:
        fail("a field has wire type " + std::to_string(tag & 7));
    }
    return true;
  }

  [[noreturn]] void fail(const std::string& reason) const {
    throw ModelError(where_ + ": not a SentencePiece model: " + reason +
                     " near byte " + std::to_string(position_) +
                     "; the file is damaged or of another kind");
  }

  int number = 0;
  std::uint64_t value = 0;  ///< Of a number.
  std::string_view text;    ///< Of a string, or of a nested message.
  bool is_text = false;

 private:
  std::uint64_t varint() {
    std::uint64_t result = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(take(1)[0]);
      result |= std::uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80) return result;
    }
    fail("a number is too long");
  }

  std::string_view take(std::uint64_t size) {
    if (size > bytes_.size() - position_) fail("it ends inside a field");
    const std::string_view part = bytes_.substr(position_, size);
    position_ += size;
    return part;
  }

  std::string_view bytes_;
  const std::string& where_;
  std::size_t position_ = 0;
};

SentencePiece parse_piece(std::string_view bytes, const std::string& where) {
  SentencePiece piece;
  FieldReader field(bytes, where);
  while (field.next()) {
    if (field.number == 1 && field.is_text) piece.text = field.text;
    if (field.number == 2) {
      piece.score =
          std::bit_cast<float>(static_cast<std::uint32_t>(field.value));
    }
    if (field.number == 3) {
      if (field.value < 1 || field.value > 6) field.fail("a piece has no type");
      piece.type = static_cast<PieceType>(field.value);
    }
  }
  return piece;
}

void parse_trainer(std::string_view bytes, const std::string& where,
                   SentencePieceModel& model) {
  FieldReader field(bytes, where);
  while (field.next()) {
    if (field.is_text) continue;
    const int value = static_cast<int>(field.value);
    switch (field.number) {
      case 3:
        model.model_type = value;
        break;
      case 40:
        model.unk_id = value;
        break;
      case 41:
        model.bos_id = value;
        break;
      case 42:
        model.eos_id = value;
        break;
      case 43:
        model.pad_id = value;
        break;
      default:
        break;
    }
  }
}

void parse_normalizer(std::string_view bytes, const std::string& where,
                      SentencePieceModel& model) {
  FieldReader field(bytes, where);
  while (field.next()) {
    switch (field.number) {
      case 2:
        if (field.is_text) model.charsmap = field.text;
        break;
      case 3:
        model.add_dummy_prefix = field.value != 0;
        break;
      case 4:
        model.remove_extra_whitespaces = field.value != 0;
        break;
      case 5:
        model.escape_whitespaces = field.value != 0;
        break;
      default:
        break;
    }
  }
}

void check_pieces(const SentencePieceModel& model, const std::string& where) {
  const auto fail = [&](std::size_t index, const std::string& reason) {
    throw ModelError(where + ": piece " + std::to_string(index) + " " + reason +
                     "; the file is damaged");
  };
  std::unordered_set<std::string_view> known;
  int unknowns = 0;
  for (std::size_t i = 0; i < model.pieces.size(); ++i) {
    const SentencePiece& piece = model.pieces[i];
    if (piece.text.empty()) fail(i, "is empty");
    if (piece.text.find('\0') != std::string::npos ||
        find_invalid_utf8(piece.text) != std::string_view::npos) {
      fail(i, "is not text");
    }
    if (!std::isfinite(piece.score)) fail(i, "has no finite score");
    if (!known.insert(piece.text).second) {
      fail(i, "\"" + piece.text + "\" appears twice");
    }
    unknowns += piece.type == PieceType::kUnknown ? 1 : 0;
    if (piece.type == PieceType::kByte) {
      fail(i, "stands for a byte, which is not supported");
    }
  }
  if (unknowns != 1) {
    throw ModelError(where + ": must have one unknown piece, found " +
                     std::to_string(unknowns) + "; the file is damaged");
  }
}

/// Looks the ids of special pieces up by what they are; the trainer's settings
/// only say what was asked for.
void check_special_ids(SentencePieceModel& model) {
  const auto check = [&](int& id, PieceType type) {
    if (id < 0 || id >= std::ssize(model.pieces) ||
        model.pieces[static_cast<std::size_t>(id)].type != type) {
      id = -1;
    }
  };
  check(model.bos_id, PieceType::kControl);
  check(model.eos_id, PieceType::kControl);
  check(model.pad_id, PieceType::kControl);
  for (std::size_t i = 0; i < model.pieces.size(); ++i) {
    if (model.pieces[i].type == PieceType::kUnknown) {
      model.unk_id = static_cast<int>(i);
    }
  }
}

}  // namespace

bool SentencePieceModel::separable() const {
  if (!add_dummy_prefix || !remove_extra_whitespaces || !escape_whitespaces) {
    return false;
  }
  for (const SentencePiece& piece : pieces) {
    if (piece.text.find(kSpaceSymbol, 1) != std::string::npos) return false;
  }
  return true;
}

SentencePieceModel parse_sentencepiece_model(std::string_view bytes,
                                             const std::string& where) {
  SentencePieceModel model;
  FieldReader field(bytes, where);
  while (field.next()) {
    if (!field.is_text) continue;
    if (field.number == 1) {
      model.pieces.push_back(parse_piece(field.text, where));
    }
    if (field.number == 2) parse_trainer(field.text, where, model);
    if (field.number == 3) parse_normalizer(field.text, where, model);
  }
  if (model.pieces.empty()) field.fail("it has no pieces");
  if (model.model_type != SentencePieceModel::kUnigram &&
      model.model_type != SentencePieceModel::kBpe) {
    throw ModelError(
        where + ": a SentencePiece model of type " +
        std::to_string(model.model_type) +
        " is not supported; supported are unigram (1) and BPE (2)");
  }
  check_pieces(model, where);
  check_special_ids(model);
  if (!model.charsmap.empty()) Charsmap(model.charsmap, where);
  return model;
}

}  // namespace longformer
