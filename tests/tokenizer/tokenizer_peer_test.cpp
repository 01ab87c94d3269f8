// SPDX-License-Identifier: MIT
// Random texts against the tokenizers library and AutoTokenizer, live.
#include <gtest/gtest.h>

#include "longformer/tokenizer/tokenizer.h"
#include "longformer/tokenizer/train_sentencepiece.h"

#include "support/paths.h"
#include "support/run_program.h"
#include "support/temp_dir.h"
#include "tokenizer/golden_tokenizers.h"

namespace longformer::test {
namespace {

void run_peer(std::vector<std::string> arguments) {
  arguments.insert(
      arguments.begin(),
      (source_dir() / "tests/tokenizer/tokenizer_peer.py").string());
  const RunResult result = run_program(peer_python(), arguments);
  ASSERT_EQ(result.exit_code, 0) << result.standard_error;
}

/// The files of one comparison.
class TokenizerPeerTest : public testing::Test {
 protected:
  /// `count` random texts, always the same ones.
  void make_texts(int count) {
    run_peer({"texts", std::to_string(count), "4", path("texts")});
  }

  /// Ids of `tokenizer`, and offsets if asked for, against the reference's.
  void compare(const Tokenizer& tokenizer, const std::string& how,
               const std::string& directory, bool with_offsets) {
    run_peer({"encode", how, directory, path("texts"), path("encodings")});
    const std::vector<Json> texts = read_json_lines(path("texts"));
    const std::vector<Json> expected = read_json_lines(path("encodings"));
    ASSERT_EQ(texts.size(), expected.size());
    ASSERT_FALSE(texts.empty());
    EncodeSettings settings;
    settings.want_offsets = true;
    int differences = 0;
    for (std::size_t i = 0; i < texts.size() && differences < 10; ++i) {
      const Encoding encoding =
          tokenizer.encode(texts[i].get<std::string>(), settings);
      const bool same =
          encoding.ids == expected[i]["ids"].get<Ids>() &&
          (!with_offsets ||
           encoding.offsets == expected[i]["offsets"].get<Offsets>());
      EXPECT_TRUE(same) << texts[i];
      differences += same ? 0 : 1;
    }
  }

  std::string path(const std::string& name) const {
    return (directory_ / name).string();
  }

  TempDir directory_;
};

/// A vocabulary of some thousand lines that look like code and prose.
void train_small_vocabulary(const std::string& directory) {
  int row = 0;
  const TextSource source = [&](std::string& text) {
    const std::string n = std::to_string(row * 7919 % 1000);
    text = "func read" + n + "(buffer []byte) error {\n\tif len(buffer) == 0" +
           " {\n\t\treturn errors.New(\"no data in part " + n +
           "\")\n\t}\n}\n// Prose: the lazy dog, caf\u00e9, na\u00efve; =====" +
           std::string(static_cast<std::size_t>(row % 40), '-') + "\n";
    return ++row < 400;
  };
  SentencePieceTraining settings;
  settings.vocabulary_size = 300;
  train_sentencepiece(settings, source, directory);
}

TEST_F(TokenizerPeerTest, ByteLevelBpeOnTenThousandTexts) {
  make_texts(10000);
  for (const bool prefix : {false, true}) {
    TokenizerOptions options;
    options.add_prefix_space = prefix;
    compare(*load_tokenizer(bpe_directory(), options),
            prefix ? "prefix" : "file", bpe_directory(), true);
  }
}

TEST_F(TokenizerPeerTest, TrainedVocabularyInAutoTokenizer) {
  make_texts(3000);
  train_small_vocabulary(path("vocabulary"));
  const auto tokenizer = load_tokenizer(path("vocabulary"));
  compare(*tokenizer, "auto", path("vocabulary"), true);
  const TempDir copy;
  tokenizer->save(copy.path().string());
  compare(*tokenizer, "auto", copy.path().string(), true);
}

TEST_F(TokenizerPeerTest, DirectoriesThatTransformersWrote) {
  make_texts(3000);
  directory_.write("spm/sentencepiece.bpe.model",
                   read_file(spm_golden("unigram.model")));
  directory_.write("spm/tokenizer_config.json",
                   R"({"tokenizer_class": "XLMRobertaTokenizer"})");
  for (const std::string& source : {path("spm"), bpe_directory()}) {
    const std::string saved = path("saved" + std::to_string(source.size()));
    run_peer({"save", source, saved});
    // Where normalisation deletes characters, offsets of the reference shift.
    compare(*load_tokenizer(saved), "auto", saved, source == bpe_directory());
  }
}

TEST_F(TokenizerPeerTest, VocabularyAndMergesSavedForAutoTokenizer) {
  make_texts(3000);
  const std::filesystem::path bpe = bpe_directory();
  directory_.write("two/vocab.json", read_file(bpe / "vocab.json"));
  directory_.write("two/merges.txt", read_file(bpe / "merges.txt"));
  for (const bool prefix : {false, true}) {
    TokenizerOptions options;
    options.add_prefix_space = prefix;
    const auto tokenizer = load_tokenizer(path("two"), options);
    const TempDir saved;
    tokenizer->save(saved.path().string());
    compare(*tokenizer, "auto", saved.path().string(), true);
  }
}

}  // namespace
}  // namespace longformer::test
