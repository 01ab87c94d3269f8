// SPDX-License-Identifier: MIT
#include "sagemaker_tree.h"

#include <filesystem>
#include <fstream>

#include "support/paths.h"

namespace longformer::test {

void SageMakerTree::write(const std::string& name,
                          const std::string& text) const {
  const std::filesystem::path file = path(name);
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

void SageMakerTree::write_hyperparameters(const Json& values) const {
  Json texts = Json::object();
  for (const auto& [name, value] : values.items()) {
    texts[name] = value.is_string() ? value : Json(value.dump());
  }
  write("input/config/hyperparameters.json", texts.dump());
}

void SageMakerTree::write_hosts(const std::vector<std::string>& hosts,
                                std::size_t current) const {
  write("input/config/resourceconfig.json",
        Json{{"current_host", hosts[current]},
             {"hosts", hosts},
             {"network_interface_name", "lo"}}
            .dump());
}

void SageMakerTree::add_channel(const std::string& name,
                                const std::string& from) const {
  const std::filesystem::path folder = path("input/data/" + name);
  std::filesystem::create_directories(folder);
  std::filesystem::copy(from, folder);
}

Variables SageMakerTree::variables() const {
  return {{"SAGEMAKER_BASE_DIR", root_}, {"TMPDIR", root_ + "/tmp"}};
}

std::string SageMakerTree::failure() const {
  if (!std::filesystem::exists(path("output/failure"))) return "";
  const std::string text = read_file(path("output/failure"));
  EXPECT_LE(text.size(), 1024U);
  return text.substr(0, text.find('\n'));
}

SageMakerTree SageMakerJobTest::make_tree(const std::string& name,
                                          int processes) const {
  SageMakerTree tree(path(name));
  tree.write_hyperparameters(hyperparameters(processes));
  tree.write_hosts({"algo-1"}, 0);
  Json channels = Json::object();
  for (const char* channel : {"train", "validation", "model"}) {
    channels[channel] = {{"TrainingInputMode", "File"},
                         {"S3DistributionType", "FullyReplicated"}};
  }
  tree.write("input/config/inputdataconfig.json", channels.dump());
  tree.add_channel("train", path("train.jsonl"));
  tree.add_channel("validation", path("validation.jsonl"));
  tree.add_channel("model", path("tiny"));
  for (const char* folder : {"model", "output/data", "checkpoints", "tmp"}) {
    std::filesystem::create_directories(tree.path(folder));
  }
  return tree;
}

Json SageMakerJobTest::hyperparameters(int processes) {
  return {{"processes", processes},
          {"max_steps", 10},
          {"batch_size", 3},
          {"micro_batch_tokens", 100},
          {"dropout", 0.1},
          {"learning_rate", "1e-3"},
          {"checkpoint_every", "2.0"},
          {"validate_every", "\"3\""},
          {"keep_checkpoints", 100},
          {"threads", 1}};
}

RunResult SageMakerJobTest::run_in(const SageMakerTree& tree,
                                   const Variables& variables) const {
  RunOptions options;
  options.environment = tree.variables();
  for (const auto& [name, value] : variables) options.environment[name] = value;
  return run_program(longformer_binary(), {"train"}, options);
}

std::unique_ptr<BackgroundProgram> SageMakerJobTest::start_in(
    const SageMakerTree& tree) const {
  return std::make_unique<BackgroundProgram>(
      longformer_binary(), std::vector<std::string>{"train"}, tree.path("log"),
      tree.variables(), tree.path("out"));
}

}  // namespace longformer::test
