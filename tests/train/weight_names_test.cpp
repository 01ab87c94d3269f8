// SPDX-License-Identifier: MIT
#include "longformer/train/weight_names.h"

#include <gtest/gtest.h>

namespace longformer::test {
namespace {

constexpr const char* kQuery =
    "longformer.encoder.layer.3.attention.self.query.weight";

TEST(WeightNamesTest, EverySpellingInUseHasOnePublishedName) {
  for (const char* spelling :
       {"longformer.encoder.layer.3.attention.self.query.weight",
        "roberta.encoder.layer.3.attention.self.query.weight",
        "xlm_roberta.encoder.layer.3.attention.self.query.weight",
        "xlm-roberta.encoder.layer.3.attention.self.query.weight",
        "encoder.layer.3.attention.self.query.weight",
        "module.longformer.encoder.layer.3.attention.self.query.weight",
        "module.roberta.encoder.layer.3.attention.self.query.weight",
        "model.longformer.encoder.layer.3.attention.self.query.weight",
        "module.model.encoder.layer.3.attention.self.query.weight"}) {
    EXPECT_EQ(published_name(spelling).name, kQuery) << spelling;
    EXPECT_EQ(published_name(spelling).role, WeightRole::kParameter);
  }
}

TEST(WeightNamesTest, GammaAndBetaAreTheOldNamesOfLayerNorm) {
  EXPECT_EQ(published_name("roberta.embeddings.LayerNorm.gamma").name,
            "longformer.embeddings.LayerNorm.weight");
  EXPECT_EQ(
      published_name("encoder.layer.0.attention.output.LayerNorm.beta").name,
      "longformer.encoder.layer.0.attention.output.LayerNorm.bias");
  // Only where they mean that.
  EXPECT_EQ(published_name("something.gamma").name, "something.gamma");
}

TEST(WeightNamesTest, HeadsKeepTheirNames) {
  EXPECT_EQ(published_name("classifier.dense.weight").name,
            "classifier.dense.weight");
  EXPECT_EQ(published_name("module.classifier.out_proj.bias").name,
            "classifier.out_proj.bias");
  EXPECT_EQ(published_name("mean_classifier.dense.bias").name,
            "mean_classifier.dense.bias");
}

TEST(WeightNamesTest, BuffersPoolersAndOtherHeadsAreKnownAndNotNeeded) {
  for (const char* name :
       {"longformer.embeddings.position_ids", "embeddings.position_ids",
        "longformer.pooler.dense.weight", "pooler.dense.bias",
        "roberta.pooler.dense.weight", "lm_head.bias",
        "lm_head.decoder.weight"}) {
    EXPECT_EQ(published_name(name).role, WeightRole::kIgnored) << name;
  }
}

TEST(WeightNamesTest, AnUnknownPrefixStays) {
  const PublishedName found =
      published_name("foo.encoder.layer.0.output.dense.weight");
  EXPECT_EQ(found.role, WeightRole::kParameter);
  EXPECT_EQ(found.name, "foo.encoder.layer.0.output.dense.weight");
}

TEST(WeightNamesTest, GlobalProjectionsHaveLocalCounterparts) {
  EXPECT_EQ(local_counterpart(
                "longformer.encoder.layer.3.attention.self.query_global."
                "weight"),
            kQuery);
  EXPECT_EQ(local_counterpart(kQuery), "");
  EXPECT_EQ(local_counterpart("classifier.dense.weight"), "");
}

}  // namespace
}  // namespace longformer::test
