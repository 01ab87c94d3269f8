// SPDX-License-Identifier: MIT
//
// A golden trajectory through `longformer train`, in fp32.
#include <gtest/gtest.h>

#include "longformer/io/file_system.h"

#include "../model/golden_case.h"
#include "support/golden.h"
#include "support/paths.h"
#include "support/run_program.h"
#include "support/temp_dir.h"

namespace longformer::test {
namespace {

std::string training_records(const std::string& directory) {
  const auto data = read_tensors(directory + "/data.safetensors");
  std::string lines;
  for (std::int64_t row = 0; row < data.at("labels").size(0); ++row) {
    const auto length = data.at("lengths")[row].item<std::int64_t>();
    Json record;
    record["input_ids"] = Json::array();
    for (std::int64_t i = 0; i < length; ++i) {
      record["input_ids"].push_back(
          data.at("input_ids")[row][i].item<std::int64_t>());
    }
    record["label"] = data.at("labels")[row].item<std::int64_t>();
    lines += record.dump() + "\n";
  }
  return lines;
}

std::vector<Json> json_lines(const std::string& path) {
  std::vector<Json> lines;
  std::istringstream text(longformer::read_file(path));
  for (std::string line; std::getline(text, line);) {
    lines.push_back(parse_strict_json(line));
  }
  return lines;
}

TEST(TrainTrajectoryTest, TheProgramFollowsTheReference) {
  const std::string golden =
      (golden_dir() / "trajectory/ragged_inside_window").string();
  const TempDir directory;
  const std::string data =
      directory.write("train.jsonl", training_records(golden)).string();
  const std::string output = (directory / "run").string();
  const RunResult result =
      run_program(longformer_binary(),
                  {"train", "--model",         golden,  "--train-data",
                   data,    "--output-dir",    output,  "--epochs",
                   "10",    "--batch-size",    "4",     "--micro-batch-tokens",
                   "40",    "--learning-rate", "1e-3",  "--warmup-steps",
                   "5",     "--shuffle",       "false", "--dropout",
                   "0",     "--max-grad-norm", "1",     "--weight-decay",
                   "0.01"});
  ASSERT_EQ(result.exit_code, 0) << result.standard_error;
  const Json description =
      parse_strict_json(longformer::read_file(golden + "/trajectory.json"));
  const std::vector<Json> metrics = json_lines(output + "/metrics.jsonl");
  ASSERT_EQ(metrics.size(), 30U);
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    const Json& expected = description.at("f32").at(i);
    SCOPED_TRACE(i);
    EXPECT_EQ(metrics[i].at("step"), expected.at("step"));
    EXPECT_NEAR(metrics[i].at("loss").get<double>(),
                expected.at("loss").get<double>(), 2e-6);
    EXPECT_NEAR(metrics[i].at("learning_rate").get<double>(),
                expected.at("lr").get<double>(), 1e-15);
    const double norm = expected.at("grad_norm").get<double>();
    EXPECT_NEAR(metrics[i].at("grad_norm").get<double>(), norm, 5e-6 * norm);
  }
  const auto weights = read_tensors(golden + "/weights.safetensors");
  const auto trained = read_tensors(output + "/model/model.safetensors");
  int compared = 0;
  for (const auto& [name, tensor] : trained) {
    if (name.ends_with("key.bias") || name.ends_with("key_global.bias")) {
      continue;
    }
    const auto expected = weights.find("f32.step30." + name);
    ASSERT_NE(expected, weights.end()) << name;
    EXPECT_LE((tensor - expected->second).abs().max().item<double>(), 5e-6)
        << name;
    ++compared;
  }
  EXPECT_GT(compared, 40);
}

}  // namespace
}  // namespace longformer::test
