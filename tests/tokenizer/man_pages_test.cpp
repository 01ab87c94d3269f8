// SPDX-License-Identifier: MIT
// Whole documents: the troff source of Debian's manual pages.
#include <gtest/gtest.h>

#include "longformer/base/utf8.h"
#include "longformer/tokenizer/tokenizer.h"

#include "support/paths.h"
#include "tokenizer/golden_tokenizers.h"

namespace longformer::test {
namespace {

TEST(ManPagesTest, IdsOfEveryPageAreTheReferences) {
  const auto pages = cache_dir() / "manpages/usr/share/man";
  ASSERT_TRUE(std::filesystem::exists(pages))
      << pages << " is missing; scripts/setup.sh --tests unpacks it";
  const auto tokenizer = load_tokenizer(bpe_directory());
  const std::vector<Json> rows = read_json_lines(bpe_golden("man_pages.jsonl"));
  ASSERT_EQ(rows.size(), 768U);
  for (const Json& row : rows) {
    const std::string file = row["file"];
    const std::string text = replace_invalid_utf8(read_gzip(pages / file));
    ASSERT_EQ(sha256_of(text), row["sha256_text"]) << file;
    Ids ids;
    tokenizer->encode_ordinary(text, ids);
    EXPECT_EQ(ids.size(), row["count"].get<std::size_t>()) << file;
    EXPECT_EQ(sha256_of(ids), row["sha256_ids"]) << file;
  }
}

}  // namespace
}  // namespace longformer::test
