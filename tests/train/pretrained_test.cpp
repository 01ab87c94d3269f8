// SPDX-License-Identifier: MIT
//
// Every model directory of golden/checkpoint through read_model_config and
// load_classifier: what is good answers with the reference's logits, what is
// bad is refused in words that help.
#include "longformer/train/pretrained.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longformer/base/error.h"
#include "longformer/io/file_system.h"
#include "longformer/train/saved_tensors.h"

#include "../model/golden_case.h"
#include "support/golden.h"
#include "support/temp_dir.h"
#include "tiny_model.h"

namespace longformer::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string checkpoint(const std::string& path) {
  return (golden_dir() / "checkpoint" / path).string();
}

Json table_rows() {
  return parse_strict_json(
      longformer::read_file(checkpoint("table.json")))["rows"];
}

LoadedClassifier load(const std::string& directory, at::ScalarType dtype) {
  return load_classifier(directory, read_model_config(directory), {}, dtype);
}

/// Logits, or the last hidden states, for base/inputs.safetensors, against a
/// file of expectations.
void expect_answers(LongformerClassifier& classifier,
                    const std::string& expected_file, bool hidden,
                    at::ScalarType dtype) {
  GoldenCase golden;
  golden.inputs = read_tensors(checkpoint("base/inputs.safetensors"));
  const auto expected = read_tensors(expected_file);
  const auto documents = live_documents(golden);
  const PackedInput input =
      pack_golden(golden, documents, classifier.config().pad_token_id);
  const double tolerance = dtype == at::kDouble ? 1e-10 : 2e-5;
  if (!hidden) {
    const at::Tensor logits = classifier.logits(input, {}).to(at::kDouble);
    for (std::size_t b = 0; b < documents.size(); ++b) {
      const at::Tensor difference = logits[static_cast<std::int64_t>(b)] -
                                    expected.at("f64.logits")[documents[b].row];
      EXPECT_LE(difference.abs().max().item<double>(), tolerance);
    }
    return;
  }
  const at::Tensor states =
      classifier.hidden_states(input, {}).back().to(at::kDouble);
  std::int64_t token = 0;
  for (const GoldenDocument& document : documents) {
    for (const std::int64_t column : document.columns) {
      const at::Tensor difference =
          states[token++] -
          expected.at("f64.last_hidden")[document.row][column];
      EXPECT_LE(difference.abs().max().item<double>(), tolerance);
    }
  }
}

std::set<std::string> names_in(const Json& row, const char* key) {
  std::set<std::string> names;
  if (!row.contains(key)) return names;
  for (const Json& name : row[key]) names.insert(name.get<std::string>());
  return names;
}

std::set<std::string> set_of(const std::vector<std::string>& names) {
  return {names.begin(), names.end()};
}

TEST(PretrainedGoldenTest, EveryGoodDirectoryGivesTheReferencesLogits) {
  int num_rows = 0;
  for (const Json& row : table_rows()) {
    const auto path = row["path"].get<std::string>();
    if (!path.starts_with("good/")) continue;
    SCOPED_TRACE(path);
    ++num_rows;
    const bool headless = row["logits"].is_null();
    const auto file =
        row[headless ? "last_hidden" : "logits"].get<std::string>();
    const std::string expected =
        checkpoint(file.starts_with("base/") ? file : path + "/" + file);
    for (const at::ScalarType dtype : {at::kDouble, at::kFloat}) {
      const LoadedClassifier loaded = load(checkpoint(path), dtype);
      expect_answers(*loaded.classifier, expected, headless, dtype);
      EXPECT_EQ(set_of(loaded.report.ignored), names_in(row, "ignored"));
      std::set<std::string> fresh = set_of(loaded.report.initialised);
      fresh.insert(loaded.report.copied.begin(), loaded.report.copied.end());
      EXPECT_EQ(fresh, names_in(row, "new"));
    }
  }
  EXPECT_EQ(num_rows, 40);
}

TEST(PretrainedGoldenTest, TheSummarySaysWhatBecameOfEveryTensor) {
  EXPECT_EQ(load(checkpoint("base"), at::kFloat).report.summary(),
            "loaded 53, new 0, ignored 0");
  EXPECT_THAT(load(checkpoint("good/headless"), at::kFloat).report.summary(),
              AllOf(HasSubstr("loaded 49"), HasSubstr("new 4"),
                    HasSubstr("classifier.dense.weight")));
  EXPECT_THAT(
      load(checkpoint("good/bin_position_ids"), at::kFloat).report.summary(),
      HasSubstr("ignored 1 (longformer.embeddings.position_ids)"));
  EXPECT_THAT(load(checkpoint("good/no_global_projections"), at::kFloat)
                  .report.summary(),
              HasSubstr("copied from the local projections 12"));
}

