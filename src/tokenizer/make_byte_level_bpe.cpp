// SPDX-License-Identifier: MIT
#include <algorithm>
#include <unordered_set>
#include <utility>

#include "longformer/base/error.h"
#include "longformer/base/log.h"
#include "longformer/base/utf8.h"

#include "byte_alphabet.h"
#include "byte_level_bpe.h"
#include "saved_config.h"
#include "special_roles.h"

namespace longformer {
namespace {

/// Every joined token must be in the vocabulary, or ids would silently differ
/// from those of the tokenizer that the files were made for.
std::vector<BpeMerge> resolve_merges(
    const BpeDefinition& definition,
    const std::unordered_map<std::string, std::int32_t>& ids) {
  std::vector<BpeMerge> merges;
  merges.reserve(definition.merges.size());
  for (std::size_t i = 0; i < definition.merges.size(); ++i) {
    const auto& [left, right] = definition.merges[i];
    const auto find = [&](const std::string& token) {
      const auto found = ids.find(token);
      if (found != ids.end()) return found->second;
      const std::string place =
          definition.first_merge_line > 0
              ? ":" + std::to_string(definition.first_merge_line +
                                     static_cast<std::int64_t>(i))
              : ": merges[" + std::to_string(i) + "]";
      throw ModelError(definition.merges_file + place + ": the merge \"" +
                       left + " " + right + "\" needs the token \"" + token +
                       "\", which " + definition.vocabulary_file +
                       " does not have; the files do not belong together");
    };
    merges.push_back({find(left), find(right), find(left + right)});
  }
  return merges;
}

/// A cut merges file is well-formed, but most long tokens are then never made.
void check_all_tokens_made(const BpeDefinition& definition,
                           const std::vector<BpeMerge>& merges) {
  std::unordered_set<std::int32_t> made;
  for (const BpeMerge& merge : merges) made.insert(merge.joined);
  for (const AddedToken& token : definition.added_tokens) {
    made.insert(token.id);
  }
  std::size_t never_made = 0;
  const std::string* example = nullptr;
  for (const auto& [token, id] : definition.vocabulary) {
    const auto bytes = bytes_of_symbols(token);
    if (!bytes || bytes->size() < 2 || made.contains(id)) continue;
    ++never_made;
    example = &token;
  }
  if (never_made > 64 + definition.vocabulary.size() / 100) {
    throw ModelError(
        definition.merges_file + ": its " + std::to_string(merges.size()) +
        " merges never make " + std::to_string(never_made) + " of the " +
        std::to_string(definition.vocabulary.size()) + " tokens (such as \"" +
        *example + "\"); the file seems to be cut");
  }
}

/// Whether the template is RoBERTa's where no file gives another.
bool is_roberta(const BpeDefinition& definition,
                const TokenizerConfig& config) {
  return definition.merges_file != definition.vocabulary_file ||
         config.tokenizer_class == "RobertaTokenizer" ||
         config.tokenizer_class == "LongformerTokenizer";
}

}  // namespace

ByteLevelBpe::ByteLevelBpe(BpeDefinition definition,
                           const TokenizerConfig& config,
                           const TokenizerOptions& options,
                           std::vector<TokenizerFile> files)
    : num_merges_(definition.merges.size()),
      split_words_(definition.split_words) {
  for (const AddedToken& token : config.added_tokens) {
    const auto same = [&](const AddedToken& other) {
      return other.content == token.content;
    };
    if (std::none_of(definition.added_tokens.begin(),
                     definition.added_tokens.end(), same)) {
      definition.added_tokens.push_back(token);
    }
  }
  add_vocabulary(definition);
  add_added_tokens(definition.added_tokens, definition.vocabulary_file);
  make_finders(definition.added_tokens, options.special_tokens_in_text);
  make_merger(definition);
  template_ = definition.post_processor.tokens;
  trim_offsets_ =
      config.trim_offsets.value_or(definition.post_processor.trim_offsets);
  add_prefix_space_ = definition.add_prefix_space;
  keep_first_blank_ = definition.post_processor.keep_first_blank;
  const std::optional<bool> prefix = options.add_prefix_space
                                         ? options.add_prefix_space
                                         : config.add_prefix_space;
  if (prefix) add_prefix_space_ = keep_first_blank_ = *prefix;
  model_max_length_ = config.model_max_length;
  vocabulary_size_ = static_cast<std::int64_t>(tokens_.size());
  const auto id_of = [&](std::string_view token) { return token_id(token); };
  special_tokens_ = find_special_tokens(config, template_, id_of);
  if (template_.size(false) == 0 && is_roberta(definition, config)) {
    template_ = roberta_template(special_tokens_, definition.vocabulary_file);
  }
  check_template(template_, vocabulary_size_, definition.vocabulary_file);
  SavedConfig saved;
  saved.tokenizer_class = "RobertaTokenizer";
  saved.add_prefix_space = add_prefix_space_;
  saved.roles = roles_of(special_tokens_, definition.added_tokens);
  complete_tokenizer_config(saved, files);
  set_files(std::move(files),
            options.special_tokens_in_text ? "" : "no special tokens in text");
}

void ByteLevelBpe::add_vocabulary(const BpeDefinition& definition) {
  std::int32_t largest = 0;
  for (const auto& [text, id] : definition.vocabulary) {
    largest = std::max(largest, id);
  }
  tokens_.resize(static_cast<std::size_t>(largest) + 1);
  const std::string blank = symbols_of_bytes(" ");
  for (const auto& [text, id] : definition.vocabulary) {
    Token& token = tokens_[static_cast<std::size_t>(id)];
    token.text = text;
    token.bytes = bytes_of_symbols(text).value_or(text);
    token.exists = true;
    const auto not_blank = token.bytes.find_first_not_of(' ');
    if (not_blank == std::string::npos) {
      token.leading_spaces = token.trailing_spaces =
          static_cast<std::uint32_t>(token.bytes.size());
    } else {
      token.leading_spaces = static_cast<std::uint32_t>(not_blank);
      token.trailing_spaces = static_cast<std::uint32_t>(
          token.bytes.size() - 1 - token.bytes.find_last_not_of(' '));
    }
    ids_.emplace(text, id);
  }
}

void ByteLevelBpe::add_added_tokens(const std::vector<AddedToken>& tokens,
                                    const std::string& where) {
  const auto limit = 2 * static_cast<std::int64_t>(tokens_.size()) + 65536;
  for (const AddedToken& added : tokens) {
    if (added.content.empty()) continue;
    const std::string what = where + ": the added token \"" + added.content +
                             "\" has id " + std::to_string(added.id);
    if (added.id >= limit) throw ModelError(what + ", far above the others");
    const auto [position, is_new] = ids_.emplace(added.content, added.id);
    if (position->second != added.id) {
      throw ModelError(what + ", but the vocabulary gives it " +
                       std::to_string(position->second));
    }
    const auto index = static_cast<std::size_t>(added.id);
    if (index >= tokens_.size()) tokens_.resize(index + 1);
    Token& token = tokens_[index];
    if (token.exists && token.text != added.content) {
      throw ModelError(what + ", which \"" + token.text + "\" has too");
    }
    token.text = added.content;
    token.bytes = bytes_of_symbols(added.content).value_or(added.content);
    token.exists = true;
    token.special = added.special;
  }
}

void ByteLevelBpe::make_finders(const std::vector<AddedToken>& tokens,
                                bool special_tokens_in_text) {
  std::vector<AddedToken> first;
  std::vector<AddedToken> second;
  for (const AddedToken& token : tokens) {
    if (token.special && !special_tokens_in_text) continue;
    (token.normalized ? second : first).push_back(token);
  }
  finder_ = std::make_unique<AddedTokenFinder>(std::move(first));
  normalized_finder_ = std::make_unique<AddedTokenFinder>(std::move(second));
}

void ByteLevelBpe::make_merger(const BpeDefinition& definition) {
  std::vector<std::int32_t> byte_tokens(256, -1);
  std::vector<std::pair<std::string, std::int32_t>> words;
  for (const auto& [text, id] : definition.vocabulary) {
    auto bytes = bytes_of_symbols(text);
    if (!bytes) continue;
    if (bytes->size() == 1) {
      byte_tokens[static_cast<unsigned char>((*bytes)[0])] = id;
    }
    words.emplace_back(std::move(*bytes), id);
  }
  std::int32_t unknown = -1;
  if (!definition.unknown_token.empty()) {
    const auto found = ids_.find(definition.unknown_token);
    if (found == ids_.end()) {
      throw ModelError(definition.vocabulary_file + ": unk_token \"" +
                       definition.unknown_token + "\" is not a token");
    }
    unknown = found->second;
  }
  const auto missing = std::count(byte_tokens.begin(), byte_tokens.end(), -1);
  if (missing > 0 && unknown < 0) {
    log_warning(definition.vocabulary_file + ": " + std::to_string(missing) +
                " of the 256 bytes have no token; they leave no trace in the "
                "ids, as in the tokenizers library");
  }
  const std::vector<BpeMerge> merges = resolve_merges(definition, ids_);
  if (!definition.ignore_merges) check_all_tokens_made(definition, merges);
  merger_ = std::make_unique<BpeMerger>(std::move(byte_tokens), unknown, merges,
                                        words, definition.ignore_merges);
}

}  // namespace longformer
