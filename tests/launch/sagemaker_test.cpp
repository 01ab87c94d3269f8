// SPDX-License-Identifier: MIT
#include <sys/stat.h>

#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longformer/base/error.h"
#include "longformer/base/strict_json.h"
#include "longformer/base/utf8.h"
#include "longformer/config/option_reader.h"
#include "longformer/config/train_options.h"
#include "longformer/launch/sagemaker_environment.h"

#include "support/temp_dir.h"

namespace longformer {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A container's folder tree.
class SageMakerTest : public ::testing::Test {
 protected:
  SageMakerTest() {
    config("resourceconfig.json",
           R"({"current_host": "algo-1", "hosts": ["algo-1"]})");
  }

  void config(const std::string& name, const std::string& text) {
    base_.write("input/config/" + name, text);
  }
  void remove_config(const std::string& name) {
    std::filesystem::remove(base_ / ("input/config/" + name));
  }

  std::string path(std::string_view name) { return (base_ / name).string(); }

  SageMakerEnvironment read(const Environment& environment = {}) {
    return read_sagemaker_environment(environment, base_.path().string());
  }

  std::string problem(const Environment& environment = {}) {
    try {
      read(environment);
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "no error";
  }

  /// The options of a training that the platform gives.
  TrainOptions options() {
    const SageMakerEnvironment sagemaker = read();
    TrainOptions options;
    OptionReader reader(bind_fields(options));
    reader.read_platform(sagemaker_path_options(sagemaker), "channels");
    reader.read_platform(sagemaker.hyperparameters,
                         sagemaker.hyperparameters_file);
    reader.throw_problems();
    return options;
  }

  test::TempDir base_;
};

TEST_F(SageMakerTest, IsFoundByVariableOrFolder) {
  const std::string base = base_.path().string();
  EXPECT_EQ(find_sagemaker_base({{"SAGEMAKER_BASE_DIR", base}}, "/none"), base);
  EXPECT_EQ(find_sagemaker_base({}, base), base);
  EXPECT_EQ(find_sagemaker_base({}, path("none")), std::nullopt);
  // A model server has the folder, but no input.
  EXPECT_EQ(find_sagemaker_base({}, path("input")), std::nullopt);
  EXPECT_THROW(find_sagemaker_base({{"SAGEMAKER_BASE_DIR", path("none")}}),
               ConfigError);
}

TEST_F(SageMakerTest, KnowsTheFolders) {
  const SageMakerEnvironment sagemaker = read();
  EXPECT_EQ(sagemaker.model_dir, path("model"));
  EXPECT_EQ(sagemaker.output_data_dir, path("output/data"));
  EXPECT_EQ(sagemaker.checkpoint_dir, path("checkpoints"));
  EXPECT_EQ(sagemaker_failure_file(sagemaker.base_dir), path("output/failure"));
}

TEST_F(SageMakerTest, HyperparametersAreTexts) {
  config("hyperparameters.json",
         R"({"epochs": "3", "learning_rate": "1e-5", "shuffle": "False",
             "best_metric": "123", "seed": "7.0"})");
  const TrainOptions read_options = options();
  EXPECT_EQ(read_options.optimizer.epochs, 3);
  EXPECT_EQ(read_options.optimizer.learning_rate, 1e-5);
  EXPECT_FALSE(read_options.run.shuffle);
  EXPECT_EQ(read_options.run.best_metric, "123");
  EXPECT_EQ(read_options.run.seed, 7);
}

TEST_F(SageMakerTest, HyperparametersMayBeEncodedTwice) {
  config("hyperparameters.json",
         R"({"epochs": "\"3\"", "shuffle": "\"false\"", "seed": "\"\\\"9\\\"\"",
             "label_column": "\"topic\"", "labels": "[\"a\", \"b\"]"})");
  const TrainOptions read_options = options();
  EXPECT_EQ(read_options.optimizer.epochs, 3);
  EXPECT_FALSE(read_options.run.shuffle);
  EXPECT_EQ(read_options.run.seed, 9);
  EXPECT_EQ(read_options.data.label_column, "topic");
  EXPECT_THAT(read_options.data.labels, ElementsAre("a", "b"));
}

TEST_F(SageMakerTest, ReservedHyperparametersAreSkipped) {
  config("hyperparameters.json",
         R"({"sagemaker_program": "\"train.py\"", "sagemaker_region": "x",
             "sagemaker_new_key": "1", "default_user_module_name": "x",
             "_tuning_objective_metric": "loss", "epochs": "2"})");
  EXPECT_EQ(options().optimizer.epochs, 2);
  config("hyperparameters.json", R"({"epoch": "2"})");
  EXPECT_THROW(options(), ConfigError);
}

