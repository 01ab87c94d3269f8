// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace longformer {

/// Where a token came from: code points [first, second) of the text. Special
/// tokens of the template have {0, 0}.
using TokenOffset = std::pair<std::uint32_t, std::uint32_t>;

/// What one text (or pair of texts) became.
struct Encoding {
  std::vector<std::int32_t> ids;
  /// One per id, if EncodeSettings::want_offsets.
  std::vector<TokenOffset> offsets;
  /// One per id: -1 special token of the template, 0 first text, 1 second.
  std::vector<std::int8_t> sequence;
  /// Whether tokens were cut to fit max_length.
  bool truncated = false;
  /// Number of ids before anything was cut, special tokens included.
  std::int64_t total_tokens = 0;
};

/// Which text of a pair gives way when both do not fit. A text without a
/// partner is cut in each of them except kOnlySecond.
enum class Truncation { kLongestFirst, kOnlyFirst, kOnlySecond };

struct EncodeSettings {
  /// Longest result in tokens, special tokens included; 0 means no limit.
  std::int64_t max_length = 0;
  /// Tokens of the text that each further window repeats; encode_windows only.
  std::int64_t stride = 0;
  Truncation truncation = Truncation::kLongestFirst;
  bool add_special_tokens = true;
  bool want_offsets = false;
};

/// Ids of the tokens with a role; -1 where the vocabulary has none.
struct SpecialTokens {
  std::int32_t bos = -1;
  std::int32_t eos = -1;
  std::int32_t sep = -1;
  std::int32_t cls = -1;
  std::int32_t pad = -1;
  std::int32_t unk = -1;
  std::int32_t mask = -1;
};

/// The special tokens around one text A, and around two texts A and B.
struct TokenTemplate {
  std::vector<std::int32_t> before, after;
  std::vector<std::int32_t> pair_before, pair_between, pair_after;

  std::size_t size(bool pair) const;
};

/// A file of a tokenizer directory.
struct TokenizerFile {
  std::string name;
  std::string content;
};

/// Turns text into the ids that a model was trained with, exactly as the
/// Hugging Face `tokenizers` library (byte-level BPE) or the SentencePiece
/// library with the XLM-R rules (SentencePiece) does.
///
/// Text is UTF-8. Ill-formed bytes count as U+FFFD, one for each maximal
/// ill-formed subpart; NUL is a character like any other. The strings of
/// special tokens (`<s>`, `<mask>`, ...) are recognised inside the text unless
/// the tokenizer was loaded with special_tokens_in_text = false.
///
/// Threads: every const function may be called from any number of threads at
/// the same time.
class Tokenizer {
 public:
  virtual ~Tokenizer() = default;
  Tokenizer(const Tokenizer&) = delete;
  Tokenizer& operator=(const Tokenizer&) = delete;

  /// One more than the largest id: the rows that an embedding table needs.
  std::int64_t vocabulary_size() const { return vocabulary_size_; }
  const SpecialTokens& special_tokens() const { return special_tokens_; }
  /// From tokenizer_config.json; 0 when it says nothing (or "no limit").
  std::int64_t model_max_length() const { return model_max_length_; }
  /// Changes it, also in what save() writes; the fingerprint stays.
  void set_model_max_length(std::int64_t length);
  /// Differs when files or options differ that can change ids; for cache keys.
  std::uint64_t fingerprint() const { return fingerprint_; }
  /// One line for logs, such as "byte-level BPE, 50265 tokens".
  virtual std::string description() const = 0;

  /// Appends the ids of `text` without the template's special tokens; with
  /// `offsets`, also one offset per id. Cost: linear in the text (log-linear
  /// in the longest word).
  void encode_ordinary(std::string_view text, std::vector<std::int32_t>& ids,
                       std::vector<TokenOffset>* offsets = nullptr) const;

  /// `<s> A </s>`, or with a pair `<s> A </s></s> B </s>`, cut to max_length.
  ///
  /// Throws ConfigError if max_length leaves no room for what must stay (see
  /// encode_windows).
  Encoding encode(std::string_view text,
                  const EncodeSettings& settings = {}) const;
  Encoding encode(std::string_view text, std::optional<std::string_view> pair,
                  const EncodeSettings& settings) const;

  /// All windows of a text that is longer than max_length: each repeats
  /// `stride` tokens of the one before. One window when nothing has to be cut.
  ///
  /// With a pair and kLongestFirst, the further windows are combinations of
  /// the pieces of both texts, in the order of `tokenizers`.
  ///
  /// Throws ConfigError if something has to be cut and max_length leaves no
  /// room for text beside the special tokens, stride is not smaller than that
  /// room, or (kOnlyFirst, kOnlySecond) the other text alone fills it.
  std::vector<Encoding> encode_windows(std::string_view text,
                                       std::optional<std::string_view> pair,
                                       const EncodeSettings& settings) const;

