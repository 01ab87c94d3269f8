// SPDX-License-Identifier: MIT
#include "unigram_tokenizer.h"

#include <algorithm>
#include <utility>

#include "longformer/base/error.h"

#include "code_points.h"
#include "piece_text.h"
#include "saved_config.h"
#include "special_roles.h"
#include "unicode_classes.h"

namespace longformer {

/// Appends pieces of a text, and turns their bytes into code points of the
/// text as it was before normalisation.
class UnigramTokenizer::Writer {
 public:
  Writer(std::vector<std::int32_t>& ids, std::vector<Span>* spans)
      : ids_(ids), spans_(spans) {}

  /// Bytes are those of `text`, which starts at byte `base` of what `counter`
  /// counts.
  void use_text(CodePointCounter* counter, std::size_t base) {
    counter_ = counter;
    base_ = base;
    origin_ = nullptr;
  }
  /// Bytes are those of a normal form; `origin` says where each came from.
  void use_normal_form(const std::vector<std::uint32_t>& origin) {
    origin_ = &origin;
  }

  void add(std::int32_t id, std::size_t begin, std::size_t end) {
    ids_.push_back(id);
    if (spans_ == nullptr) return;
    Span span;
    if (origin_ != nullptr) {
      span.begin = (*origin_)[begin];
      span.end = (*origin_)[end - 1] + 1;
    } else {
      span.begin = counter_->before(base_ + begin + 1) - 1;
      span.end = counter_->before(base_ + end);
    }
    spans_->push_back(span);
  }

  std::string marked;  ///< Kept to save allocations.
  std::vector<std::int32_t> word_ids;
  std::vector<std::uint32_t> word_bytes;
  UnigramModel::Scratch scratch;

