// SPDX-License-Identifier: MIT
#include "longformer/tokenizer/tokenizer.h"

#include <algorithm>
#include <utility>

#include "longformer/base/error.h"
#include "longformer/base/log.h"
#include "longformer/base/utf8.h"
#include "longformer/io/atomic_write.h"
#include "longformer/io/digest.h"
#include "longformer/io/file_system.h"

#include "saved_config.h"
#include "windows.h"

namespace longformer {

/// One text as ids, and the range of them that a window holds.
struct Tokenizer::Part {
  std::vector<std::int32_t> ids;
  std::vector<Span> spans;
  TokenRange window;
};

namespace {

/// Calls body with the text itself, or with a copy without ill-formed bytes.
template <class Body>
void with_valid_utf8(std::string_view text, Body&& body) {
  if (find_invalid_utf8(text) == std::string_view::npos) {
    body(text);
  } else {
    body(replace_invalid_utf8(text));
  }
}

void append_special(const std::vector<std::int32_t>& ids, bool want_offsets,
                    Encoding& out) {
  out.ids.insert(out.ids.end(), ids.begin(), ids.end());
  out.sequence.insert(out.sequence.end(), ids.size(), std::int8_t{-1});
  if (want_offsets) out.offsets.insert(out.offsets.end(), ids.size(), {0, 0});
}

}  // namespace

std::size_t TokenTemplate::size(bool pair) const {
  return pair ? pair_before.size() + pair_between.size() + pair_after.size()
              : before.size() + after.size();
}

void Tokenizer::encode_ordinary(std::string_view text,
                                std::vector<std::int32_t>& ids,
                                std::vector<TokenOffset>* offsets) const {
  std::vector<Span> spans;
  with_valid_utf8(text, [&](std::string_view valid) {
    tokenize(valid, ids, offsets == nullptr ? nullptr : &spans);
  });
  if (offsets == nullptr) return;
  offsets->reserve(offsets->size() + spans.size());
  for (std::size_t i = 0; i < spans.size(); ++i) {
    offsets->push_back(trimmed(spans[i], i == 0));
  }
}

Tokenizer::Part Tokenizer::encode_part(std::string_view text,
                                       bool want_offsets) const {
  Part part;
  with_valid_utf8(text, [&](std::string_view valid) {
    tokenize(valid, part.ids, want_offsets ? &part.spans : nullptr);
  });
  part.window = {0, part.ids.size()};
  return part;
}

TokenOffset Tokenizer::trimmed(const Span& span, bool first) const {
  TokenOffset offset(span.begin, span.end);
  if (!trim_offsets_) return offset;
  std::uint32_t leading = span.leading_spaces;
  if ((first || span.begin == 0) && keep_first_blank_ && leading == 1) {
    leading = 0;
  }
  offset.first = std::min(offset.first + leading, offset.second);
  if (span.trailing_spaces > 0 && offset.second >= span.trailing_spaces) {
    offset.second =
        std::max(offset.second - span.trailing_spaces, offset.first);
  }
  return offset;
}

Encoding Tokenizer::assemble(const Part& first, const Part* second,
                             const EncodeSettings& settings) const {
  Encoding out;
  const bool special = settings.add_special_tokens;
  const auto add_special = [&](const std::vector<std::int32_t>& ids) {
    if (special) append_special(ids, settings.want_offsets, out);
  };
  const auto add_text = [&](const Part& part, std::int8_t sequence) {
    const auto [begin, end] = part.window;
    out.ids.insert(out.ids.end(), part.ids.begin() + begin,
                   part.ids.begin() + end);
    out.sequence.insert(out.sequence.end(), end - begin, sequence);
    if (!settings.want_offsets) return;
    for (std::size_t i = begin; i < end; ++i) {
      out.offsets.push_back(trimmed(part.spans[i], i == begin));
    }
  };
  add_special(second == nullptr ? template_.before : template_.pair_before);
  add_text(first, 0);
  if (second != nullptr) {
    add_special(template_.pair_between);
    add_text(*second, 1);
  }
  add_special(second == nullptr ? template_.after : template_.pair_after);
  return out;
}

Encoding Tokenizer::encode(std::string_view text,
                           const EncodeSettings& settings) const {
  return encode(text, std::nullopt, settings);
}

Encoding Tokenizer::encode(std::string_view text,
                           std::optional<std::string_view> pair,
                           const EncodeSettings& settings) const {
  return std::move(encode_parts(text, pair, settings, true).front());
}

std::vector<Encoding> Tokenizer::encode_windows(
    std::string_view text, std::optional<std::string_view> pair,
    const EncodeSettings& settings) const {
  return encode_parts(text, pair, settings, false);
}

std::vector<Encoding> Tokenizer::encode_parts(
    std::string_view text, std::optional<std::string_view> pair,
    const EncodeSettings& settings, bool first_only) const {
  Part first = encode_part(text, settings.want_offsets);
  Part second;
  std::optional<std::size_t> second_size;
  if (pair) {
    second = encode_part(*pair, settings.want_offsets);
    second_size = second.ids.size();
  }
  const std::size_t special =
      settings.add_special_tokens ? template_.size(pair.has_value()) : 0;
  const WindowPlan plan = plan_windows(first.ids.size(), second_size, special,
                                       settings, first_only);
  std::vector<Encoding> encodings;
  for (const Window& window : plan.windows) {
    first.window = window.first;
    second.window = window.second;
    Encoding& encoding = encodings.emplace_back(
        assemble(first, pair ? &second : nullptr, settings));
    encoding.truncated = plan.truncated;
    encoding.total_tokens = static_cast<std::int64_t>(
        first.ids.size() + second.ids.size() + special);
  }
  return encodings;
}

void Tokenizer::set_files(std::vector<TokenizerFile> files,
                          const std::string& settings) {
  files_ = std::move(files);
  // Lengths keep the parts apart.
  Digest digest;
  const auto add = [&](const std::string& part) {
    digest.update(std::to_string(part.size()) + ":");
    digest.update(part);
  };
  add(description());
  add(settings);
  for (const TokenizerFile& file : files_) {
    add(file.name);
    add(file.content);
  }
  fingerprint_ = std::stoull(digest.hex().substr(0, 16), nullptr, 16);
}

void Tokenizer::set_model_max_length(std::int64_t length) {
  if (length == model_max_length_) return;
  model_max_length_ = length;
  set_saved_max_length(length, files_);
}

void Tokenizer::save(const std::string& directory) const {
  for (const TokenizerFile& file : files_) {
    write_file_atomically(join_path(directory, file.name), file.content);
  }
}

void check_embedding_rows(const Tokenizer& tokenizer, std::int64_t rows,
                          const std::string& model_file) {
  const std::int64_t needed = tokenizer.vocabulary_size();
  if (rows < needed) {
    throw ModelError(model_file + ": the word embeddings have " +
                     std::to_string(rows) + " rows, but the tokenizer (" +
                     tokenizer.description() + ") gives ids up to " +
                     std::to_string(needed - 1) +
                     "; use the tokenizer that belongs to this model");
  }
  if (rows > needed) {
    log_info(model_file + ": the word embeddings have " + std::to_string(rows) +
             " rows, the tokenizer " + std::to_string(needed) +
             " ids; the other rows stay unused");
  }
}

}  // namespace longformer
