// SPDX-License-Identifier: MIT
//
// Against the library `transformers` itself, in the environment that the
// set-up makes: what it writes opens here, what is written here opens there,
// with the same ids and the same logits.
#include <filesystem>

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longformer/io/weight_file.h"
#include "longformer/tokenizer/tokenizer.h"
#include "longformer/train/pretrained.h"
#include "longformer/train/saved_tensors.h"

#include "../train/tiny_model.h"
#include "peer_test.h"

namespace longformer::test {
namespace {

constexpr double kLogits = 1e-5;

class TransformersTest : public PeerTest {
 protected:
  std::vector<Json> predict(const std::string& model,
                            const std::string& texts) const {
    const RunResult result =
        run_well({"predict", "--model", model, "--data", texts, "--output", "-",
                  "--logits", "true"});
    return parse_json_lines(result.standard_output);
  }

  /// The first `count` rows of a file of texts.
  std::string first_rows(const std::string& texts, int count) const {
    std::string rows = read_file(path(texts));
    std::size_t end = 0;
    for (int i = 0; i < count; ++i) end = rows.find('\n', end) + 1;
    return write("first.jsonl", rows.substr(0, end));
  }

  /// Trains a vocabulary and a small model on texts.jsonl into run/.
  void train_on_texts(const std::string& pooling) const {
    run_script("make_texts.py", {"1000", "31", "texts.jsonl"});
    const RunResult tokenizer =
        run({"tokenizer", "train", "--data", "texts.jsonl", "--vocab-size",
             "4000", "--output", "vocabulary"});
    ASSERT_EQ(tokenizer.exit_code, 0) << tokenizer.standard_error;
    ModelConfig config = tiny_config();
    config.max_position_embeddings = 514;
    config.attention_window = {16, 32};
    Json architecture = to_json(config);
    architecture.erase("vocab_size");
    write("architecture.json", architecture.dump());
    run_well({"train", "--architecture", "architecture.json", "--tokenizer",
              "vocabulary", "--train-data", "texts.jsonl", "--output-dir",
              "run", "--max-steps", "8", "--batch-size", "8", "--learning-rate",
              "1e-2", "--pooling", pooling});
  }

  void expect_same_ids(const std::string& model, const std::string& texts,
                       const std::vector<Json>& theirs) const {
    const auto tokenizer = load_tokenizer(path(model));
    EncodeSettings settings;
    settings.max_length = 512;
    const std::vector<Json> rows = read_json_lines(path(texts));
    ASSERT_EQ(theirs.size(), rows.size());
    int differences = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto text = rows[i].at("text").get<std::string>();
      const auto ids = tokenizer->encode(text, std::nullopt, settings).ids;
      if (Json(ids) != theirs[i].at("ids") && ++differences <= 5) {
        ADD_FAILURE() << "text " << i << ": " << rows[i].dump().substr(0, 400)
                      << "\nours   " << Json(ids).dump().substr(0, 400)
                      << "\ntheirs "
                      << theirs[i].at("ids").dump().substr(0, 400);
      }
    }
    EXPECT_EQ(differences, 0);
  }

  static void expect_close(const Json& ours, const Json& theirs,
                           const std::string& what) {
    ASSERT_EQ(ours.size(), theirs.size()) << what;
    for (std::size_t i = 0; i < ours.size(); ++i) {
      EXPECT_NEAR(ours[i].get<double>(), theirs[i].get<double>(), kLogits)
          << what;
    }
  }

  /// Ids of all texts and logits of the first `count`, ours against theirs.
  void expect_same_answers(const std::string& model, const std::string& texts,
                           int count) const {
    run_script("answer.py",
               {model, texts, "answers.jsonl", std::to_string(count)});
    std::vector<Json> theirs = read_json_lines(path("answers.jsonl"));
    ASSERT_FALSE(theirs.empty());
    for (const char* key :
         {"missing_keys", "unexpected_keys", "mismatched_keys"}) {
      EXPECT_TRUE(theirs[0].at(key).empty()) << theirs[0].dump();
    }
    EXPECT_EQ(theirs[0].at("class"), "LongformerForSequenceClassification");
    EXPECT_EQ(theirs[0].at("labels"),
              Json(read_model_config(path(model)).labels));
    theirs.erase(theirs.begin());
    expect_same_ids(model, texts, theirs);
    const auto ours = predict(model, first_rows(texts, count));
    ASSERT_EQ(ours.size(), static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < ours.size(); ++i) {
      expect_close(ours[i].at("logits"), theirs[i].at("logits"),
                   "text " + std::to_string(i));
      EXPECT_EQ(ours[i].at("tokens"), theirs[i].at("ids").size());
    }
  }

  /// Loads and saves a model; its tensors must come out as they went in.
  void expect_round_trip(const std::string& model) const {
    const auto loaded =
        load_classifier(path(model), read_model_config(path(model)), {});
    std::filesystem::create_directory(path("again"));
    save_classifier(*loaded.classifier, path("again"));
    expect_same_tensors(model + "/model.safetensors",
                        "again/model.safetensors");
    std::filesystem::remove_all(path("again"));
  }

