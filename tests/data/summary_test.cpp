// SPDX-License-Identifier: MIT
#include "longformer/data/summary.h"

#include <string>

#include <gmock/gmock.h>

#include "fake_tokenizer.h"
#include "reader_testing.h"

namespace longformer::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

DataSummary summary_of(const std::string& content,
                       const Tokenizer* tokenizer = nullptr) {
  const TempDir dir;
  RecordReader reader({dir.write("a.csv", content).string()}, {});
  return summarize(reader, tokenizer, 2);
}

TEST(SummaryTest, CountsLengthsInCharactersOrTokens) {
  const std::string content = "text,label\näöü,x\na,x\n";
  const DataSummary characters = summary_of(content);
  EXPECT_EQ(characters.unit, "characters");
  EXPECT_EQ(characters.longest, 3);
  EXPECT_EQ(characters.shortest, 1);
  EXPECT_EQ(characters.total_length, 4);
  EXPECT_THAT(characters.longest_at, HasSubstr("a.csv:2"));
  const FakeTokenizer tokenizer;
  const DataSummary tokens = summary_of(content, &tokenizer);
  EXPECT_EQ(tokens.unit, "tokens");
  EXPECT_EQ(tokens.longest, 8);
}

TEST(SummaryTest, GivesPercentilesByNearestRank) {
  std::string content = "text,label\n";
  for (int i = 1; i <= 200; ++i) content += std::string(i, 'a') + ",x\n";
  const DataSummary summary = summary_of(content);
  EXPECT_THAT(
      summary.percentiles,
      ElementsAre(Pair(1, 2), Pair(5, 10), Pair(25, 50), Pair(50, 100),
                  Pair(75, 150), Pair(90, 180), Pair(95, 190), Pair(99, 198)));
}

TEST(SummaryTest, CountsLabelsMostFrequentFirst) {
  const DataSummary summary = summary_of("text,label\na,x\na,y\na,y\na,\n");
  EXPECT_THAT(summary.label_counts, ElementsAre(Pair("y", 2), Pair("x", 1)));
  EXPECT_EQ(summary.unlabelled, 1);
  EXPECT_THAT(summary.label_description, HasSubstr("2 classes: x, y"));
}

TEST(SummaryTest, SaysWhatIsWrongWithLabels) {
  EXPECT_THAT(summary_of("text,label\na,x\n").label_description,
              HasSubstr("nothing to learn"));
  EXPECT_EQ(summary_of("text\na\n").label_description, "");
}

TEST(SummaryTest, CanBePrinted) {
  const DataSummary summary = summary_of("text,label\nab,x\nc,y\n");
  const Json json = to_json(summary);
  EXPECT_EQ(json["documents"], 2);
  EXPECT_EQ(json["length"]["percentiles"]["50"], 1);
  EXPECT_EQ(json["labels"]["counts"]["x"], 1);
  EXPECT_THAT(to_text(summary),
              AllOf(HasSubstr("2 documents, 3 characters"),
                    HasSubstr("longest 2"), HasSubstr("  1  x\n")));
}

TEST(SummaryTest, DescribesAnEmptyFile) {
  const DataSummary summary = summary_of("text,label\n");
  EXPECT_EQ(summary.documents, 0);
  EXPECT_THAT(to_text(summary), HasSubstr("0 documents"));
}

}  // namespace
}  // namespace longformer::test