TEST_F(SageMakerTest, HyperparametersMayBeMissing) {
  EXPECT_EQ(read().hyperparameters, "");
  EXPECT_EQ(options().optimizer.epochs, TrainOptions().optimizer.epochs);
  for (const char* text : {"", "{}", "\n"}) {
    config("hyperparameters.json", text);
    EXPECT_EQ(options().optimizer.epochs, TrainOptions().optimizer.epochs);
  }
}

TEST_F(SageMakerTest, ChannelsBecomeOptions) {
  config("inputdataconfig.json",
         R"({"train": {"TrainingInputMode": "File",
                       "S3DistributionType": "FullyReplicated"},
             "validation": {"ContentType": "text/csv"},
             "test": {}, "model": {}, "tokenizer": {}, "extra": {}})");
  const TrainOptions read_options = options();
  EXPECT_THAT(read_options.data.train_data,
              ElementsAre(path("input/data/train")));
  EXPECT_THAT(read_options.data.validation_data,
              ElementsAre(path("input/data/validation")));
  EXPECT_THAT(read_options.data.test_data,
              ElementsAre(path("input/data/test")));
  EXPECT_EQ(read_options.model.model, path("input/data/model"));
  EXPECT_EQ(read_options.model.tokenizer, path("input/data/tokenizer"));
  EXPECT_EQ(read().channels[5].content_type, "text/csv");
}

TEST_F(SageMakerTest, WhatARunMakesGoesWhereThePlatformKeepsIt) {
  const TrainOptions read_options = options();
  EXPECT_EQ(read_options.run.output_dir, path("output/data"));
  EXPECT_EQ(read_options.run.model_dir, path("model"));
  EXPECT_EQ(read_options.run.checkpoint_dir, path("checkpoints"));
  EXPECT_EQ(read_options.run.resume, "auto_or_restart");
  EXPECT_TRUE(read_options.run.print_metrics);
  // Not below output/data, which is uploaded.
  EXPECT_EQ(read_options.data.token_cache, "/tmp/longformer_token_cache");
  EXPECT_EQ(read_options.launch.start_timeout,
            TrainOptions().launch.start_timeout);
  config("resourceconfig.json",
         R"({"current_host": "a", "hosts": ["a", "b"]})");
  EXPECT_EQ(options().launch.start_timeout, 900);
}

TEST_F(SageMakerTest, ChannelsWithoutAPathInUseAreFound) {
  config("inputdataconfig.json",
         R"({"train": {}, "model": {}, "words": {}, "more": {}})");
  EXPECT_THAT(unused_channels(read(), {path("input/data/train"),
                                       path("input/data/words/vocab.json"),
                                       path("input/data/model2")}),
              ElementsAre("model", "more"));
}

TEST_F(SageMakerTest, TheConfigurationFileIsAHyperparameterOrAChannel) {
  EXPECT_EQ(sagemaker_config_file(read()), "");
  for (const char* text : {R"({"config": "config/c.json"})",
                           R"({"config": "\"config/c.json\""})"}) {
    config("hyperparameters.json", text);
    EXPECT_EQ(sagemaker_config_file(read()), path("input/data/config/c.json"));
    EXPECT_NO_THROW(options());  // It is no unknown option.
  }
  config("hyperparameters.json", R"({"config": "/image/c.json"})");
  EXPECT_EQ(sagemaker_config_file(read()), "/image/c.json");
  config("hyperparameters.json", "{");  // Said where it is read.
  EXPECT_EQ(sagemaker_config_file(read()), "");
  remove_config("hyperparameters.json");
  config("inputdataconfig.json", R"({"config": {}})");
  EXPECT_THROW(sagemaker_config_file(read()), ConfigError);
  base_.write("input/data/config/a.json", "{}");
  base_.write("input/data/config/manifest", "");
  EXPECT_EQ(sagemaker_config_file(read()), path("input/data/config/a.json"));
  base_.write("input/data/config/b.json", "{}");
  EXPECT_THROW(sagemaker_config_file(read()), ConfigError);
}

TEST_F(SageMakerTest, RefusesChannelsThatHostsDoNotShare) {
  config("inputdataconfig.json",
         R"({"train": {"S3DistributionType": "ShardedByS3Key"}})");
  EXPECT_NO_THROW(check_channels(read()));  // One host has all of it.
  config("resourceconfig.json",
         R"({"current_host": "a", "hosts": ["a", "b"]})");
  EXPECT_THROW(check_channels(read()), ConfigError);
  config("inputdataconfig.json", R"({"model": {"TrainingInputMode": "Pipe"}})");
  EXPECT_THROW(check_channels(read()), ConfigError);
}

