// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "../train/tiny_model.h"
#include "program_test.h"
#include "support/run_program.h"

namespace longformer::test {

/// A training of two processes, in which the program with faults can let one of
/// them fail (see faulty_longformer.cpp). Three steps an epoch, then validation
/// and a checkpoint.
class TwoProcessesTest : public ProgramTest {
 protected:
  TwoProcessesTest() {
    write_model("tiny", tiny_config());
    write("train.jsonl", toy_rows({12, 30, 7, 9, 20, 22, 14, 5, 31, 18, 28, 8},
                                  {"no", "yes"}));
    write("validation.jsonl",
          toy_rows({60, 53, 58, 50, 61, 40}, {"no", "yes"}, 6));
  }

  std::vector<std::string> train(const std::string& output,
                                 const std::vector<std::string>& more) const {
    return with(
        {"train", "--model", path("tiny"), "--train-data", path("train.jsonl"),
         "--validation-data", path("validation.jsonl"), "--output-dir",
         path(output), "--batch-size", "4", "--micro-batch-tokens", "100",
         "--processes", "2", "--threads", "1"},
        more);
  }

  /// `fault`: "KIND:RANK:PLACE".
  static RunResult run_with_fault(const std::vector<std::string>& arguments,
                                  const std::string& fault) {
    RunOptions options;
    options.environment = {{"LONGFORMER_TEST_FAULT", fault}};
    return run_program(LONGFORMER_FAULTY_PROGRAM, arguments, options);
  }
};

}  // namespace longformer::test