  void expect_same_tensors(const std::string& a, const std::string& b) const {
    const auto first = WeightFile::open(path(a));
    const auto second = WeightFile::open(path(b));
    ASSERT_EQ(first->entries().size(), second->entries().size());
    for (const WeightEntry& entry : first->entries()) {
      const WeightEntry* other = nullptr;
      for (const WeightEntry& candidate : second->entries()) {
        if (candidate.name == entry.name) other = &candidate;
      }
      ASSERT_NE(other, nullptr) << entry.name;
      EXPECT_EQ(entry.dtype, other->dtype) << entry.name;
      EXPECT_EQ(entry.shape, other->shape) << entry.name;
      ASSERT_EQ(entry.num_bytes, other->num_bytes) << entry.name;
      std::vector<std::byte> bytes(static_cast<std::size_t>(entry.num_bytes));
      std::vector<std::byte> other_bytes(bytes.size());
      first->read(entry, bytes);
      second->read(*other, other_bytes);
      EXPECT_EQ(bytes, other_bytes) << entry.name;
    }
  }

  std::string vocabulary() const {
    return (cache_dir() / "bpe-vocabulary").string();
  }
};

TEST_F(TransformersTest, AnExportOpensThereWithTheSameIdsAndLogits) {
  train_on_texts("cls");
  expect_same_answers("run/model", "texts.jsonl", 60);
  expect_round_trip("run/model");
}

TEST_F(TransformersTest, AModelMadeThereOpensHereWhateverItsContainer) {
  run_script("make_texts.py", {"200", "32", "texts.jsonl"});
  for (const std::string container : {"safetensors", "bin"}) {
    for (const std::string dtype : {"float32", "float16", "bfloat16"}) {
      SCOPED_TRACE(container + " " + dtype);
      const std::string model = container + "_" + dtype;
      run_script("make_model.py", {model, container, dtype, vocabulary()});
      expect_same_answers(model, "texts.jsonl", 12);
    }
  }
  expect_round_trip("safetensors_float32");
}

TEST_F(TransformersTest, ATokenizerSavedThereGivesTheSameIdsHere) {
  run_script("make_texts.py", {"1000", "33", "texts.jsonl"});
  run_script("make_model.py",
             {"saved", "safetensors", "float32", "saved:" + vocabulary()});
  expect_same_answers("saved", "texts.jsonl", 10);
}

// huggingface/transformers issue 5256: tokens that are written out in a text.
TEST_F(TransformersTest, SpecialTokensInTextGetTheSameIdsAndLogits) {
  std::string many;
  for (int i = 0; i < 1000; ++i) many += "</s>";
  std::string rows;
  for (const std::string& text :
       {std::string("x</s>y <mask> z"), std::string("<s>"),
        std::string("<pad><pad>"), std::string("a <pad> b<pad>c"),
        std::string("</S> < /s> <mask"), many}) {
    rows += Json({{"text", text}}).dump() + "\n";
  }
  write("texts.jsonl", rows);
  run_script("make_model.py",
             {"model", "safetensors", "float32", "saved:" + vocabulary()});
  expect_same_answers("model", "texts.jsonl", 6);
}

TEST_F(TransformersTest, AModelMadeThereTrainsHereAndGoesBack) {
  run_script("make_texts.py", {"60", "34", "texts.jsonl"});
  run_script("make_model.py",
             {"start", "safetensors", "float32", "saved:" + vocabulary()});
  run_well({"train", "--model", "start", "--train-data", "texts.jsonl",
            "--reinit-head", "true", "--output-dir", "run", "--max-steps", "4",
            "--batch-size", "4", "--learning-rate", "1e-3"});
  expect_same_answers("run/model", "texts.jsonl", 20);
}

TEST_F(TransformersTest, TrainingAtRateZeroLeavesEveryTensorAsItWas) {
  run_script("make_texts.py", {"8", "35", "texts.jsonl"});
  run_script("make_model.py",
             {"start", "safetensors", "float32", vocabulary()});
  std::string rows;
  for (const Json& row : read_json_lines(path("texts.jsonl"))) {
    Json changed = row;
    changed["label"] = row.at("label") == "yes" ? "LABEL_2" : "LABEL_0";
    rows += changed.dump() + "\n";
  }
  write("train.jsonl", rows + "{\"text\": \"one\", \"label\": \"LABEL_1\"}\n");
  run_well({"train", "--model", "start", "--train-data", "train.jsonl",
            "--output-dir", "run", "--max-steps", "1", "--learning-rate", "0"});
  expect_same_tensors("start/model.safetensors", "run/model/model.safetensors");
}

TEST_F(TransformersTest,
       AMeanHeadIsReportedAsMissingAndLoadsByTheReadmesLines) {
  train_on_texts("mean");
  const std::string texts = first_rows("texts.jsonl", 24);
  run_script("load_mean_head.py", {"run/model", texts, "answers.jsonl"});
  std::vector<Json> theirs = read_json_lines(path("answers.jsonl"));
  ASSERT_EQ(theirs.size(), 1U + 2 * 24);
  EXPECT_EQ(
      theirs[0].at("missing_keys"),
      Json::array({"classifier.dense.bias", "classifier.dense.weight",
                   "classifier.out_proj.bias", "classifier.out_proj.weight"}));
  const auto ours = predict("run/model", texts);
  ASSERT_EQ(ours.size(), 24U);
  for (std::size_t i = 0; i < 24; ++i) {
    const std::string what = "text " + std::to_string(i);
    expect_close(ours[i].at("logits"), theirs[1 + i], what + " in a batch");
    expect_close(ours[i].at("logits"), theirs[25 + i], what + " alone");
  }
}

}  // namespace
}  // namespace longformer::test