TEST_F(SageMakerTest, HyperparametersOverrideChannels) {
  config("inputdataconfig.json", R"({"train": {}})");
  config("hyperparameters.json", R"({"train_data": "/data/a.csv"})");
  EXPECT_THAT(options().data.train_data, ElementsAre("/data/a.csv"));
}

TEST_F(SageMakerTest, PipesAreNamedByEpoch) {
  config("inputdataconfig.json",
         R"({"train": {"TrainingInputMode": "Pipe"},
             "validation": {"TrainingInputMode": "File",
                            "S3DistributionType": "ShardedByS3Key"}})");
  std::filesystem::create_directories(path("input/data"));
  ASSERT_EQ(mkfifo(path("input/data/train_0").c_str(), 0600), 0);
  // The toolkit leaves the epoch out.
  const SageMakerEnvironment sagemaker =
      read({{"SM_CHANNEL_TRAIN", path("input/data/train")}});
  ASSERT_EQ(sagemaker.channels.size(), 2U);
  EXPECT_TRUE(sagemaker.channels[0].is_pipe);
  EXPECT_EQ(sagemaker.channels[0].path, path("input/data/train_0"));
  EXPECT_FALSE(sagemaker.channels[0].is_sharded);
  EXPECT_FALSE(sagemaker.channels[1].is_pipe);
  EXPECT_TRUE(sagemaker.channels[1].is_sharded);
}

TEST_F(SageMakerTest, FoldersAreChannelsWithoutAConfiguration) {
  base_.write("input/data/train/a.csv", "");
  base_.write("input/data/manifest.txt", "");
  const SageMakerEnvironment sagemaker = read();
  ASSERT_EQ(sagemaker.channels.size(), 1U);
  EXPECT_EQ(sagemaker.channels[0].name, "train");
}

TEST_F(SageMakerTest, TheToolkitsVariablesComeFirst) {
  config("inputdataconfig.json", R"({"train": {}})");
  const SageMakerEnvironment sagemaker =
      read({{"SM_CHANNEL_TRAIN", "/other/train"},
            {"SM_CHANNEL_TEST", "/other/test"},
            {"SM_MODEL_DIR", "/other/model"},
            {"SM_OUTPUT_DATA_DIR", "/other/output"},
            {"SM_HOSTS", R"(["b", "a"])"},
            {"SM_CURRENT_HOST", "b"},
            {"SM_NETWORK_INTERFACE_NAME", "ens5"},
            {"SM_NUM_GPUS", "4"},
            {"TRAINING_JOB_NAME", "job"}});
  ASSERT_EQ(sagemaker.channels.size(), 2U);
  EXPECT_EQ(sagemaker.channels[0].path, "/other/test");
  EXPECT_EQ(sagemaker.channels[1].path, "/other/train");
  EXPECT_EQ(sagemaker.model_dir, "/other/model");
  EXPECT_EQ(sagemaker.output_data_dir, "/other/output");
  EXPECT_THAT(sagemaker.hosts, ElementsAre("a", "b"));
  EXPECT_EQ(sagemaker.host_index, 1);
  EXPECT_EQ(sagemaker.network_interface, "ens5");
  EXPECT_EQ(sagemaker.num_gpus, 4);
  EXPECT_EQ(sagemaker.job_name, "job");
  EXPECT_THAT(problem({{"SM_NUM_GPUS", "many"}}), HasSubstr("SM_NUM_GPUS"));
}

TEST_F(SageMakerTest, HostsAreInNaturalOrder) {
  config("resourceconfig.json",
         R"({"current_host": "algo-2", "network_interface_name": "eth1",
             "hosts": ["algo-1", "algo-10", "algo-11", "algo-2"],
             "current_instance_type": "ml.p3.8xlarge",
             "current_group_name": "homogeneousCluster",
             "instance_groups": [{"instance_group_name": "homogeneousCluster",
               "instance_type": "ml.p3.8xlarge", "hosts": ["algo-1"]}],
             "topology": {"x": 1}})");
  const SageMakerEnvironment sagemaker = read();
  EXPECT_THAT(sagemaker.hosts,
              ElementsAre("algo-1", "algo-2", "algo-10", "algo-11"));
  EXPECT_EQ(sagemaker.host_index, 1);
  EXPECT_EQ(sagemaker.network_interface, "eth1");
  const HostLayout layout = sagemaker_layout(sagemaker, 4);
  EXPECT_EQ(layout.first_rank, 4);
  EXPECT_EQ(layout.world_size, 16);
  EXPECT_EQ(to_text(layout.rendezvous), "algo-1:7777");
}

