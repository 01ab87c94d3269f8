// SPDX-License-Identifier: MIT
//
// Several processes answer and measure as one does, to the last byte.
#include <algorithm>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../train/tiny_model.h"
#include "program_test.h"
#include "support/paths.h"

namespace longformer::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class SharedAnswersTest : public ProgramTest {
 protected:
  SharedAnswersTest() {
    write_text_model("model", no_yes_config());
    for (int i = 0; i < 7; ++i) {
      rows_ += Json({{"id", i},
                     {"text", std::string(10 + 17 * i % 60, 'a' + i) + " end"},
                     {"label", i % 2 == 0 ? "no" : "yes"}})
                   .dump() +
               "\n";
    }
    write("rows.jsonl", rows_);
  }

  std::vector<std::string> command(const std::string& name, int processes,
                                   int micro_batch_tokens) const {
    return {name,
            "--model",
            path("model"),
            "--data",
            path("rows.jsonl"),
            "--processes",
            std::to_string(processes),
            "--micro-batch-tokens",
            std::to_string(micro_batch_tokens)};
  }

  std::string rows_;
};

// PyTorch issues 25162 and 22584: metrics depended on the number of GPUs.
TEST_F(SharedAnswersTest, AreTheSameBytesForAnyNumberOfProcesses) {
  for (const std::string name : {"predict", "evaluate"}) {
    for (const int tokens : {60, 100000}) {
      const std::string one =
          run_well(command(name, 1, tokens)).standard_output;
      EXPECT_THAT(one, HasSubstr(name == "predict" ? "\"id\":6" : "\"loss\""));
      for (const int processes : {2, 3}) {
        EXPECT_EQ(run_well(command(name, processes, tokens)).standard_output,
                  one)
            << name << " with " << processes << " processes, " << tokens;
      }
    }
  }
}

TEST_F(SharedAnswersTest, OfRowsThatCannotBeReadAreInTheirPlace) {
  write("rows.jsonl", rows_ + "no json\n" + rows_);
  const auto rows = [&](int processes) {
    return run_well(
               with(command("predict", processes, 60), {"--max-bad-rows", "3"}))
        .standard_output;
  };
  const std::string one = rows(1);
  EXPECT_EQ(parse_json_lines(one).size(), 15U);
  EXPECT_THAT(one, HasSubstr("rows.jsonl:8"));
  EXPECT_EQ(rows(2), one);
}

TEST_F(SharedAnswersTest, OfRowsBeforeAnErrorAreGivenAndTheErrorIsRank0s) {
  write("rows.jsonl", rows_ + "no json\n");
  const auto arguments = with(command("predict", 2, 60), {"--threads", "1"});
  const RunResult result = run(arguments);
  EXPECT_EQ(result.exit_code, 3) << result.standard_error;
  EXPECT_EQ(parse_json_lines(result.standard_output).size(), 7U);
  EXPECT_THAT(result.standard_error,
              AllOf(HasSubstr("rank 0: "), HasSubstr("rows.jsonl:8")));
}

TEST_F(SharedAnswersTest, ComeOutOfStandardInputAsItArrives) {
  auto arguments = with(command("predict", 2, 60), {"--threads", "1"});
  *(std::ranges::find(arguments, "--data") + 1) = "-";
  std::string words;
  for (const std::string& word : arguments) words += " '" + word + "'";
  // The third row is handed in once the first one is answered.
  const RunResult result = shell(
      "mkfifo seen; "
      "{ sed -n 1,2p rows.jsonl; read -r word < seen; sed -n 3,7p rows.jsonl; }"
      " | timeout 60 \"$0\"" +
      words + " | { read -r line; echo \"$line\"; echo go > seen; cat; }");
  EXPECT_EQ(result.exit_code, 0) << result.standard_error;
  const auto rows = parse_json_lines(result.standard_output);
  ASSERT_EQ(rows.size(), 7U) << result.standard_error;
  for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(rows[i]["id"], i);
}

TEST_F(SharedAnswersTest, NeedNoFolderOfTheirOwnAfterwards) {
  RunOptions options;
  std::filesystem::create_directory(path("temporary"));
  options.environment = {{"TMPDIR", path("temporary")}};
  const RunResult result = run_program(
      longformer_binary(), with(command("evaluate", 2, 60), {"--threads", "1"}),
      options);
  EXPECT_EQ(result.exit_code, 0) << result.standard_error;
  EXPECT_TRUE(std::filesystem::is_empty(path("temporary")));
}

}  // namespace
}  // namespace longformer::test
