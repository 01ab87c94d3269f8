// SPDX-License-Identifier: MIT
//
// Standard streams that are closed or full.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longformer/base/utf8.h"
#include "longformer/io/file_system.h"

#include "../train/tiny_model.h"
#include "program_test.h"
#include "support/paths.h"

namespace longformer::test {
namespace {

using ::testing::HasSubstr;

class StandardStreamsTest : public ProgramTest {
 protected:
  StandardStreamsTest() {
    write_model("tiny", no_yes_config(1));
    write("rows.jsonl", toy_rows({9, 30, 5, 8}, {"no", "yes"}));
  }
};

TEST_F(StandardStreamsTest, NoLogLineGoesIntoAFileWhereAStreamWasClosed) {
  for (const std::string closed :
       {"2>&-", ">&- 2>&-", "<&- >&- 2>&-", "<&- 2>&-"}) {
    SCOPED_TRACE(closed);
    const RunResult train = shell(
        "rm -rf run; \"$0\" train --model tiny --train-data rows.jsonl "
        "--output-dir run --max-steps 2 --threads 1 " +
        closed);
    EXPECT_EQ(train.exit_code, 0);
    EXPECT_EQ(read_json_lines(path("run/metrics.jsonl")).size(), 2U);
    const RunResult predict = shell(
        "\"$0\" predict --model tiny --data rows.jsonl --output out " + closed);
    EXPECT_EQ(predict.exit_code, 0);
    EXPECT_EQ(read_json_lines(path("out")).size(), 4U);
  }
}

TEST_F(StandardStreamsTest, AClosedStreamThatIsNeededIsAnError) {
  const RunResult output =
      shell("\"$0\" predict --model tiny --data rows.jsonl >&-");
  EXPECT_EQ(output.exit_code, 7);
  EXPECT_THAT(output.standard_error, HasSubstr("standard output"));
  const RunResult input = shell("\"$0\" predict --model tiny --data - <&-");
  EXPECT_EQ(input.exit_code, 7);
  EXPECT_THAT(input.standard_error, HasSubstr("standard input"));
}

TEST_F(StandardStreamsTest, WhatCannotBePrintedIsAnError) {
  for (const std::string words :
       {"--help", "--version", "train --help", "tokenizer train --help",
        "inspect tiny", "inspect rows.jsonl", "inspect tiny/model.safetensors",
        "predict --model tiny --data rows.jsonl"}) {
    const RunResult result = shell("\"$0\" " + words + " >/dev/full");
    EXPECT_EQ(result.exit_code, 7) << words;
    EXPECT_THAT(result.standard_error, HasSubstr("standard output")) << words;
  }
}

TEST_F(StandardStreamsTest, NamesFromOutsideDoNotCommandTheTerminal) {
  for (const std::string words :
       {"predict --data rows.jsonl --model", "inspect", "predict --model",
        "predict --model tiny --data", "frobnicate --x"}) {
    const RunResult result = shell("\"$0\" " + words + " $'a\\x1b[31m\\xff'");
    EXPECT_NE(result.exit_code, 0) << words;
    EXPECT_EQ(result.standard_error.find('\x1B'), std::string::npos) << words;
    EXPECT_EQ(find_invalid_utf8(result.standard_error), std::string::npos);
  }
}

}  // namespace
}  // namespace longformer::test
