// SPDX-License-Identifier: MIT
#include "longformer/data/build_dataset.h"

#include <stdexcept>
#include <string>

#include <gmock/gmock.h>

#include "longformer/base/random.h"

#include "fake_tokenizer.h"
#include "reader_testing.h"

namespace longformer::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

EncodeOptions options(std::int64_t max_length = 16) {
  EncodeOptions options;
  options.max_length = max_length;
  options.vocab_size = 260;
  options.max_position_embeddings = 100000;
  return options;
}

std::vector<std::int32_t> ids_of(const Dataset& dataset, std::int64_t row) {
  const auto ids = dataset.tokens(row);
  return {ids.begin(), ids.end()};
}

/// A data set from a file with this content.
Dataset build(std::string_view name, std::string_view content,
              const ReaderSettings& settings = {}) {
  const TempDir dir;
  RecordReader reader({dir.write(name, content).string()}, settings);
  const FakeTokenizer tokenizer;
  return build_dataset(reader, &tokenizer, options(), 2);
}

TEST(BuildDatasetTest, KeepsTheOrderForAnyNumberOfThreads) {
  RandomStream random({1, 2}, 0);
  std::string content;
  for (int i = 0; i < 3000; ++i) {
    content += "{\"text\": \"" + std::string(random.next_below(40), 'a') +
               std::to_string(i) + "\", \"label\": " + std::to_string(i % 3) +
               "}\n";
  }
  const TempDir dir;
  const std::string path = dir.write("a.jsonl", content).string();
  const FakeTokenizer tokenizer;
  std::uint64_t fingerprint = 0;
  for (const int threads : {1, 2, 5}) {
    RecordReader reader({path}, {});
    Dataset dataset = build_dataset(reader, &tokenizer, options(), threads);
    ASSERT_EQ(dataset.size(), 3000);
    LabelCollector collector({});
    dataset.collect_labels(collector);
    dataset.set_targets(collector.decide());
    if (threads == 1) {
      fingerprint = dataset.fingerprint();
      for (std::int64_t row = 0; row < dataset.size(); ++row) {
        EXPECT_EQ(dataset.class_id(row), row % 3);
        EXPECT_EQ(dataset.position(row).line, row + 1);
      }
    }
    EXPECT_EQ(dataset.fingerprint(), fingerprint);
  }
}

TEST(BuildDatasetTest, CountsWhatWasCut) {
  const Dataset dataset =
      build("a.csv", "text,label\nshort,x\n" + std::string(30, 'a') + ",y\n");
  EXPECT_EQ(dataset.num_truncated(), 1);
  EXPECT_EQ(dataset.num_cut_tokens(), 16);
  EXPECT_EQ(dataset.cut_tokens(0), 0);
  EXPECT_EQ(dataset.cut_tokens(1), 16);
  EXPECT_THAT(dataset.lengths(), ElementsAre(7, 16));
  EXPECT_EQ(dataset.num_tokens(), 23);
}

TEST(BuildDatasetTest, NamesTheRowOfAnIdOutsideTheVocabulary) {
  EXPECT_THAT(data_error([] {
                build("a.jsonl",
                      "{\"input_ids\": [0, 2]}\n{\"input_ids\": [0, 260]}\n");
              }),
              AllOf(HasSubstr("a.jsonl:2:1: "), HasSubstr("token id 260")));
}

TEST(BuildDatasetTest, CountsRowsThatCannotBeEncodedAsBad) {
  ReaderSettings settings;
  settings.reading.max_bad_rows = 1;
  const Dataset dataset =
      build("a.jsonl", "{\"input_ids\": [0, 260]}\n{\"input_ids\": [0, 2]}\n",
            settings);
  EXPECT_EQ(dataset.size(), 1);
  EXPECT_THAT(ids_of(dataset, 0), ElementsAre(0, 2));
  EXPECT_EQ(dataset.describe(0), dataset.columns().files[0] + ":2:1");
}

TEST(BuildDatasetTest, RefusesFilesWithoutAnyRow) {
  EXPECT_THAT(data_error([] { build("a.jsonl", "\n"); }),
              HasSubstr("no usable row"));
}

