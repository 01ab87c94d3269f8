// SPDX-License-Identifier: MIT
#include "sentencepiece_tokenizer.h"

#include <algorithm>
#include <utility>

#include <sentencepiece_processor.h>

#include "longformer/base/error.h"

#include "code_points.h"
#include "piece_text.h"
#include "saved_config.h"
#include "special_roles.h"
#include "unicode_classes.h"

namespace longformer {
namespace {

/// The library keeps about 100 bytes for each byte it encodes at once, so long
/// texts are given to it in parts of about this size.
constexpr std::size_t kPartBytes = 32768;

bool is_ascii_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// Where the first part of `text` ends: before a blank that follows and
/// precedes a letter, where no rule of normalisation can reach across.
std::size_t end_of_part(std::string_view text) {
  for (std::size_t i = kPartBytes; i + 1 < text.size(); ++i) {
    if (text[i] == ' ' && is_ascii_letter(text[i - 1]) &&
        is_ascii_letter(text[i + 1])) {
      return i;
    }
  }
  return text.size();
}

void check(const sentencepiece::util::Status& status, const std::string& what) {
  if (status.ok()) return;
  throw ModelError(what + ": " + status.ToString());
}

}  // namespace

SentencePieceTokenizer::SentencePieceTokenizer(std::string_view model_file,
                                               const std::string& where,
                                               IdLayout layout,
                                               const TokenizerConfig& config,
                                               const TokenizerOptions& options,
                                               std::vector<TokenizerFile> files)
    : processor_(std::make_unique<sentencepiece::SentencePieceProcessor>()),
      layout_(layout) {
  const SentencePieceModel model = parse_sentencepiece_model(model_file, where);
  try {
    check(processor_->LoadFromSerializedProto(model_file),
          where + ": the SentencePiece library refuses it");
  } catch (const std::exception& error) {
    throw ModelError(where +
                     ": the SentencePiece library refuses it: " + error.what());
  }
  unknown_piece_ = model.unk_id;
  separable_ = model.separable();
  is_unigram_ = model.model_type == SentencePieceModel::kUnigram;
  add_pieces(model, where);
  add_special(config, where, options, model);
  vocabulary_size_ = std::ssize(texts_);
  model_max_length_ = config.model_max_length;
  special_tokens_ = find_special_tokens(
      config, template_,
      [&](std::string_view token) { return token_id(token); });
  if (layout_ == IdLayout::kXlmr) {
    SavedConfig saved;
    saved.tokenizer_class = "XLMRobertaTokenizer";
    complete_tokenizer_config(saved, files);
  }
  set_files(std::move(files),
            options.special_tokens_in_text ? "" : "no special tokens in text");
}

SentencePieceTokenizer::~SentencePieceTokenizer() = default;

void SentencePieceTokenizer::add_pieces(const SentencePieceModel& model,
                                        const std::string& where) {
  std::size_t first = 0;
  if (layout_ == IdLayout::kXlmr) {
    if (model.pieces.size() < 3 || model.unk_id != 0 ||
        model.pieces[1].text != "<s>" || model.pieces[2].text != "</s>") {
      throw ModelError(where +
                       ": the XLM-R numbering needs <unk>, <s> and </s> "
                       "as the first three pieces of the model; if it was not "
                       "made for XLM-R, remove tokenizer_class from "
                       "tokenizer_config.json");
    }
    texts_ = {"<s>", "<pad>", "</s>", "<unk>"};
    first = 3;
  }
  for (std::size_t i = first; i < model.pieces.size(); ++i) {
    texts_.push_back(model.pieces[i].text);
  }
  if (layout_ == IdLayout::kXlmr) texts_.push_back("<mask>");
  for (std::size_t id = 0; id < texts_.size(); ++id) {
    ids_.emplace(texts_[id], static_cast<std::int32_t>(id));
  }
}

void SentencePieceTokenizer::add_special(const TokenizerConfig& config,
                                         const std::string& where,
                                         const TokenizerOptions& options,
                                         const SentencePieceModel& model) {
  std::vector<AddedToken> added = config.added_tokens;
  const auto add = [&](std::int32_t id, bool lstrip) {
    if (id < 0) return;
    AddedToken token;
    token.content = texts_[static_cast<std::size_t>(id)];
    token.id = id;
    token.lstrip = lstrip;
    token.special = true;
    added.push_back(token);
  };
  if (layout_ == IdLayout::kXlmr) {
    for (std::int32_t id = 0; id < 4; ++id) add(id, false);
    add(static_cast<std::int32_t>(texts_.size()) - 1, true);
    template_ = {{0}, {2}, {0}, {2, 2}, {2}};
  } else {
    for (const int id :
         {model.unk_id, model.bos_id, model.eos_id, model.pad_id}) {
      add(id, false);
    }
    template_.before = template_.pair_before = {model.bos_id};
    template_.after = template_.pair_after = {model.eos_id};
    template_.pair_between = {model.eos_id, model.eos_id};
    for (auto* side :
         {&template_.before, &template_.after, &template_.pair_before,
          &template_.pair_between, &template_.pair_after}) {
      std::erase(*side, -1);
    }
  }
  special_.resize(texts_.size());
  const std::int64_t limit = 2 * std::ssize(texts_) + 65536;
  for (const AddedToken& token : added) {
    if (token.content.empty()) continue;
    const auto [position, is_new] = ids_.emplace(token.content, token.id);
    if (position->second != token.id || token.id >= limit) {
      throw ModelError(where + ": tokenizer_config.json gives the token \"" +
                       token.content + "\" id " + std::to_string(token.id) +
                       ", which does not fit the model's " +
                       std::to_string(texts_.size()) + " ids");
    }
    const auto index = static_cast<std::size_t>(token.id);
    if (index >= texts_.size()) {
      texts_.resize(index + 1);
      special_.resize(index + 1);
    }
    texts_[index] = token.content;
    special_[index] = special_[index] || token.special;
  }
  std::erase_if(added, [&](const AddedToken& token) {
    return token.special && !options.special_tokens_in_text;
  });
  finder_ = std::make_unique<AddedTokenFinder>(std::move(added));
}

std::string SentencePieceTokenizer::description() const {
  return std::string("SentencePiece ") + (is_unigram_ ? "unigram, " : "BPE, ") +
         std::to_string(texts_.size()) + " tokens" +
         (layout_ == IdLayout::kXlmr ? ", numbered as in XLM-R" : "");
}

std::int32_t SentencePieceTokenizer::id_of_piece(int piece) const {
  if (layout_ == IdLayout::kPlain) return piece;
  return piece == unknown_piece_ ? 3 : piece + 1;
}

void SentencePieceTokenizer::tokenize(std::string_view text,
                                      std::vector<std::int32_t>& ids,
                                      std::vector<Span>* spans) const {
  std::vector<TextPiece> pieces;
  finder_->split(text, 0, text.size(), pieces);
  CodePointCounter counter(text);
  for (const TextPiece& piece : pieces) {
    if (piece.token != nullptr) {
      ids.push_back(piece.token->id);
      if (spans != nullptr) {
        const std::uint32_t begin = counter.before(piece.begin);
        spans->push_back({begin, counter.before(piece.end), 0, 0});
      }
      continue;
    }
    for (std::size_t begin = piece.begin; begin < piece.end;) {
      std::string_view part = text.substr(begin, piece.end - begin);
      if (separable_) part = part.substr(0, end_of_part(part));
      if (spans == nullptr) {
        encode_ids(part, ids);
      } else {
        encode_spans(part, begin, counter, ids, *spans);
      }
      begin += part.size();
    }
  }
}

void SentencePieceTokenizer::encode_ids(std::string_view text,
                                        std::vector<std::int32_t>& ids) const {
  std::vector<int> pieces;
  check(processor_->Encode(text, &pieces), "SentencePiece");
  for (const int piece : pieces) ids.push_back(id_of_piece(piece));
}

void SentencePieceTokenizer::encode_spans(std::string_view text,
                                          std::size_t position,
                                          CodePointCounter& counter,
                                          std::vector<std::int32_t>& ids,
                                          std::vector<Span>& spans) const {
  const auto encoded = processor_->EncodeAsImmutableProto(text);
  for (std::size_t i = 0; i < encoded.pieces_size(); ++i) {
    const auto piece = encoded.pieces(static_cast<int>(i));
    ids.push_back(id_of_piece(static_cast<int>(piece.id())));
    // The library counts the white space before a word to its first piece.
    std::size_t begin = piece.begin();
    std::size_t end = piece.end();
    while (begin < end) {
      const CodePoint code = code_point_at(text, begin);
      if (!unicode_classes().is_space(code.value)) break;
      begin += code.bytes;
    }
    while (end > begin && text[end - 1] == ' ') --end;
    const std::uint32_t first = counter.before(position + begin);
    spans.push_back({first, counter.before(position + end), 0, 0});
  }
}

std::string SentencePieceTokenizer::decode(std::span<const std::int32_t> ids,
                                           bool skip_special) const {
  PieceJoiner joiner;
  for (const std::int32_t id : ids) {
    if (id < 0 || id >= std::ssize(texts_)) {
      throw_no_such_token(id, std::ssize(texts_));
    }
    const auto index = static_cast<std::size_t>(id);
    if (skip_special && special_[index]) continue;
    joiner.add(texts_[index], special_[index]);
  }
  return joiner.text();
}

std::int32_t SentencePieceTokenizer::token_id(std::string_view token) const {
  const auto found = ids_.find(std::string(token));
  return found == ids_.end() ? -1 : found->second;
}

std::string SentencePieceTokenizer::token_text(std::int32_t id) const {
  return texts_.at(static_cast<std::size_t>(id));
}

}  // namespace longformer