// transformers issue 6256: a pooler that nothing uses got no gradient.
TEST(PretrainedGoldenTest, APoolerInTheFilesIsReportedAndNotPartOfTheModel) {
  const LoadedClassifier loaded =
      load(checkpoint("good/st_pooler_and_lm_head"), at::kFloat);
  EXPECT_THAT(loaded.report.ignored,
              ::testing::Contains("longformer.pooler.dense.weight"));
  for (const NamedParameter& p : named_parameters(*loaded.classifier)) {
    EXPECT_EQ(p.name.find("pooler"), std::string::npos);
  }
}

TEST(PretrainedGoldenTest, EveryBadDirectoryIsRefusedInItsWords) {
  int num_refused = 0;
  for (const Json& row : table_rows()) {
    const auto path = row["path"].get<std::string>();
    const auto result = row["result"].get<std::string>();
    if (!path.starts_with("bad/") || !result.starts_with("refused")) continue;
    SCOPED_TRACE(path);
    std::string message = "no error";
    try {
      if (row["file"] == "optimizer.pt") {
        load_tensors({}, checkpoint(path + "/optimizer.pt"));
      } else {
        load(checkpoint(path), at::kFloat);
      }
    } catch (const ModelError& error) {
      message = error.what();
      ++num_refused;
    }
    for (const Json& phrase : row["message_must_name"]) {
      const auto text = phrase.get<std::string>();
      if (text == "expected and actual size") {
        EXPECT_THAT(message, AllOf(HasSubstr("expected"), HasSubstr("actual")));
      } else if (text == "[30, ...] and [34, ...]") {
        EXPECT_THAT(message, AllOf(HasSubstr("[30, "), HasSubstr("[34, ")));
      } else {
        EXPECT_THAT(message, HasSubstr(text));
      }
    }
    // A config.json may have several problems, one a line.
    if (row["file"] != "config.json") {
      EXPECT_EQ(message.find('\n'), std::string::npos);
    }
    if (row.contains("canary")) {
      EXPECT_FALSE(std::filesystem::exists(row["canary"].get<std::string>()));
    }
  }
  EXPECT_EQ(num_refused, 82);
}

TEST(PretrainedGoldenTest, SafetensorsWinOverAPickleBesideThemWithANote) {
  const LoadedClassifier loaded =
      load(checkpoint("bad/both_and_different"), at::kDouble);
  expect_answers(*loaded.classifier, checkpoint("base/expected.safetensors"),
                 false, at::kDouble);
  ASSERT_EQ(loaded.report.notes.size(), 1U);
  EXPECT_THAT(loaded.report.notes[0], HasSubstr("model.safetensors"));
}

TEST(PretrainedTest, WhatIsWrittenIsReadBackBitForBit) {
  for (const Pooling pooling : {Pooling::kCls, Pooling::kMean}) {
    ModelConfig config = tiny_config(3);
    config.pooling = pooling;
    const auto classifier = tiny_classifier(config);
    const TempDir directory;
    save_classifier(*classifier, directory.path().string());
    const LoadedClassifier loaded = load(directory.path().string(), at::kFloat);
    EXPECT_TRUE(
        bit_equal(weights_of(*classifier), weights_of(*loaded.classifier)));
    EXPECT_TRUE(loaded.report.initialised.empty());
    EXPECT_EQ(loaded.classifier->config().pooling, pooling);
  }
}

/// A directory with the model, and the config that a run wants.
struct Start {
  TempDir directory;
  ModelConfig wanted;
  std::shared_ptr<LongformerClassifier> saved;

  explicit Start(std::int64_t saved_labels, std::int64_t wanted_labels)
      : wanted(tiny_config(wanted_labels)),
        saved(tiny_classifier(tiny_config(saved_labels))) {
    save_classifier(*saved, directory.path().string());
  }
  LoadedClassifier load(const LoadRules& rules) const {
    return load_classifier(directory.path().string(), wanted, rules);
  }
};

