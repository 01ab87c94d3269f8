// SPDX-License-Identifier: MIT
//
// Prediction streams: memory does not grow with the number of rows, answers
// keep the order of the rows, and a reader may stop reading.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../train/tiny_model.h"
#include "program_test.h"
#include "support/paths.h"

namespace longformer::test {
namespace {

using ::testing::HasSubstr;

class PredictStreamTest : public ProgramTest {
 protected:
  PredictStreamTest() { write_model("tiny", tiny_config(2, 1)); }

  /// Predicts a file and returns the most memory that the program held, in KiB.
  long peak_memory(const std::string& data, const std::string& output) const {
    const std::string program = longformer_binary().string();
    const pid_t process = fork();
    if (process == 0) {
      const int null = open("/dev/null", O_WRONLY);
      dup2(null, STDERR_FILENO);
      execl(program.c_str(), program.c_str(), "predict", "--model",
            path("tiny").c_str(), "--data", data.c_str(), "--output",
            output.c_str(), "--threads", "1", nullptr);
      _exit(127);
    }
    int status = 0;
    struct rusage usage = {};
    EXPECT_EQ(wait4(process, &status, 0, &usage), process);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return usage.ru_maxrss;
  }

  /// `count` rows of JSON of about `bytes` each, few tokens, in a file.
  std::string write_rows(const std::string& name, int count,
                         std::size_t bytes) const {
    std::string text;
    const std::string filling(bytes, 'x');
    for (int i = 0; i < count; ++i) {
      text += "{\"id\": " + std::to_string(i) +
              ", \"input_ids\": [0, 5, 9, 2], \"note\": \"" + filling + "\"}\n";
    }
    return write(name, text);
  }
};

TEST_F(PredictStreamTest, MemoryDoesNotGrowWithTheNumberOfRows) {
  // 12 MB are three blocks, 96 MB are 24.
  const long some =
      peak_memory(write_rows("some.jsonl", 6000, 2000), path("some.out"));
  const long many =
      peak_memory(write_rows("many.jsonl", 48000, 2000), path("many.out"));
  std::printf("peak: %ld KiB for 6,000 rows, %ld KiB for 48,000\n", some, many);
  EXPECT_LT(many, some + 20 * 1024);
  const auto answers = read_json_lines(path("many.out"));
  ASSERT_EQ(answers.size(), 48000U);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    ASSERT_EQ(answers[i].at("id"), static_cast<std::int64_t>(i));
  }
}

TEST_F(PredictStreamTest, StandardInputGivesWhatAFileGives) {
  const std::string rows = toy_rows({5, 70, 128, 3}, {});
  const RunResult from_input = run_well(
      {"predict", "--model", "tiny", "--data", "-", "--output", "-"}, rows);
  write("rows.jsonl", rows);
  const RunResult from_file =
      run_well({"predict", "--model", "tiny", "--data", "rows.jsonl",
                "--output", "answers.jsonl"});
  EXPECT_EQ(from_input.standard_output, read_file(path("answers.jsonl")));
  EXPECT_EQ(from_file.standard_output, "");
}

TEST_F(PredictStreamTest, NothingIsLeftBehindWhenARowIsRefused) {
  write("rows.jsonl", toy_rows({5, 6}, {}) + "nonsense\n");
  const RunResult result = run({"predict", "--model", "tiny", "--data",
                                "rows.jsonl", "--output", "answers.jsonl"});
  EXPECT_EQ(result.exit_code, 3);
  for (const auto& entry :
       std::filesystem::directory_iterator(directory_.path())) {
    EXPECT_THAT(entry.path().filename().string(),
                ::testing::Not(HasSubstr("answers")));
  }
}

TEST_F(PredictStreamTest, AReaderThatGoesAwayEndsTheProgram) {
  const std::string data = write_rows("many.jsonl", 12000, 2000);
  const RunResult result = shell(
      "\"$0\" predict --model tiny --data many.jsonl --output - | head -n 1; "
      "echo ${PIPESTATUS[0]} >&2");
  EXPECT_EQ(parse_json_lines(result.standard_output).size(), 1U);
  // 141 = 128 + SIGPIPE, or 7 if the program saw the failing write.
  EXPECT_TRUE(result.standard_error.ends_with("141\n") ||
              result.standard_error.ends_with("7\n"))
      << result.standard_error;
}

// Weights stay in the mapped files: what is written into these while the
// program runs must not pass for the model.
TEST_F(PredictStreamTest, AModelThatIsChangedWhileItAnswersIsAnError) {
  write_rows("rows.jsonl", 6000, 2000);  // More than one block.
  const std::string append = "printf x >>tiny/model.safetensors";
  const std::string shorten = "truncate -s 900 tiny/model.safetensors";
  for (const std::string& change : {append, shorten}) {
    SCOPED_TRACE(change);
    write_model("tiny", tiny_config(2, 1));
    const RunResult result = shell(
        "rm -f pipe answers; mkfifo pipe\n"
        "\"$0\" predict --model tiny --data - --output - <pipe >answers &\n"
        "exec 3>pipe; cat rows.jsonl >&3\n"
        "for i in {1..600}; do [[ -s answers ]] && break; sleep 0.1; done\n" +
        change + "\ncat rows.jsonl >&3; exec 3>&-; wait $!; echo $?");
    EXPECT_EQ(result.standard_output, "4\n");
    EXPECT_THAT(result.standard_error, HasSubstr("while it was in use"));
    const auto answered = read_json_lines(path("answers")).size();
    EXPECT_GT(answered, 0U);
    EXPECT_LT(answered, 12000U);
  }
}

// Beside other busy processes, threads that spin while they wait took twenty
// times as long for short rows.
TEST_F(PredictStreamTest, ThreadsSleepWhileTheyWaitUnlessTheUserChose) {
  const std::string data = write_rows("data.jsonl", 2, 1);
  const auto environment_of_threads = [&](const std::string& choice) {
    return run_program("/usr/bin/env",
                       {"-u", "OMP_WAIT_POLICY", "OMP_DISPLAY_ENV=true", choice,
                        longformer_binary().string(), "predict", "--model",
                        path("tiny"), "--data", data, "--output", path("out")})
        .standard_error;
  };
  EXPECT_THAT(environment_of_threads("X=1"),
              HasSubstr("OMP_WAIT_POLICY = 'PASSIVE'"));
  EXPECT_THAT(environment_of_threads("OMP_WAIT_POLICY=active"),
              ::testing::Not(HasSubstr("PASSIVE")));
}

}  // namespace
}  // namespace longformer::test
