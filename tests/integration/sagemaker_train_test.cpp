// SPDX-License-Identifier: MIT
//
// Training in a SageMaker container, which calls the program with the single
// word "train".
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <regex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sagemaker_tree.h"
#include "support/paths.h"

namespace longformer::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

using SageMakerTrainTest = SageMakerJobTest;

/// The values of a metric, found by the expression that the README gives.
std::vector<double> metric(const std::string& output, const std::string& name) {
  const std::regex expression("metric " + name + "=([-0-9.]+)");
  std::vector<double> values;
  for (std::sregex_iterator at(output.begin(), output.end(), expression), end;
       at != end; ++at) {
    values.push_back(std::stod((*at)[1]));
  }
  return values;
}

TEST_F(SageMakerTrainTest, OneHostTrainsWhatOwnProcessesTrain) {
  train_reference();
  const SageMakerTree tree = make_tree("ml", 2);
  tree.add_channel("extra", path("train.jsonl"));
  tree.write("input/config/inputdataconfig.json",
             R"({"train": {}, "validation": {}, "model": {}, "extra": {}})");
  tree.write("output/failure", "of an earlier attempt");
  const RunResult result = run_in(tree);
  ASSERT_EQ(result.exit_code, 0) << result.standard_error;
  expect_reference(tree.path("model"));
  for (const char* file :
       {"output/data/metrics.jsonl", "output/data/run.json",
        "output/data/validation.json", "output/data/logs/rank_1.log",
        "checkpoints/step-000010/manifest.json"}) {
    EXPECT_TRUE(std::filesystem::exists(tree.path(file))) << file;
  }
  // Nothing is uploaded that need not be.
  for (const char* name : {"output/data/model", "output/data/checkpoints",
                           "output/data/token_cache", "output/failure"}) {
    EXPECT_FALSE(std::filesystem::exists(tree.path(name))) << name;
  }
  EXPECT_THAT(result.standard_error,
              AllOf(HasSubstr("world size 2 (1 host x 2)"),
                    HasSubstr("channel extra: nothing uses it"),
                    Not(HasSubstr("channel model")),
                    HasSubstr("hyperparameters.json)")));
}

TEST_F(SageMakerTrainTest, MetricsAreOnStandardOutputInTheDocumentedForm) {
  const SageMakerTree tree = make_tree("ml", 1);
  const RunResult result = run_in(tree);
  ASSERT_EQ(result.exit_code, 0) << result.standard_error;
  const std::string& output = result.standard_output;
  EXPECT_GE(metric(output, "train_loss").size(), 2U);
  // Plain decimals: an expression for digits would cut 1e-05 after the 1.
  EXPECT_THAT(output, HasSubstr("metric train_loss="));
  EXPECT_THAT(output, Not(HasSubstr("e-0")));
  EXPECT_THAT(output, HasSubstr(" step=10\n"));
  const Json report =
      Json::parse(read_file(tree.path("output/data/validation.json")));
  for (const char* name : {"loss", "accuracy", "f1_macro"}) {
    const auto values = metric(output, std::string("validation_") + name);
    ASSERT_FALSE(values.empty()) << name;
    EXPECT_EQ(values.back(), report.at(name).get<double>());
  }
  // Every line is a metric or none of this program's.
  for (const char letter : {'\r', '\x1b'}) {
    EXPECT_EQ(output.find(letter), std::string::npos);
  }
}

TEST_F(SageMakerTrainTest, TwoHostsTrainWhatProcessesOfOneHostTrain) {
  train_reference();
  const std::vector<std::string> hosts{loopback_host(2), loopback_host(10)};
  const SageMakerTree first = make_tree("first", 1);
  const SageMakerTree second = make_tree("second", 1);
  // Sorted as text, the second would come first.
  first.write_hosts({hosts[1], hosts[0]}, 1);
  second.write_hosts({hosts[1], hosts[0]}, 0);
  const auto other = start_in(second);
  const RunResult result = run_in(first);
  EXPECT_EQ(result.exit_code, 0) << result.standard_error;
  EXPECT_EQ(other->wait(), 0) << other->log_text();
  expect_reference(first.path("model"));
  EXPECT_TRUE(std::filesystem::is_empty(second.path("model")));
  EXPECT_TRUE(std::filesystem::is_empty(second.path("checkpoints")));
  EXPECT_THAT(result.standard_error, HasSubstr("world size 2 (2 hosts x 1)"));
  EXPECT_EQ(metric(read_file(second.path("out")), "train_loss").size(), 0U);
}

