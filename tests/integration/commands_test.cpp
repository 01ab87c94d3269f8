// SPDX-License-Identifier: MIT
//
// The whole way of a newcomer: a vocabulary, a model from scratch, evaluation,
// prediction, and a look at every kind of file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longformer/base/random.h"

#include "../train/tiny_model.h"
#include "program_test.h"

namespace longformer::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// Sentences of made-up words; one word of 30 tells the label.
std::string documents(int count, std::uint64_t seed) {
  static const std::vector<std::string> kLabels{"apple", "banana", "cherry"};
  RandomStream random({static_cast<std::uint32_t>(seed), 17}, 0);
  std::string csv = "label,text\n";
  for (int i = 0; i < count; ++i) {
    const std::string& label = kLabels[static_cast<std::size_t>(i) % 3];
    std::string text;
    const std::uint64_t place = random.next_below(30);
    for (std::uint64_t word = 0; word < 30; ++word) {
      if (word == place) text += "the " + label + " tree ";
      for (int syllable = 0; syllable < 2; ++syllable) {
        text += "bdfgklmnprst"[random.next_below(12)];
        text += "aeiou"[random.next_below(5)];
      }
      text += random.next_below(9) == 0 ? ", " : " ";
    }
    csv += label + ",\"" + text + "\"\n";
  }
  return csv;
}

class CommandsTest : public ProgramTest {
 protected:
  CommandsTest() {
    write("train.csv", documents(120, 1));
    write("validation.csv", documents(30, 2));
    write("test.csv", documents(30, 3));
    ModelConfig config = tiny_config();
    Json architecture = to_json(config);
    for (const char* key :
         {"vocab_size", "id2label", "label2id", "problem_type"}) {
      architecture.erase(key);
    }
    write("architecture.json", architecture.dump(2));
  }

  void train_all() const {
    run({"tokenizer", "train", "--data", "train.csv", "--vocab-size", "300",
         "--output", "tokenizer"});
    run_well({"train",
              "--architecture",
              "architecture.json",
              "--tokenizer",
              "tokenizer",
              "--train-data",
              "train.csv",
              "--validation-data",
              "validation.csv",
              "--test-data",
              "test.csv",
              "--output-dir",
              "run",
              "--epochs",
              "12",
              "--batch-size",
              "12",
              "--learning-rate",
              "5e-3",
              "--dropout",
              "0",
              "--pooling",
              "mean"});
  }
};

TEST_F(CommandsTest, AVocabularyAModelItsMeasuresAndItsAnswers) {
  train_all();
  const Json test = parse_strict_json(read_file(path("run/test.json")));
  EXPECT_GT(test.at("accuracy").get<double>(), 0.9);
  for (const char* file :
       {"run.json", "metrics.jsonl", "validation.json", "model/config.json",
        "model/model.safetensors", "model/sentencepiece.bpe.model"}) {
    EXPECT_TRUE(std::filesystem::exists(path(std::string("run/") + file)))
        << file;
  }

  const RunResult evaluation =
      run_well({"evaluate", "--model", "run/model", "--data", "test.csv",
                "--output", "metrics.json"});
  EXPECT_EQ(parse_strict_json(read_file(path("metrics.json"))), test);
  for (const char* key :
       {"loss", "accuracy", "f1_micro", "f1_macro", "f1_weighted", "mcc",
        "auroc_ovr_macro", "average_precision_macro", "log_loss", "ece_10_bins",
        "per_class", "confusion_matrix_rows_true"}) {
    EXPECT_TRUE(test.contains(key)) << key << " " << test.dump();
  }

  const RunResult prediction =
      run_well({"predict", "--model", "run/model", "--data", "test.csv",
                "--output", "-", "--logits", "true"});
  const auto answers = parse_json_lines(prediction.standard_output);
  ASSERT_EQ(answers.size(), 30U);
  int right = 0;
  const char* labels[] = {"apple", "banana", "cherry"};
  for (std::size_t i = 0; i < 30; ++i) {
    EXPECT_EQ(answers[i].at("logits").size(), 3U);
    right += answers[i].at("label") == labels[i % 3] ? 1 : 0;
  }
  EXPECT_NEAR(test.at("accuracy").get<double>(), right / 30.0, 1e-12);
}

TEST_F(CommandsTest, TheBestModelOfTheRunIsTheOneThatIsKept) {
  train_all();
  double best = -1;
  for (const Json& record : read_json_lines(path("run/metrics.jsonl"))) {
    if (!record.contains("validation")) continue;
    best = std::max(best, record.at("validation").at("f1_macro").get<double>());
  }
  EXPECT_EQ(parse_strict_json(read_file(path("run/validation.json")))
                .at("f1_macro")
                .get<double>(),
            best);
}

TEST_F(CommandsTest, InspectShowsEveryKindOfFile) {
  train_all();
  const auto inspect = [&](const std::vector<std::string>& arguments) {
    const RunResult result = run(with({"inspect"}, arguments));
    EXPECT_EQ(result.exit_code, 0) << result.standard_error;
    return result.standard_output;
  };
  EXPECT_THAT(inspect({"run/model/model.safetensors"}),
              AllOf(HasSubstr("mean_classifier.out_proj.weight  F32 [3, 32]"),
                    HasSubstr("53 tensors")));
  EXPECT_THAT(inspect({"run/model"}),
              AllOf(HasSubstr("layers 2"), HasSubstr("longest document 128"),
                    HasSubstr("apple, banana, cherry")));
  EXPECT_THAT(inspect({"test.csv", "--tokenizer", "run/model"}),
              AllOf(HasSubstr("30"), HasSubstr("apple")));
  std::string checkpoint;
  for (const auto& entry :
       std::filesystem::directory_iterator(path("run/checkpoints"))) {
    checkpoint = entry.path().string();
  }
  EXPECT_THAT(inspect({checkpoint}),
              AllOf(HasSubstr("\"step\": "), HasSubstr("complete")));
  std::filesystem::remove(checkpoint + "/optimizer.safetensors");
  const RunResult broken = run({"inspect", checkpoint});
  EXPECT_EQ(broken.exit_code, 4);
  EXPECT_THAT(broken.standard_error, HasSubstr("optimizer.safetensors"));
}

TEST_F(CommandsTest, EarlyStoppingEndsARunThatDoesNotImprove) {
  write_text_model("tiny", tiny_config(3));
  const RunResult result =
      run_well({"train", "--model", "tiny", "--reinit-head", "true",
                "--train-data", "train.csv", "--validation-data",
                "validation.csv", "--output-dir", "run", "--epochs", "50",
                "--learning-rate", "0", "--early-stopping-patience", "2"});
  int validations = 0;
  for (const Json& record : read_json_lines(path("run/metrics.jsonl"))) {
    validations += record.contains("validation") ? 1 : 0;
  }
  EXPECT_EQ(validations, 3);
}

}  // namespace
}  // namespace longformer::test
