// SPDX-License-Identifier: MIT
// Damaged tokenizer files give a ModelError or a tokenizer that works.
#include <functional>

#include <gtest/gtest.h>

#include "longformer/base/error.h"
#include "longformer/base/random.h"
#include "longformer/tokenizer/tokenizer.h"

#include "support/temp_dir.h"
#include "tokenizer/golden_tokenizers.h"
#include "tokenizer/tiny_tokenizers.h"

namespace longformer::test {
namespace {

/// A copy of `content` that is cut, has bits flipped, bytes overwritten, or a
/// part moved; which, depends on the number only.
std::string damaged(const std::string& content, int number) {
  RandomStream random({static_cast<std::uint32_t>(number), 77}, 0);
  std::string copy = content;
  const auto place = [&] { return random.next_below(copy.size()); };
  switch (number % 4) {
    case 0:
      copy.resize(place());
      break;
    case 1:
      for (std::uint64_t i = 0; i <= random.next_below(8); ++i) {
        copy[place()] ^= static_cast<char>(1 << random.next_below(8));
      }
      break;
    case 2:
      for (std::uint64_t i = 0; i <= random.next_below(40); ++i) {
        copy[place()] = static_cast<char>(random.next_below(256));
      }
      break;
    default: {
      const std::size_t from = place();
      const std::string part = copy.substr(from, random.next_below(200));
      copy.erase(from, random.next_below(100));
      copy.insert(random.next_below(copy.size() + 1), part);
    }
  }
  return copy;
}

const std::string& sample_text() {
  static const std::string text =
      "The \uFB01rst <mask> document,\n\tit's \u212B \u3000 e\u0301 </s> "
      "\u4E2D "
      "\U0001F600 caf\u00E9 ####  hello\xFF";
  return text;
}

/// Loads what is in the directory and, if that works, uses it.
bool works(const TempDir& directory) {
  try {
    const auto tokenizer = load_tokenizer(directory.path().string());
    EncodeSettings settings;
    settings.want_offsets = true;
    const Encoding encoding = tokenizer->encode(sample_text(), settings);
    for (const std::int32_t id : encoding.ids) {
      EXPECT_GE(id, 0);
      EXPECT_LT(id, tokenizer->vocabulary_size());
    }
    tokenizer->decode(encoding.ids, false);
    return true;
  } catch (const ModelError& error) {
    EXPECT_NE(std::string(error.what()).find(directory.path().string()),
              std::string::npos)
        << error.what();
    return false;
  }
}

void damage(const std::string& name, const std::string& content,
            const std::function<void(const TempDir&)>& write_rest = {}) {
  int usable = 0;
  for (int number = 0; number < 300; ++number) {
    SCOPED_TRACE(name + " damaged in way " + std::to_string(number));
    const TempDir directory;
    if (write_rest) write_rest(directory);
    directory.write(name, damaged(content, number));
    usable += works(directory) ? 1 : 0;
  }
  EXPECT_LT(usable, 300);
}

TEST(DamagedTokenizerTest, VocabularyOfTwoFiles) {
  damage("vocab.json", TinyBpe().vocab_json(), [](const TempDir& directory) {
    directory.write("merges.txt", TinyBpe().merges_txt());
  });
}

TEST(DamagedTokenizerTest, MergesOfTwoFiles) {
  damage("merges.txt", TinyBpe().merges_txt(), [](const TempDir& directory) {
    directory.write("vocab.json", TinyBpe().vocab_json());
  });
}

TEST(DamagedTokenizerTest, BpeInOneFile) {
  damage("tokenizer.json", TinyBpe().tokenizer_json(true).dump());
  damage("tokenizer.json", TinyBpe().tokenizer_json(false).dump());
}

TEST(DamagedTokenizerTest, TokenizerConfig) {
  const Json config = {
      {"tokenizer_class", "RobertaTokenizer"},
      {"add_prefix_space", true},
      {"model_max_length", 4096},
      {"mask_token",
       {{"__type", "AddedToken"}, {"content", "<mask>"}, {"lstrip", true}}},
      {"added_tokens_decoder", {{"0", {{"content", "<s>"}}}}}};
  damage("tokenizer_config.json", config.dump(), [](const TempDir& directory) {
    directory.write("tokenizer.json", TinyBpe().tokenizer_json(true).dump());
  });
}

TEST(DamagedTokenizerTest, SentencePieceModels) {
  for (const char* name : {"unigram.model", "bpe.model"}) {
    damage("sentencepiece.bpe.model", read_file(spm_golden(name)),
           [](const TempDir& directory) {
             directory.write("tokenizer_config.json",
                             R"({"tokenizer_class": "XLMRobertaTokenizer"})");
           });
  }
}

/// Damage at the start of a model hits the structure of the file, not text.
TEST(DamagedTokenizerTest, FirstBytesOfSentencePieceModels) {
  const std::string content = read_file(spm_golden("unigram.model"));
  for (std::size_t position = 0; position < 64; ++position) {
    for (const char value : {'\x00', '\x7F', '\xFF'}) {
      const TempDir directory;
      std::string copy = content;
      copy[position] = value;
      directory.write("a.model", copy);
      works(directory);
    }
  }
}

/// The normalisation rules are a table of jumps, at the end of the file.
TEST(DamagedTokenizerTest, RulesOfSentencePieceModels) {
  const std::string content = read_file(spm_golden("unigram.model"));
  RandomStream random({5, 6}, 0);
  for (int trial = 0; trial < 300; ++trial) {
    std::string copy = content;
    const std::size_t rules = copy.size() - 200'000;
    copy[rules + random.next_below(200'000)] =
        static_cast<char>(random.next_below(256));
    const TempDir directory;
    directory.write("a.model", copy);
    works(directory);
  }
}

TEST(DamagedTokenizerTest, FilesOfAnotherKind) {
  for (const std::string& content :
       {std::string(), std::string("version https://git-lfs.github.com/spec"),
        std::string("<!DOCTYPE html>"), std::string(100'000, '['),
        std::string("\0\0\0\0", 4)}) {
    for (const char* name : {"tokenizer.json", "a.model", "vocab.json"}) {
      const TempDir directory;
      directory.write(name, content);
      EXPECT_FALSE(works(directory)) << name;
    }
  }
}

}  // namespace
}  // namespace longformer::test
