// SPDX-License-Identifier: MIT
#include "longformer/train/evaluator.h"

#include <cmath>
#include <numeric>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "longformer/data/packed_batch.h"
#include "longformer/train/tensor_batch.h"

#include "tiny_model.h"

namespace longformer::test {
namespace {

const std::vector<std::int64_t> kLengths{40, 3, 77, 128, 19, 1, 64, 33};

/// The logits of one document that is computed alone.
std::vector<double> alone(LongformerClassifier& classifier, const Dataset& data,
                          std::int64_t row) {
  const PackedBatch batch =
      pack(data, EvaluationGroup{row, row + 1, data.length(row)});
  const at::Tensor logits =
      classifier.logits(to_packed_input(batch, at::kCPU), {})
          .to(at::kDouble)
          .contiguous();
  const double* values = logits.const_data_ptr<double>();
  return {values, values + logits.numel()};
}

TEST(EvaluatorTest, AnswersEveryDocumentInFileOrderWhateverTheGroups) {
  const ModelConfig config = tiny_config(3);
  const Dataset data = tiny_dataset(kLengths, config);
  const auto classifier = tiny_classifier(config);
  for (const std::int64_t tokens : {1, 50, 130, 100000}) {
    const Answers answers =
        answer(*classifier, data, ProblemType::kSingleLabel, tokens);
    ASSERT_EQ(answers.num_documents, 8);
    ASSERT_EQ(answers.logits.size(), 24U);
    for (std::size_t row = 0; row < 8; ++row) {
      const auto expected =
          alone(*classifier, data, static_cast<std::int64_t>(row));
      for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_NEAR(answers.logits[row * 3 + i], expected[i], 1e-5)
            << "row " << row << ", " << tokens << " tokens";
      }
    }
  }
}

TEST(EvaluatorTest, LossesAreTheCrossEntropyOfTheLogits) {
  const ModelConfig config = tiny_config(3);
  const Dataset data = tiny_dataset(kLengths, config);
  const auto classifier = tiny_classifier(config, 1, at::kDouble);
  const Answers answers =
      answer(*classifier, data, ProblemType::kSingleLabel, 200);
  ASSERT_EQ(answers.losses.size(), 8U);
  for (std::size_t row = 0; row < 8; ++row) {
    const std::vector<double> p =
        probabilities(std::span(answers.logits).subspan(row * 3, 3),
                      ProblemType::kSingleLabel);
    const auto label =
        static_cast<std::size_t>(data.class_id(static_cast<std::int64_t>(row)));
    EXPECT_NEAR(answers.losses[row], -std::log(p[label]), 1e-12);
  }
}

TEST(EvaluatorTest, DropoutIsOff) {
  ModelConfig config = tiny_config();
  const Dataset data = tiny_dataset(kLengths, config);
  const auto plain = tiny_classifier(config);
  config.hidden_dropout_prob = 0.5;
  config.attention_probs_dropout_prob = 0.5;
  const auto with_dropout = tiny_classifier(config);
  const auto answers_of = [&](LongformerClassifier& classifier) {
    return answer(classifier, data, ProblemType::kSingleLabel, 500).logits;
  };
  EXPECT_EQ(answers_of(*plain), answers_of(*with_dropout));
}

TEST(EvaluatorTest, TheLossIsThePlainMeanDespiteClassWeights) {
  const ModelConfig config = tiny_config(3);
  Dataset data = tiny_dataset(kLengths, config);
  const auto classifier = tiny_classifier(config);
  const auto loss_of = [&] {
    const Answers answers =
        answer(*classifier, data, ProblemType::kSingleLabel, 500);
    return evaluate_answers(answers, data, ProblemType::kSingleLabel,
                            config.labels)
        .value("loss")
        .value();
  };
  const double plain = loss_of();
  data.set_class_weights({0, 5, 1});
  EXPECT_EQ(loss_of(), plain);
  const Answers answers =
      answer(*classifier, data, ProblemType::kSingleLabel, 500);
  EXPECT_NEAR(
      plain,
      std::accumulate(answers.losses.begin(), answers.losses.end(), 0.0) / 8,
      1e-15);
}

TEST(EvaluatorTest, WithoutTargetsThereAreNoLosses) {
  const ModelConfig config = tiny_config();
  DatasetBuilder builder({"memory"}, {});
  EncodedDocument document;
  document.ids = {0, 9, 2};
  document.global_prefix = 1;
  builder.add(document, {}, {0, 1, 1, 1});
  const Dataset data = builder.finish();
  const Answers answers =
      answer(*tiny_classifier(config), data, ProblemType::kSingleLabel, 500);
  EXPECT_EQ(answers.logits.size(), 2U);
  EXPECT_TRUE(answers.losses.empty());
}

TEST(EvaluatorTest, ProbabilitiesSumToOneForAnyLogits) {
  for (const std::vector<double>& logits :
       {std::vector<double>{1, 2, 3}, std::vector<double>{1e30, 0, -1e30},
        std::vector<double>{-800, -800, -800}}) {
    const auto p = probabilities(logits, ProblemType::kSingleLabel);
    EXPECT_NEAR(p[0] + p[1] + p[2], 1, 1e-15);
  }
  const auto p =
      probabilities(std::vector<double>{1, 2, 3}, ProblemType::kSingleLabel);
  EXPECT_NEAR(p[2], 1 / (1 + std::exp(-1.0) + std::exp(-2.0)), 1e-15);
}

TEST(EvaluatorTest, LabelsOfAMultiLabelModelAreIndependent) {
  const auto p =
      probabilities(std::vector<double>{0, 2, -1e30}, ProblemType::kMultiLabel);
  EXPECT_EQ(p[0], 0.5);
  EXPECT_NEAR(p[1], 1 / (1 + std::exp(-2.0)), 1e-15);
  EXPECT_EQ(p[2], 0);
}

TEST(EvaluatorTest, RegressionAnswersWithTheOutputsThemselves) {
  const std::vector<double> outputs{-3.5, 1e6};
  EXPECT_EQ(probabilities(outputs, ProblemType::kRegression), outputs);
}

}  // namespace
}  // namespace longformer::test
