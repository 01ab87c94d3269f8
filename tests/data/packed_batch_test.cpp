// SPDX-License-Identifier: MIT
#include "longformer/data/packed_batch.h"

#include <gmock/gmock.h>

#include "longformer/base/random.h"
#include "longformer/data/dataset.h"

namespace longformer::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

EncodeOptions options() {
  EncodeOptions options;
  options.max_length = 64;
  options.vocab_size = 100;
  options.max_position_embeddings = 66;
  return options;
}

EncodedDocument document_of(std::vector<std::int32_t> ids,
                            std::int32_t prefix = 1) {
  EncodedDocument document;
  document.ids = std::move(ids);
  document.global_prefix = prefix;
  return document;
}

Dataset dataset_of(const std::vector<EncodedDocument>& documents,
                   const std::vector<RawLabel>& labels = {}) {
  DatasetBuilder builder({"f"}, options());
  for (std::size_t i = 0; i < documents.size(); ++i) {
    builder.add(documents[i], labels.empty() ? RawLabel() : labels[i],
                {0, 1, static_cast<std::int64_t>(i + 1),
                 static_cast<std::int64_t>(i + 1)});
  }
  return builder.finish();
}

TEST(PositionIdsTest, StartBehindThePaddingIdAndSkipIt) {
  std::vector<std::int64_t> positions;
  append_position_ids(std::vector<std::int32_t>{0, 7, 1, 8, 1, 1, 2}, 1,
                      positions);
  EXPECT_THAT(positions, ElementsAre(2, 3, 1, 4, 1, 1, 5));
  positions.clear();
  append_position_ids(std::vector<std::int32_t>{0, 1, 5, 2}, 5, positions);
  EXPECT_THAT(positions, ElementsAre(6, 7, 5, 8));
}

TEST(PackTest, ConcatenatesDocumentsInTheGivenOrder) {
  const Dataset dataset = dataset_of(
      {document_of({0, 5, 2}), document_of({0, 2}, 2), document_of({0, 6, 2})});
  const PlannedDocument planned[] = {{4, 2}, {7, 1}};
  const PackedBatch batch = pack(dataset, planned);
  EXPECT_THAT(batch.token_ids, ElementsAre(0, 6, 2, 0, 2));
  EXPECT_THAT(batch.position_ids, ElementsAre(2, 3, 4, 2, 3));
  EXPECT_THAT(batch.document_offsets, ElementsAre(0, 3, 5));
  EXPECT_THAT(batch.global_prefix, ElementsAre(1, 2));
  EXPECT_THAT(batch.document_index, ElementsAre(4, 7));
  EXPECT_THAT(batch.dataset_row, ElementsAre(2, 1));
  EXPECT_THAT(batch.weights, ElementsAre(1, 1));
  EXPECT_THAT(batch.token_type_ids, IsEmpty());
  EXPECT_THAT(batch.global_offsets, IsEmpty());
  EXPECT_THAT(batch.class_ids, IsEmpty());
  EXPECT_EQ(batch.num_tokens(), 5);
  EXPECT_EQ(batch.num_documents(), 2);
}

TEST(PackTest, ListsGlobalTokensWhenSomeAreScattered) {
  EncodedDocument scattered = document_of({0, 5, 6, 2}, 0);
  scattered.global_positions = std::vector<std::int32_t>{1, 3};
  const Dataset dataset = dataset_of(
      {document_of({0, 5, 2}, 2), scattered, document_of({0, 2}, 0)});
  const PackedBatch batch = pack(dataset, EvaluationGroup{0, 3, 9});
  EXPECT_THAT(batch.global_prefix, ElementsAre(2, 0, 0));
  EXPECT_THAT(batch.global_tokens, ElementsAre(0, 1, 1, 3));
  EXPECT_THAT(batch.global_offsets, ElementsAre(0, 2, 4, 4));
}

TEST(PackTest, GivesEveryTokenATypeWhenSomeHaveOne) {
  EncodedDocument typed = document_of({0, 5, 2});
  typed.token_types = {0, 1, 1};
  const Dataset dataset =
      dataset_of({document_of({0, 2}), typed, document_of({0, 2})});
  const PackedBatch batch = pack(dataset, EvaluationGroup{0, 3, 7});
  EXPECT_THAT(batch.token_type_ids, ElementsAre(0, 0, 0, 1, 1, 0, 0));
}

TEST(PackTest, CarriesTargetsAndWeights) {
  Dataset classes =
      dataset_of({document_of({0, 2}), document_of({0, 2})},
                 {RawLabel(std::string("b")), RawLabel(std::string("a"))});
  classes.set_targets(LabelMap(ProblemType::kSingleLabel, {"a", "b"}));
  classes.set_class_weights({0.5, 2.0});
  const PackedBatch batch = pack(classes, EvaluationGroup{0, 2, 4});
  EXPECT_THAT(batch.class_ids, ElementsAre(1, 0));
  EXPECT_THAT(batch.weights, ElementsAre(2.0, 0.5));
  EXPECT_THAT(batch.values, IsEmpty());
  EXPECT_EQ(total_weight(classes, std::vector<std::int64_t>{1, 0}), 2.5);

  Dataset flags =
      dataset_of({document_of({0, 2}), document_of({0, 2})},
                 {RawLabel(std::string("a|b")), RawLabel(std::string(""))});
  flags.set_targets(LabelMap(ProblemType::kMultiLabel, {"a", "b"}));
  EXPECT_THAT(pack(flags, EvaluationGroup{0, 2, 4}).values,
              ElementsAre(1, 1, 0, 0));
}

TEST(PackTest, EqualsANaiveConcatenation) {
  RandomStream random({3, 4}, 0);
  std::vector<EncodedDocument> documents;
  for (int i = 0; i < 200; ++i) {
    std::vector<std::int32_t> ids(1 + random.next_below(60));
    for (auto& id : ids) id = static_cast<std::int32_t>(random.next_below(100));
    documents.push_back(document_of(ids, 0));
    if (random.next_below(3) == 0) {
      documents.back().global_positions = std::vector<std::int32_t>{
          static_cast<std::int32_t>(random.next_below(ids.size()))};
    }
  }
  const Dataset dataset = dataset_of(documents);
  std::vector<PlannedDocument> planned;
  for (std::int32_t i = 0; i < 500; ++i) {
    planned.push_back({i, static_cast<std::int64_t>(random.next_below(200))});
  }
  const PackedBatch batch = pack(dataset, planned);
  std::size_t at = 0;
  for (std::size_t b = 0; b < planned.size(); ++b) {
    const auto& document = documents[static_cast<std::size_t>(planned[b].row)];
    EXPECT_EQ(batch.document_offsets[b], static_cast<std::int32_t>(at));
    std::int64_t count = 0;
    for (const std::int32_t id : document.ids) {
      EXPECT_EQ(batch.token_ids[at], id);
      EXPECT_EQ(batch.position_ids[at], id == 1 ? 1 : 1 + ++count);
      ++at;
    }
    const std::vector<std::int32_t> globals(
        batch.global_tokens.begin() + batch.global_offsets[b],
        batch.global_tokens.begin() + batch.global_offsets[b + 1]);
    EXPECT_EQ(globals,
              document.global_positions.value_or(std::vector<std::int32_t>{}));
  }
  EXPECT_EQ(at, batch.token_ids.size());
}

}  // namespace
}  // namespace longformer::test