 private:
  std::vector<std::int32_t>& ids_;
  std::vector<Span>* spans_;
  CodePointCounter* counter_ = nullptr;
  std::size_t base_ = 0;
  const std::vector<std::uint32_t>* origin_ = nullptr;
};

UnigramTokenizer::UnigramTokenizer(UnigramDefinition definition,
                                   const TokenizerConfig& config,
                                   const TokenizerOptions& options,
                                   std::vector<TokenizerFile> files)
    : mark_words_(definition.mark_words) {
  for (const UnigramPiece& piece : definition.pieces) {
    ids_[piece.text] = static_cast<std::int32_t>(texts_.size());
    texts_.push_back(piece.text);
  }
  std::vector<AddedToken> added = definition.added_tokens;
  added.insert(added.end(), config.added_tokens.begin(),
               config.added_tokens.end());
  special_.resize(texts_.size());
  add_tokens(added, definition.file);

  std::vector<AddedToken> first;
  std::vector<AddedToken> second;
  std::vector<bool> hidden(definition.pieces.size());
  for (const AddedToken& token : added) {
    if (token.special && !options.special_tokens_in_text) {
      if (token.id < std::ssize(hidden)) {
        hidden[static_cast<std::size_t>(token.id)] = true;
      }
      continue;
    }
    (token.normalized ? second : first).push_back(token);
  }
  finder_ = std::make_unique<AddedTokenFinder>(std::move(first));
  normalized_finder_ = std::make_unique<AddedTokenFinder>(std::move(second));
  model_ = std::make_unique<UnigramModel>(definition.pieces, definition.unknown,
                                          hidden);
  if (!definition.charsmap.empty()) {
    normalizer_ = std::make_unique<GraphemeNormalizer>(
        Charsmap(definition.charsmap, definition.file));
  }
  if (options.add_prefix_space || config.add_prefix_space) {
    mark_words_ = options.add_prefix_space.value_or(*config.add_prefix_space);
  }
  template_ = definition.post_processor.tokens;
  vocabulary_size_ = std::ssize(texts_);
  model_max_length_ = config.model_max_length;
  const auto id_of = [&](std::string_view token) { return token_id(token); };
  special_tokens_ = find_special_tokens(config, template_, id_of);
  if (template_.size(false) == 0 &&
      config.tokenizer_class == "XLMRobertaTokenizer") {
    template_ = roberta_template(special_tokens_, definition.file);
  }
  check_template(template_, vocabulary_size_, definition.file);
  SavedConfig saved;
  saved.tokenizer_class = "XLMRobertaTokenizer";
  if (options.add_prefix_space) saved.add_prefix_space = mark_words_;
  complete_tokenizer_config(saved, files);
  set_files(std::move(files),
            options.special_tokens_in_text ? "" : "no special tokens in text");
}

void UnigramTokenizer::add_tokens(const std::vector<AddedToken>& tokens,
                                  const std::string& where) {
  const std::int64_t limit = 2 * std::ssize(texts_) + 65536;
  for (const AddedToken& token : tokens) {
    if (token.content.empty()) continue;
    const auto [position, is_new] = ids_.emplace(token.content, token.id);
    if (position->second != token.id || token.id >= limit) {
      throw ModelError(where + ": the added token \"" + token.content +
                       "\" has id " + std::to_string(token.id) +
                       ", which does not fit the vocabulary of " +
                       std::to_string(texts_.size()) + " pieces");
    }
    const auto index = static_cast<std::size_t>(token.id);
    if (index >= texts_.size()) {
      texts_.resize(index + 1);
      special_.resize(index + 1);
    }
    texts_[index] = token.content;
    special_[index] = token.special;
  }
}

std::string UnigramTokenizer::description() const {
  return "SentencePiece unigram, " + std::to_string(texts_.size()) + " tokens" +
         (normalizer_ == nullptr ? "" : ", normalised");
}

void UnigramTokenizer::tokenize(std::string_view text,
                                std::vector<std::int32_t>& ids,
                                std::vector<Span>* spans) const {
  std::vector<TextPiece> pieces;
  finder_->split(text, 0, text.size(), pieces);
  CodePointCounter counter(text);
  Writer writer(ids, spans);
  std::string normal;
  std::vector<std::uint32_t> origin;
  for (const TextPiece& piece : pieces) {
    writer.use_text(&counter, piece.begin);
    std::string_view stretch =
        text.substr(piece.begin, piece.end - piece.begin);
    if (piece.token != nullptr) {
      writer.add(piece.token->id, 0, stretch.size());
      continue;
    }
    if (normalizer_ != nullptr) {
      normal.clear();
      origin.clear();
      normalizer_->apply(stretch, counter.before(piece.begin), normal, origin);
      stretch = normal;
      writer.use_normal_form(origin);
    }
    tokenize_words(stretch, writer);
  }
}

void UnigramTokenizer::tokenize_words(std::string_view text,
                                      Writer& writer) const {
  std::vector<TextPiece> pieces;
  normalized_finder_->split(text, 0, text.size(), pieces);
  const UnicodeClasses& classes = unicode_classes();
  for (const TextPiece& piece : pieces) {
    if (piece.token != nullptr) {
      writer.add(piece.token->id, piece.begin, piece.end);
      continue;
    }
    std::size_t word = piece.begin;  // Where the current word begins.
    for (std::size_t i = piece.begin; i < piece.end;) {
      const CodePoint code = code_point_at(text, i);
      if (classes.is_space(code.value)) {
        tokenize_word(text, word, i, writer);
        word = i + code.bytes;
      }
      i += code.bytes;
    }
    tokenize_word(text, word, piece.end, writer);
  }
}

/// A word that holds U+2581 itself is cut before each; only its first part can
/// need the mark.
void UnigramTokenizer::tokenize_word(std::string_view text, std::size_t begin,
                                     std::size_t end, Writer& writer) const {
  bool first = true;
  while (begin < end) {
    const std::string_view rest = text.substr(begin, end - begin);
    const std::size_t size = std::min(rest.find(kWordMark, 1), rest.size());
    std::string_view part = rest.substr(0, size);
    std::size_t added = 0;
    if (first && mark_words_ && !part.starts_with(kWordMark)) {
      writer.marked = kWordMark;
      writer.marked += part;
      part = writer.marked;
      added = kWordMark.size();
    }
    first = false;
    writer.word_ids.clear();
    writer.word_bytes.clear();
    model_->encode(part, writer.scratch, writer.word_ids, writer.word_bytes);
    std::size_t at = 0;
    for (std::size_t i = 0; i < writer.word_ids.size(); ++i) {
      const std::size_t piece_begin = at < added ? 0 : at - added;
      at += writer.word_bytes[i];
      // A mark alone stands for the character it was put before.
      const std::size_t piece_end = at <= added ? 1 : at - added;
      writer.add(writer.word_ids[i], begin + piece_begin, begin + piece_end);
    }
    begin += size;
  }
}

std::string UnigramTokenizer::decode(std::span<const std::int32_t> ids,
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

std::int32_t UnigramTokenizer::token_id(std::string_view token) const {
  const auto found = ids_.find(std::string(token));
  return found == ids_.end() ? -1 : found->second;
}

std::string UnigramTokenizer::token_text(std::int32_t id) const {
  return texts_.at(static_cast<std::size_t>(id));
}

}  // namespace longformer
