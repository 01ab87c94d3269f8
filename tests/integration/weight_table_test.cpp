// SPDX-License-Identifier: MIT
//
// Every row of golden/checkpoint/table.json through the program: what is good
// is answered with the reference's logits and converted byte for byte, what is
// bad is refused in the words of its row and leaves nothing behind.
#include <filesystem>
#include <set>

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longformer/io/model_files.h"
#include "longformer/train/weight_names.h"

#include "../model/golden_case.h"
#include "program_test.h"
#include "support/golden.h"

namespace longformer::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr double kLogits = 2e-5;

std::string checkpoint(const std::string& path) {
  return (golden_dir() / "checkpoint" / path).string();
}

std::vector<Json> rows_of(const std::string& folder) {
  std::vector<Json> rows;
  const Json table = parse_strict_json(read_file(checkpoint("table.json")));
  for (const Json& row : table["rows"]) {
    if (row["path"].get<std::string>().starts_with(folder)) rows.push_back(row);
  }
  return rows;
}

bool is_refused(const Json& row) {
  return row["result"].get<std::string>().starts_with("refused");
}

/// What the row is about: a directory, or the one file in it that is no model.
std::string subject_of(const Json& row) {
  const auto path = row["path"].get<std::string>();
  return checkpoint(row["file"] == "optimizer.pt" ? path + "/optimizer.pt"
                                                  : path);
}

std::vector<std::string> words_of(const Json& row) {
  std::vector<std::string> words;
  for (const Json& phrase : row["message_must_name"]) {
    const auto text = phrase.get<std::string>();
    if (text == "expected and actual size") {
      words.insert(words.end(), {"expected", "actual"});
    } else if (text == "[30, ...] and [34, ...]") {
      words.insert(words.end(), {"[30, ", "[34, "});
    } else {
      words.push_back(text);
    }
  }
  return words;
}

class WeightTableTest : public ProgramTest {
 protected:
  WeightTableTest() {
    golden_.inputs = read_tensors(checkpoint("base/inputs.safetensors"));
    documents_ = live_documents(golden_);
    records_ = write("records.jsonl", golden_records(golden_, documents_));
  }

  RunResult predict(const std::string& model) const {
    return run({"predict", "--model", model, "--data", records_, "--output",
                "-", "--logits", "--threads", "1"});
  }

  void expect_refusal(const RunResult& result, const Json& row) const {
    EXPECT_EQ(result.exit_code, 4);
    for (const std::string& word : words_of(row)) {
      EXPECT_THAT(result.standard_error, HasSubstr(word));
    }
    if (row.contains("canary")) {
      EXPECT_FALSE(
          std::filesystem::exists(path(row["canary"].get<std::string>())));
    }
  }

  void expect_logits(const RunResult& result, const Json& row) const {
    ASSERT_EQ(result.exit_code, 0) << result.standard_error;
    const std::vector<Json> answers = parse_json_lines(result.standard_output);
    ASSERT_EQ(answers.size(), documents_.size());
    // Of a new head nothing is known but that it was said to be new.
    if (row["logits"].is_null()) return;
    const auto file = row["logits"].get<std::string>();
    const auto expected = read_tensors(
        checkpoint(file.starts_with("base/")
                       ? file
                       : row["path"].get<std::string>() + "/" + file));
    for (std::size_t i = 0; i < answers.size(); ++i) {
      const at::Tensor ours = at::tensor(
          answers[i].at("logits").get<std::vector<double>>(), at::kDouble);
      const at::Tensor theirs = expected.at("f64.logits")[documents_[i].row];
      EXPECT_LE((ours - theirs).abs().max().item<double>(), kLogits);
    }
  }

  GoldenCase golden_;
  std::vector<GoldenDocument> documents_;
  std::string records_;
};