// accelerate 1404, sagemaker-python-sdk 1110: one process for all GPUs.
TEST_F(SageMakerTrainTest, EveryHostStartsAProcessForEveryGpu) {
  const std::vector<std::string> hosts{loopback_host(1), loopback_host(2)};
  std::vector<std::unique_ptr<BackgroundProgram>> programs;
  std::vector<SageMakerTree> trees;
  for (const std::size_t number : {0, 1}) {
    const SageMakerTree tree = make_tree(number == 0 ? "first" : "second", 0);
    tree.write_hosts(hosts, number);
    Variables variables = tree.variables();
    variables["SM_NUM_GPUS"] = "2";
    programs.push_back(std::make_unique<BackgroundProgram>(
        longformer_binary(), std::vector<std::string>{"train"},
        tree.path("log"), variables, tree.path("out")));
    trees.push_back(tree);
  }
  for (const auto& program : programs) {
    EXPECT_EQ(program->wait(), 0) << program->log_text();
    EXPECT_THAT(program->log_text(), HasSubstr("world size 4 (2 hosts x 2)"));
  }
  for (const int rank : {0, 1, 2, 3}) {
    const std::string log = "output/data/logs/rank_" + std::to_string(rank);
    EXPECT_THAT(read_file(trees[rank / 2].path(log + ".log")),
                HasSubstr("rank " + std::to_string(rank) + " of 4"));
    EXPECT_FALSE(
        std::filesystem::exists(trees[1 - rank / 2].path(log + ".log")));
  }
}

TEST_F(SageMakerTrainTest, HyperparametersAreStrongerThanTheConfiguration) {
  const SageMakerTree tree = make_tree("ml", 1);
  tree.write("input/data/config/any.json",
             R"({"max_steps": 7, "batch_size": 2, "threads": 1,
                 "train_data": "/none", "output_dir": "/none"})");
  tree.write("input/config/inputdataconfig.json",
             R"({"train": {}, "model": {}, "config": {}})");
  tree.write_hyperparameters({{"max_steps", 2}, {"sagemaker_region", "x"}});
  RunOptions options;
  options.environment = tree.variables();
  const RunResult result = run_program(
      longformer_binary(), {"train", "--learning-rate", "0.5"}, options);
  ASSERT_EQ(result.exit_code, 0) << result.standard_error;
  const Json saved =
      parse_strict_json(read_file(tree.path("output/data/run.json")));
  EXPECT_EQ(saved.at("max_steps"), 2);
  EXPECT_EQ(saved.at("batch_size"), 2);
  EXPECT_EQ(saved.at("learning_rate"), 0.5);
  EXPECT_EQ(saved.at("train_data"),
            Json::array({tree.path("input/data/train")}));
}

TEST_F(SageMakerTrainTest, PipesAreReadOnceForAllProcesses) {
  train_reference();
  const SageMakerTree tree = make_tree("ml", 2);
  tree.write("input/config/inputdataconfig.json",
             R"({"train": {"TrainingInputMode": "Pipe",
                           "ContentType": "application/jsonlines"},
                 "validation": {"TrainingInputMode": "File"}, "model": {}})");
  std::filesystem::remove_all(tree.path("input/data/train"));
  const auto program = start_in(tree);
  // The platform makes it when it is ready.
  const std::string pipe = tree.path("input/data/train_0");
  ASSERT_TRUE(program->wait_until([&] {
    return program->log_text().find("waiting until it is there") !=
           std::string::npos;
  })) << program->log_text();
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const std::string rows = read_file(path("train.jsonl"));
  const int writer = open(pipe.c_str(), O_WRONLY | O_CLOEXEC);
  ASSERT_GE(writer, 0);
  for (const std::size_t half : {0, 1}) {
    const std::string part = half == 0 ? rows.substr(0, 100) : rows.substr(100);
    ASSERT_EQ(::write(writer, part.data(), part.size()),
              static_cast<ssize_t>(part.size()));
  }
  close(writer);
  EXPECT_EQ(program->wait(), 0) << program->log_text();
  expect_reference(tree.path("model"));
  // The copy is gone; what is left is the token cache.
  for (const auto& entry :
       std::filesystem::directory_iterator(tree.path("tmp"))) {
    EXPECT_EQ(entry.path().filename(), "longformer_token_cache");
  }
}

}  // namespace
}  // namespace longformer::test
