// SPDX-License-Identifier: MIT
//
// Where results may go, and what is never destroyed on the way.
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longformer/io/file_system.h"

#include "../train/tiny_model.h"
#include "background_program.h"
#include "program_test.h"
#include "support/paths.h"

namespace longformer::test {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class OutputPlacesTest : public ProgramTest {
 protected:
  OutputPlacesTest() {
    write_text_model("m", no_yes_config(1));
    write("rows.jsonl", kRows);
    write("ids.jsonl", "{\"ids\": [5, 6]}\n");
  }

  /// Every command that takes --output, without it; `data` is what it reads.
  std::vector<std::vector<std::string>> commands(
      const std::string& data = "rows.jsonl",
      const std::string& ids = "ids.jsonl") const {
    return {{"predict", "--model", "m", "--data", data},
            {"evaluate", "--model", "m", "--data", data},
            {"tokenizer", "encode", "--tokenizer", "m", "--data", data},
            {"tokenizer", "decode", "--tokenizer", "m", "--data", ids}};
  }

  static constexpr const char* kRows =
      "{\"text\": \"one\", \"label\": \"no\"}\n"
      "{\"text\": \"two\", \"label\": \"yes\"}\n";
};

TEST_F(OutputPlacesTest, PipesAreWrittenIntoAndLinksStayLinks) {
  fs::create_symlink("sub/real", path("link"));
  fs::create_directory(path("sub"));
  for (const auto& command : commands()) {
    SCOPED_TRACE(::testing::PrintToString(command));
    std::string line = "\"$0\"";
    for (const std::string& word : command) line += " " + word;
    const std::string expected = run(command).standard_output;
    ASSERT_NE(expected, "");
    EXPECT_EQ(shell(line + " --output >(cat >got); wait $!").exit_code, 0);
    EXPECT_EQ(read_file(path("got")), expected);
    const RunResult fifo = shell("rm -f pipe; mkfifo pipe; cat pipe & " + line +
                                 " --output pipe; [[ -p pipe ]] && wait");
    EXPECT_EQ(fifo.exit_code, 0) << fifo.standard_error;
    EXPECT_EQ(fifo.standard_output, expected);
    // The file behind a descriptor is neither replaced nor cut off.
    const RunResult descriptor = shell(
        "(echo before; " + line + " --output /dev/stdout; echo after) >got");
    EXPECT_EQ(read_file(path("got")), "before\n" + expected + "after\n");
    EXPECT_EQ(run(with(command, {"--output", "link"})).exit_code, 0);
    EXPECT_TRUE(fs::is_symlink(path("link")));
    EXPECT_EQ(read_file(path("sub/real")), expected);
  }
}

TEST_F(OutputPlacesTest, AnInputIsNotOverwrittenUnderAnyName) {
  fs::create_hard_link(path("rows.jsonl"), path("hard"));
  fs::create_symlink("ids.jsonl", path("soft"));
  for (const std::string output : {"rows.jsonl", "hard", "./rows.jsonl",
                                   "ids.jsonl", "soft", "m/vocab.json"}) {
    for (const auto& command : commands()) {
      const bool reads_ids = command[1] == "decode";
      const bool is_ids = output == "ids.jsonl" || output == "soft";
      if (reads_ids != is_ids && output != "m/vocab.json") continue;
      const RunResult result = run(with(command, {"--output", output}));
      EXPECT_EQ(result.exit_code, 2) << result.standard_error;
      EXPECT_THAT(result.standard_error,
                  AllOf(HasSubstr(output), HasSubstr("is read")));
      EXPECT_THAT(result.standard_error, Not(HasSubstr("loaded")));
    }
  }
  const RunResult weights =
      run(with(commands()[0], {"--output", "m/model.safetensors"}));
  EXPECT_EQ(weights.exit_code, 2);
  EXPECT_EQ(shell("\"$0\" predict --model m --data - --output rows.jsonl "
                  "<rows.jsonl")
                .exit_code,
            2);
  EXPECT_EQ(shell("\"$0\" predict --model m --data rows.jsonl >>rows.jsonl")
                .exit_code,
            2);
  EXPECT_EQ(read_file(path("rows.jsonl")), kRows);
  const RunResult convert = run({"convert", "--input", "m", "--output", "./m"});
  EXPECT_EQ(convert.exit_code, 2);
  EXPECT_THAT(convert.standard_error, HasSubstr("is the same as m"));
}

TEST_F(OutputPlacesTest, AnImpossiblePlaceIsFoundBeforeTheModelIsLoaded) {
  fs::create_directory(path("folder"));
  const std::vector<std::pair<std::string, std::string>> places{
      {"folder", "name a file in it"},
      {"nowhere/x", "the folder nowhere does not exist; make it first"},
      {"rows.jsonl/x", "rows.jsonl is no folder"}};
  for (const auto& [place, words] : places) {
    for (const auto& command : commands()) {
      const RunResult result = run(with(command, {"--output", place}));
      EXPECT_EQ(result.exit_code, 7);
      EXPECT_THAT(
          result.standard_error,
          AllOf(HasSubstr(place + ": cannot be written"), HasSubstr(words),
                Not(HasSubstr(".partial")), Not(HasSubstr("loaded"))));
    }
  }
}

TEST_F(OutputPlacesTest, ASignalAndALaterRunRemoveWhatWasNotComplete) {
  write("out.partial-1-0", "left over");
  write("other.partial-1-0", "not of this target");
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  for (const auto& [number, code] : {std::pair{SIGTERM, 143}, {SIGINT, 130}}) {
    BackgroundProgram program(longformer_binary(),
                              {"predict", "--model", path("m"), "--data",
                               path("pipe"), "--output", path("out")},
                              path("log.txt"));
    std::ofstream writer(path("pipe"));
    ASSERT_TRUE(program.wait_until([&] {
      return program.log_text().find("loaded") != std::string::npos;
    })) << program.log_text();
    program.send(number);
    EXPECT_EQ(program.wait(), code);
    for (const auto& entry : fs::directory_iterator(directory_.path())) {
      EXPECT_THAT(entry.path().filename().string(),
                  Not(HasSubstr("out.partial")));
    }
  }
  EXPECT_TRUE(exists(path("other.partial-1-0")));
}

}  // namespace
}  // namespace longformer::test