/// "new 4" and "ignored 1", or how many projections were copied.
std::vector<std::string> counts_of(const Json& row) {
  std::vector<std::string> counts;
  const bool is_copied = row["path"] == "good/no_global_projections";
  if (row.contains("new")) {
    counts.push_back(
        (is_copied ? "copied from the local projections " : "new ") +
        std::to_string(row["new"].size()));
  }
  const std::size_t ignored =
      row.contains("ignored") ? row["ignored"].size() : 0;
  counts.push_back("ignored " + std::to_string(ignored));
  return counts;
}

TEST_F(WeightTableTest, PredictAnswersGoodModelsWithTheReferencesLogits) {
  const std::vector<Json> rows = rows_of("good/");
  ASSERT_EQ(rows.size(), 40U);
  for (const Json& row : rows) {
    SCOPED_TRACE(row["path"]);
    const RunResult result = predict(subject_of(row));
    expect_logits(result, row);
    for (const std::string& count : counts_of(row)) {
      EXPECT_THAT(result.standard_error, HasSubstr(count));
    }
  }
}

TEST_F(WeightTableTest, PredictRefusesBadModelsInTheWordsOfTheirRow) {
  int num_refused = 0;
  for (const Json& row : rows_of("bad/")) {
    if (!is_refused(row)) continue;
    SCOPED_TRACE(row["path"]);
    ++num_refused;
    const bool is_model = row["file"] != "optimizer.pt";
    expect_refusal(is_model ? predict(subject_of(row))
                            : run({"inspect", "--path", subject_of(row)}),
                   row);
  }
  EXPECT_EQ(num_refused, 82);
}

TEST_F(WeightTableTest, OfTwoWeightFilesSafetensorsCountsAndThatIsSaid) {
  Json row = rows_of("bad/both_and_different").at(0);
  row["logits"] = "base/expected.safetensors";
  const RunResult result = predict(subject_of(row));
  expect_logits(result, row);
  EXPECT_THAT(result.standard_error, HasSubstr("pytorch_model.bin"));
}

/// Type, shape and bytes of all tensors by their published names.
std::map<std::string, std::string> contents_of(const std::string& path) {
  std::map<std::string, std::string> contents;
  const ModelFiles files = ModelFiles::open(path);
  for (const ModelFiles::Tensor& tensor : files.tensors()) {
    std::vector<std::byte> bytes(
        static_cast<std::size_t>(tensor.entry->num_bytes));
    tensor.read(bytes);
    contents[published_name(tensor.name()).name] =
        std::string(dtype_name(tensor.entry->dtype)) +
        shape_text(tensor.entry->shape) +
        std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  contents.erase("longformer.embeddings.position_ids");
  return contents;
}

TEST_F(WeightTableTest, ConvertKeepsEveryByteOfGoodModels) {
  for (const Json& row : rows_of("good/")) {
    SCOPED_TRACE(row["path"]);
    const std::string input = subject_of(row);
    const RunResult result =
        run({"convert", "--input", input, "--output", "converted"});
    ASSERT_EQ(result.exit_code, 0) << result.standard_error;
    std::map<std::string, std::string> expected = contents_of(input);
    const std::map<std::string, std::string> converted =
        contents_of(path("converted"));
    for (const auto& [name, content] : converted) {
      if (expected.contains(name)) continue;
      // Copies of the local projections.
      EXPECT_EQ(content, expected.at(local_counterpart(name))) << name;
      expected[name] = content;
    }
    EXPECT_TRUE(converted == expected);
    std::filesystem::remove_all(path("converted"));
  }
}

TEST_F(WeightTableTest, ConvertRefusesBadModelsAndLeavesNothingBehind) {
  for (const Json& row : rows_of("bad/")) {
    if (!is_refused(row)) continue;
    SCOPED_TRACE(row["path"]);
    const RunResult result =
        run({"convert", "--input", subject_of(row), "--output", "converted"});
    expect_refusal(result, row);
    std::set<std::string> left;
    for (const auto& entry :
         std::filesystem::directory_iterator(directory_.path())) {
      left.insert(entry.path().filename().string());
    }
    EXPECT_EQ(left, std::set<std::string>{"records.jsonl"});
  }
}

}  // namespace
}  // namespace longformer::test