// transformers issue 14218: a part of the head was silently new.
TEST(PretrainedTest, AHeadOfAnotherSizeIsAnErrorWithBothShapes) {
  const Start start(3, 2);
  try {
    start.load({});
    FAIL() << "no error";
  } catch (const ModelError& error) {
    EXPECT_THAT(error.what(),
                AllOf(HasSubstr("classifier.out_proj"), HasSubstr("[3"),
                      HasSubstr("[2"), HasSubstr("--reinit-head")));
  }
}

TEST(PretrainedTest, ANewHeadIsNewAltogetherAndTheEncoderIsKept) {
  const Start start(3, 2);
  LoadRules rules;
  rules.reinit_head = true;
  const LoadedClassifier loaded = start.load(rules);
  const auto before = named_parameters(*start.saved);
  const auto after = named_parameters(*loaded.classifier);
  int heads = 0;
  for (std::size_t i = 0; i < after.size(); ++i) {
    if (is_head_parameter(after[i].name)) {
      ++heads;
      EXPECT_FALSE(at::equal(before[i].tensor, after[i].tensor) &&
                   after[i].tensor.dim() == 2)
          << after[i].name;
    } else {
      EXPECT_TRUE(at::equal(before[i].tensor, after[i].tensor));
    }
  }
  EXPECT_EQ(heads, 4);
  EXPECT_EQ(loaded.report.initialised.size(), 4U);
}

TEST(PretrainedTest, TheSeedAloneDecidesANewHead) {
  const Start start(3, 2);
  LoadRules rules;
  rules.reinit_head = true;
  const auto weights_with = [&](std::uint64_t seed) {
    rules.seed = seed;
    return weights_of(*start.load(rules).classifier);
  };
  EXPECT_TRUE(bit_equal(weights_with(1), weights_with(1)));
  EXPECT_FALSE(bit_equal(weights_with(1), weights_with(2)));
}

TEST(PretrainedTest, HalfAHeadIsRefused) {
  const auto classifier = tiny_classifier(tiny_config());
  const TempDir directory;
  save_classifier(*classifier, directory.path().string());
  std::vector<NamedParameter> tensors = named_parameters(*classifier);
  std::erase_if(tensors, [](const NamedParameter& p) {
    return p.name == "classifier.dense.bias";
  });
  save_tensors(tensors, (directory / "model.safetensors").string());
  try {
    load(directory.path().string(), at::kFloat);
    FAIL() << "no error";
  } catch (const ModelError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("classifier.dense.bias"),
                                    HasSubstr("--reinit-head")));
  }
}

TEST(PretrainedTest, MissingEncoderWeightsAreNewOnlyWhenAllowed) {
  const std::string path = checkpoint("bad/st_missing_tensor");
  LoadRules rules;
  rules.allow_missing_weights = true;
  const LoadedClassifier loaded =
      load_classifier(path, read_model_config(path), rules);
  EXPECT_EQ(loaded.report.initialised,
            std::vector<std::string>{
                "longformer.encoder.layer.1.attention.self.value.weight"});
}

TEST(PretrainedTest, ADirectoryThatIsNoneSaysWhatAModelIs) {
  const TempDir directory;
  for (const std::string& path :
       {(directory / "nowhere").string(), directory.path().string(),
        directory.write("file", "x").string()}) {
    try {
      read_model_config(path);
      FAIL() << "no error for " << path;
    } catch (const ModelError& error) {
      EXPECT_THAT(error.what(),
                  AllOf(HasSubstr(path), HasSubstr("model.safetensors")));
    }
  }
}

TEST(PretrainedTest, MomentsOfAnotherModelAreRefusedByName) {
  const TempDir directory;
  const std::string path = (directory / "optimizer.safetensors").string();
  save_tensors({{"exp_avg.a", at::zeros({2})}}, path);
  for (const std::vector<NamedParameter>& wanted :
       {std::vector<NamedParameter>{{"exp_avg.b", at::zeros({2})}},
        std::vector<NamedParameter>{{"exp_avg.a", at::zeros({3})}},
        std::vector<NamedParameter>{}}) {
    try {
      load_tensors(wanted, path);
      FAIL() << "no error";
    } catch (const ModelError& error) {
      EXPECT_THAT(error.what(), HasSubstr("another model"));
    }
  }
}

}  // namespace
}  // namespace longformer::test
