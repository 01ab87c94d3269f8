// SPDX-License-Identifier: MIT
// Ids and offsets of Hugging Face `tokenizers` for byte-level BPE.
#include <gtest/gtest.h>

#include "longformer/base/error.h"
#include "longformer/tokenizer/tokenizer.h"

#include "tokenizer/golden_tokenizers.h"

namespace longformer::test {
namespace {

TokenizerOptions with_prefix(bool add_prefix_space) {
  TokenizerOptions options;
  options.add_prefix_space = add_prefix_space;
  return options;
}

std::unique_ptr<Tokenizer> load(bool add_prefix_space) {
  return load_tokenizer(bpe_directory(), with_prefix(add_prefix_space));
}

std::string text_of(const Json& row) {
  if (!row.contains("bytes_hex")) return row["text"].get<std::string>();
  return from_hex(row["bytes_hex"].get<std::string>());
}

void expect_strings(bool add_prefix_space) {
  const auto tokenizer = load(add_prefix_space);
  const std::string suffix = add_prefix_space ? "_prefix" : "";
  EncodeSettings settings;
  settings.want_offsets = true;
  const std::vector<Json> rows = read_json_lines(bpe_golden("strings.jsonl"));
  EXPECT_EQ(rows.size(), 654U);
  for (const Json& row : rows) {
    const Encoding encoding = tokenizer->encode(text_of(row), settings);
    EXPECT_EQ(encoding.ids, row["ids" + suffix].get<Ids>()) << row["id"];
    EXPECT_EQ(encoding.offsets, row["offsets" + suffix].get<Offsets>())
        << row["id"];
    EXPECT_EQ(encoding.total_tokens, std::ssize(encoding.ids));
  }
}

TEST(BpeGoldenTest, StringsWithoutPrefixBlank) { expect_strings(false); }

TEST(BpeGoldenTest, StringsWithPrefixBlank) { expect_strings(true); }

EncodeSettings settings_of(const Json& row) {
  EncodeSettings settings;
  settings.max_length = row["max_length"];
  settings.stride = row["stride"];
  settings.want_offsets = true;
  const std::string strategy = row["strategy"];
  settings.truncation = strategy == "only_first"    ? Truncation::kOnlyFirst
                        : strategy == "only_second" ? Truncation::kOnlySecond
                                                    : Truncation::kLongestFirst;
  return settings;
}

/// Rows where the library cuts nothing although max_length leaves no room. A
/// max_length of 0 means "no limit" here, so that nothing is cut is right then.
bool library_ignores_limit(const Json& row) {
  const bool pair = !row["second"].is_null();
  return row["max_length"] > 0 && row["max_length"] <= (pair ? 4 : 2);
}

void expect_windows(const Tokenizer& tokenizer, const Json& row,
                    const EncodeSettings& settings) {
  std::optional<std::string> second;
  if (!row["second"].is_null()) second = row["second"].get<std::string>();
  const auto windows = tokenizer.encode_windows(row["first"].get<std::string>(),
                                                second, settings);
  ASSERT_EQ(windows.size(), row["windows"].size()) << row;
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const Json& expected = row["windows"][i];
    EXPECT_EQ(windows[i].ids, expected["ids"].get<Ids>()) << row << i;
    EXPECT_EQ(windows[i].offsets, expected["offsets"].get<Offsets>())
        << row << i;
    EXPECT_EQ(windows[i].sequence,
              expected["sequence"].get<std::vector<std::int8_t>>())
        << row << i;
  }
  EncodeSettings first_only = settings;
  first_only.stride = 0;
  EXPECT_EQ(
      tokenizer.encode(row["first"].get<std::string>(), second, first_only).ids,
      windows[0].ids)
      << row;
}

TEST(BpeGoldenTest, TruncationAndStride) {
  const auto tokenizer = load(false);
  int compared = 0;
  int refused = 0;
  for (const Json& row : read_json_lines(bpe_golden("truncation.jsonl"))) {
    const EncodeSettings settings = settings_of(row);
    if (row.contains("refused") || library_ignores_limit(row)) {
      std::optional<std::string> second;
      if (!row["second"].is_null()) second = row["second"].get<std::string>();
      EXPECT_THROW(tokenizer->encode_windows(row["first"].get<std::string>(),
                                             second, settings),
                   ConfigError)
          << row;
      ++refused;
    } else {
      expect_windows(*tokenizer, row, settings);
      ++compared;
    }
  }
  EXPECT_EQ(compared, 104);
  EXPECT_EQ(refused, 44);
}

TEST(BpeGoldenTest, OneLongText) {
  const Json expected = read_json(bpe_golden("glued.json"));
  const std::string text = read_gzip(bpe_golden("glued.txt.gz"));
  ASSERT_EQ(text.size(), expected["bytes"].get<std::size_t>());
  Ids ids;
  load(false)->encode_ordinary(text, ids);
  EXPECT_EQ(ids.size(), expected["count"].get<std::size_t>());
  EXPECT_EQ(sha256_of(ids), expected["sha256_ids"]);
  ids.clear();
  load(true)->encode_ordinary(text, ids);
  EXPECT_EQ(ids.size(), expected["count_prefix"].get<std::size_t>());
  EXPECT_EQ(sha256_of(ids), expected["sha256_ids_prefix"]);
}

}  // namespace
}  // namespace longformer::test