TEST(BuildDatasetTest, NamesTheRowOfALabelOutsideTheList) {
  // Known failure R27: a typo in row 17.
  std::string content = "text,label\n";
  for (int row = 1; row <= 20; ++row) {
    content += "t," +
               std::string(row == 17 ? "333"
                           : row % 2 ? "1"
                                     : "2") +
               "\n";
  }
  Dataset dataset = build("a.csv", content);
  EXPECT_THAT(
      data_error([&] {
        dataset.set_targets(LabelMap(ProblemType::kSingleLabel, {"1", "2"}));
      }),
      AllOf(HasSubstr("a.csv:18:1 (row 17): "), HasSubstr("\"333\"")));
  EXPECT_FALSE(dataset.has_targets());
}

TEST(BuildDatasetTest, NamesTheRowOfALabelOfAnotherKind) {
  Dataset dataset = build(
      "a.jsonl",
      "{\"text\": \"\", \"label\": 1}\n{\"text\": \"\", \"label\": true}\n");
  LabelCollector collector({});
  EXPECT_THAT(
      data_error([&] { dataset.collect_labels(collector); }),
      AllOf(HasSubstr("a.jsonl:2:1: "), HasSubstr("a.jsonl:1:1 is an")));
}

TEST(BuildDatasetTest, CountsLabels) {
  Dataset dataset = build("a.csv", "text,label\na,x\na,y\na,x\n");
  dataset.set_targets(LabelMap(ProblemType::kSingleLabel, {"x", "y", "z"}));
  EXPECT_THAT(dataset.label_counts(), ElementsAre(2, 1, 0));
  Dataset flags = build("a.csv", "text,label\na,x|y\na,y\na,x|y\n");
  flags.set_targets(LabelMap(ProblemType::kMultiLabel, {"x", "y"}));
  EXPECT_THAT(flags.label_counts(), ElementsAre(2, 3));
}

TEST(BuildDatasetTest, CanBeStoppedBetweenBlocks) {
  const TempDir dir;
  RecordReader reader({dir.write("a.jsonl", "{\"text\": \"a\"}\n").string()},
                      {});
  const FakeTokenizer tokenizer;
  EXPECT_THROW(build_dataset(reader, &tokenizer, options(), 1,
                             [] { throw std::runtime_error("stop"); }),
               std::runtime_error);
}

TEST(BuildDatasetTest, RefusesALengthBeyondTheModel) {
  RecordReader reader({"never opened.jsonl"}, {});
  EXPECT_THROW(build_dataset(reader, nullptr, options(100000), 1), ConfigError);
}

TEST(DatasetTest, KeepsEveryKindOfLabel) {
  const std::vector<RawLabel> labels{
      RawLabel(),
      RawLabel(std::string("")),
      RawLabel(std::string("a\0b", 3)),
      RawLabel(std::int64_t{-5}),
      RawLabel(false),
      RawLabel(true),
      RawLabel(-0.5),
      RawLabel(std::vector<LabelScalar>{}),
      RawLabel(std::vector<LabelScalar>{std::string("x"), std::int64_t{1}, true,
                                        2.5, std::string()})};
  DatasetBuilder builder({"f"}, options());
  EncodedDocument document;
  document.ids = {0};
  for (const RawLabel& label : labels) builder.add(document, label, {});
  const Dataset dataset = builder.finish();
  for (std::size_t i = 0; i < labels.size(); ++i) {
    EXPECT_EQ(dataset.raw_label(static_cast<std::int64_t>(i)), labels[i]) << i;
  }
}

TEST(DatasetTest, HasAnotherFingerprintForOtherContent) {
  const auto fingerprint = [](const std::string& content) {
    Dataset dataset = build("a.csv", content);
    dataset.set_targets(LabelMap(ProblemType::kSingleLabel, {"x", "y"}));
    return dataset.fingerprint();
  };
  const std::uint64_t first = fingerprint("text,label\nab,x\nc,y\n");
  EXPECT_EQ(fingerprint("label,text\nx,ab\ny,c\n"), first);
  EXPECT_NE(fingerprint("text,label\nab,x\nd,y\n"), first);
  EXPECT_NE(fingerprint("text,label\nab,x\nc,x\n"), first);
  EXPECT_NE(fingerprint("text,label\nc,y\nab,x\n"), first);
}

}  // namespace
}  // namespace longformer::test
