// SPDX-License-Identifier: MIT
//
// The program as a partner in a conversation: it answers a row when the row
// arrives, and the rows before an error before the error.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../train/tiny_model.h"
#include "program_test.h"
#include "support/paths.h"

namespace longformer::test {
namespace {

using ::testing::HasSubstr;

class InteractiveTest : public ProgramTest {
 protected:
  InteractiveTest() { write_text_model("m", tiny_config(2, 1)); }

  /// Starts `command` beside the shell and sends it one row after the other,
  /// each when the answer to the one before is there.
  RunResult talk(const std::string& command, const std::string& first,
                 const std::string& second) const {
    RunOptions options;
    options.working_directory = directory_.path();
    return run_program(
        "bash",
        {"-c",
         "coproc P { exec \"$0\" " + command +
             " --data - 2>log; }\n"
             "for row in \"$1\" \"$2\"; do\n"
             "  printf '%s\\n' \"$row\" >&${P[1]}\n"
             "  read -r -t 100 answer <&${P[0]} && echo \"$answer\"\n"
             "done\n"
             "exec {P[1]}>&-; wait $P_PID; echo $?",
         longformer_binary().string(), first, second},
        options);
  }
};

TEST_F(InteractiveTest, EveryRowIsAnsweredWhenItArrives) {
  for (const std::string command :
       {"predict --model m", "tokenizer encode --tokenizer m"}) {
    const RunResult result = talk(command, R"({"text": "one", "id": 1})",
                                  R"({"text": "t", "id": 2})");
    SCOPED_TRACE(command + result.standard_output);
    ASSERT_TRUE(result.standard_output.ends_with("\n0\n"));
    const auto answers = parse_json_lines(result.standard_output);
    ASSERT_EQ(answers.size(), 3U);
    EXPECT_EQ(answers[0].at("id"), 1);
    EXPECT_EQ(answers[1].at("id"), 2);
  }
  EXPECT_EQ(talk("tokenizer decode --tokenizer m", R"({"ids": [68]})",
                 R"({"input_ids": [69, 70]})")
                .standard_output,
            "{\"text\":\"@\"}\n{\"text\":\"AB\"}\n0\n");
  EXPECT_EQ(
      parse_json_lines(talk("predict --model m", "text,id\none,1", "\"t\nt\",2")
                           .standard_output)
          .size(),
      3U);
}

TEST_F(InteractiveTest, GoodRowsAreAnsweredBeforeABadOne) {
  const std::string good = "{\"text\": \"one\"}\n";
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{"predict", "--model", "m"}, good},
      {{"tokenizer", "encode", "--tokenizer", "m"}, good},
      {{"tokenizer", "decode", "--tokenizer", "m"}, "{\"ids\": [68]}\n"}};
  for (const auto& [command, row] : cases) {
    for (const std::string bad : {"nonsense\n", "{\"input_ids\": [999]}\n"}) {
      if (command[0] == "tokenizer" && bad != "nonsense\n") continue;
      const RunResult result =
          run(with(command, {"--data", "-"}), row + row + bad + row);
      SCOPED_TRACE(result.standard_error);
      EXPECT_EQ(result.exit_code, 3);
      EXPECT_EQ(parse_json_lines(result.standard_output).size(), 2U);
      EXPECT_THAT(result.standard_error, HasSubstr("standard input:3"));
    }
  }
}

}  // namespace
}  // namespace longformer::test
