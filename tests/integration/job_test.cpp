// SPDX-License-Identifier: MIT
#include "job_test.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "../train/tiny_model.h"
#include "support/paths.h"

namespace longformer::test {

std::string loopback_host(int number) {
  const int process = getpid();
  return "127." + std::to_string(1 + process % 250) + "." +
         std::to_string(1 + process / 250 % 250) + "." + std::to_string(number);
}

std::optional<pid_t> process_with(pid_t parent, const std::string& entry) {
  const std::string id = std::to_string(parent);
  std::ifstream children("/proc/" + id + "/task/" + id + "/children");
  for (pid_t child = 0; children >> child;) {
    std::ifstream environment("/proc/" + std::to_string(child) + "/environ");
    for (std::string found; std::getline(environment, found, '\0');) {
      if (found == entry) return child;
    }
  }
  return std::nullopt;
}

JobTest::JobTest() {
  write_model("tiny", tiny_config());
  write("train.jsonl",
        toy_rows({12, 30, 7, 9, 60, 22, 14, 5, 41, 18, 128}, {"no", "yes"}));
  write("validation.jsonl", toy_rows({20, 33, 8, 50}, {"no", "yes"}, 6));
}

std::vector<std::string> JobTest::command(const std::string& output) const {
  return {"train",
          "--config",
          write_config("job.json"),
          "--model",
          path("tiny"),
          "--train-data",
          path("train.jsonl"),
          "--validation-data",
          path("validation.jsonl"),
          "--output-dir",
          path(output)};
}

std::string JobTest::write_config(const std::string& name) const {
  return write(name,
               "{\"max_steps\": 10, \"batch_size\": 3, "
               "\"micro_batch_tokens\": 100, \"dropout\": 0.1, "
               "\"learning_rate\": 1e-3, \"checkpoint_every\": 2, "
               "\"validate_every\": 3, \"keep_checkpoints\": 100, "
               "\"threads\": 1}");
}

std::vector<std::unique_ptr<BackgroundProgram>> JobTest::start_ranks(
    const std::vector<Variables>& ranks,
    const std::vector<std::string>& arguments) const {
  std::vector<std::unique_ptr<BackgroundProgram>> programs;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const std::string name = path("process_" + std::to_string(i));
    programs.push_back(std::make_unique<BackgroundProgram>(
        longformer_binary(), arguments, name + ".log", ranks[i],
        name + ".out"));
  }
  return programs;
}

std::vector<RankRun> JobTest::run_ranks(
    const std::vector<Variables>& ranks,
    const std::vector<std::string>& arguments) const {
  std::vector<RankRun> runs;
  for (const auto& program : start_ranks(ranks, arguments)) {
    const int code = program->wait();
    runs.push_back({code, program->log_text()});
  }
  return runs;
}

void JobTest::run_ranks_well(const std::vector<Variables>& ranks,
                             const std::vector<std::string>& arguments) const {
  for (const RankRun& run : run_ranks(ranks, arguments)) {
    EXPECT_EQ(run.exit_code, 0) << run.log;
  }
}

void JobTest::train_reference(int processes,
                              const std::vector<std::string>& more) const {
  const RunResult result =
      run(with(with(command("reference"), more),
               {"--processes", std::to_string(processes)}));
  ASSERT_EQ(result.exit_code, 0) << result.standard_error;
}

void JobTest::expect_reference(const std::string& model) const {
  for (const char* file : {"/model.safetensors", "/config.json"}) {
    EXPECT_EQ(read_file(path("reference/model") + file),
              read_file(model + file))
        << file;
  }
}

}  // namespace longformer::test