  /// The text of `ids`. Special tokens appear as their strings unless
  /// `skip_special`. Ill-formed UTF-8 (a cut character) becomes U+FFFD.
  ///
  /// Throws DataError naming an id that is not in the vocabulary.
  virtual std::string decode(std::span<const std::int32_t> ids,
                             bool skip_special) const = 0;

  /// The id whose string is exactly `token`, -1 if there is none.
  virtual std::int32_t token_id(std::string_view token) const = 0;
  /// The string of a token as stored in the vocabulary; `id` must be below
  /// vocabulary_size(). Empty for an id that no token has.
  virtual std::string token_text(std::int32_t id) const = 0;

  /// Writes the files of a Hugging Face tokenizer directory (it must exist):
  /// `AutoTokenizer` and load_tokenizer read the same ids from them. Existing
  /// files of these names are replaced.
  ///
  /// Throws SystemError.
  void save(const std::string& directory) const;

 protected:
  Tokenizer() = default;

  /// The part of the text a token stands for, before white space is trimmed.
  struct Span {
    std::uint32_t begin = 0;  ///< Code points, as in TokenOffset.
    std::uint32_t end = 0;
    /// White space at the ends of the token's string, in code points.
    std::uint32_t leading_spaces = 0;
    std::uint32_t trailing_spaces = 0;
  };

  /// Appends the ids of well-formed UTF-8; with `spans`, one span per id.
  virtual void tokenize(std::string_view text, std::vector<std::int32_t>& ids,
                        std::vector<Span>* spans) const = 0;

  /// Sets what save() writes, and the fingerprint; called when everything
  /// else is set. `settings` tells apart what equal files may leave open.
  void set_files(std::vector<TokenizerFile> files, const std::string& settings);

  std::int64_t vocabulary_size_ = 0;
  SpecialTokens special_tokens_;
  std::int64_t model_max_length_ = 0;
  TokenTemplate template_;
  /// Whether offsets leave out white space at the ends of tokens, and whether
  /// a single blank at the start of a text counts as added, not as text.
  bool trim_offsets_ = false;
  bool keep_first_blank_ = false;

 private:
  struct Part;
  Part encode_part(std::string_view text, bool want_offsets) const;
  TokenOffset trimmed(const Span& span, bool first) const;
  Encoding assemble(const Part& first, const Part* second,
                    const EncodeSettings& settings) const;
  std::vector<Encoding> encode_parts(std::string_view text,
                                     std::optional<std::string_view> pair,
                                     const EncodeSettings& settings,
                                     bool first_only) const;

  std::uint64_t fingerprint_ = 0;
  std::vector<TokenizerFile> files_;
};

/// What overrides the files of a tokenizer directory.
struct TokenizerOptions {
  /// Byte-level BPE: a blank before each stretch of text. Unset: as the files
  /// say.
  std::optional<bool> add_prefix_space;
  /// Whether `<s>`, `</s>`, `<mask>`, ... written in a text are the special
  /// tokens (as in Hugging Face tokenizers) or ordinary text.
  bool special_tokens_in_text = true;
};

/// Reads the tokenizer of a model directory. Recognised by content, in this
/// order: `tokenizer.json` (byte-level BPE, or unigram as of
/// XLMRobertaTokenizer), a SentencePiece model (`sentencepiece.bpe.model`,
/// `spiece.model`, `tokenizer.model` or the only `*.model`), `vocab.json` with
/// `merges.txt`. `tokenizer_config.json`, `special_tokens_map.json`,
/// `added_tokens.json` and the `tokenizer_class` or `model_type` of
/// `config.json` may refine each.
///
/// Throws ModelError naming the file, what is wrong and what to do.
std::unique_ptr<Tokenizer> load_tokenizer(const std::string& directory,
                                          const TokenizerOptions& options = {});

/// Whether `directory` has files that load_tokenizer would try to read.
bool has_tokenizer(const std::string& directory);

/// Whether load_tokenizer may read a file of this name.
bool is_tokenizer_file_name(std::string_view name);

/// Throws ModelError (naming `model_file`) if an embedding table of `rows` rows
/// lacks rows for the tokenizer's ids; more rows than ids are only logged.
void check_embedding_rows(const Tokenizer& tokenizer, std::int64_t rows,
                          const std::string& model_file);

}  // namespace longformer