TEST_F(SageMakerTest, NumbersInNamesOfHostsMayBeLongOrPadded) {
  config("resourceconfig.json",
         R"({"current_host": "a-02", "hosts": ["a-99999999999999999999999",
             "a-100000000000000000000000", "a-2", "a-02", "a-10x", "a-10",
             "a", "a-"]})");
  EXPECT_THAT(read().hosts, ElementsAre("a", "a-", "a-02", "a-2", "a-10",
                                        "a-10x", "a-99999999999999999999999",
                                        "a-100000000000000000000000"));
}

TEST_F(SageMakerTest, EveryKeyBeyondTheHostsIsOptional) {
  const SageMakerEnvironment local = read();
  EXPECT_EQ(local.network_interface, "");
  EXPECT_EQ(local.job_name, "");
  for (const char* text : {"", "{}", R"({"current_host": "algo-1-abcde"})",
                           R"({"hosts": ["algo-1-abcde"]})"}) {
    config("resourceconfig.json", text);
    EXPECT_EQ(read().hosts.size(), 1U) << text;
  }
  remove_config("resourceconfig.json");
  const HostLayout layout = sagemaker_layout(read(), 2);
  EXPECT_EQ(layout.first_rank, 0);
  EXPECT_EQ(layout.world_size, 2);
  EXPECT_EQ(layout.rendezvous.kind, Rendezvous::Kind::kNone);
}

TEST_F(SageMakerTest, RefusesMalformedFilesByName) {
  for (const char* text :
       {"{", "[]", R"({"current_host": 1})", R"({"hosts": "algo-1"})",
        R"({"hosts": ["a", "a"], "current_host": "a"})",
        R"({"hosts": ["a", "b"]})", R"({"hosts": ["a"], "current_host": "b"})",
        R"({"hosts": ["a"], "hosts": ["b"]})"}) {
    config("resourceconfig.json", text);
    EXPECT_THAT(problem(), HasSubstr(path("input/config/resourceconfig.json")))
        << text;
  }
  config("resourceconfig.json", "{}");
  for (const char* text : {"[1]", R"({"train": "File"})",
                           R"({"train": {"TrainingInputMode": 1}})"}) {
    config("inputdataconfig.json", text);
    EXPECT_THAT(problem(), HasSubstr(path("input/config/inputdataconfig.json")))
        << text;
  }
}

TEST_F(SageMakerTest, RefusesClustersOfSeveralGroups) {
  config("resourceconfig.json",
         R"({"current_host": "algo-1", "hosts": ["algo-1", "algo-2"],
             "instance_groups": [{"hosts": ["algo-1"]},
                                 {"hosts": ["algo-2"]}]})");
  EXPECT_THAT(problem(),
              AllOf(HasSubstr("2 instance groups"), HasSubstr("one group")));
}

TEST_F(SageMakerTest, TheReasonOfAFailureIsShortAndReadable) {
  EXPECT_EQ(failure_text("rank 1: disk full\nmore"), "rank 1: disk full\nmore");
  EXPECT_EQ(failure_text("\n\n  cause\n"), "cause\n");
  EXPECT_EQ(failure_text("2 problems:\n  a: b\n  c"), "2 problems: a: b\n  c");
  EXPECT_EQ(failure_text("cause\nmore:\n  c"), "cause\nmore:\n  c");
  EXPECT_EQ(failure_text("a\x1b[31mb\tc\r\n"), "a [31mb c \n");
  EXPECT_EQ(failure_text("bad \xff byte"), "bad \xEF\xBF\xBD byte");
  EXPECT_THAT(failure_text(" \n"), HasSubstr("unknown"));
  std::string euros;
  for (int i = 0; i < 1000; ++i) euros += "\xE2\x82\xAC";
  const std::string cut = failure_text("x" + euros);
  EXPECT_LE(cut.size(), 1024U);
  EXPECT_GT(cut.size(), 1020U);
  EXPECT_EQ(find_invalid_utf8(cut), std::string::npos);
  // Ill-formed bytes grow when they are replaced.
  EXPECT_LE(failure_text(std::string(2000, '\xff')).size(), 1024U);
}

TEST_F(SageMakerTest, WritesTheReasonOfAFailure) {
  const std::string file = sagemaker_failure_file(base_.path().string());
  write_failure_file(file, "first");
  write_failure_file(file, "second");
  EXPECT_EQ(test::read_file(file), "second");
  base_.write("plain", "");
  EXPECT_THROW(write_failure_file(path("plain/failure"), "x"), SystemError);
}

}  // namespace
}  // namespace longformer
