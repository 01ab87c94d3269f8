// SPDX-License-Identifier: MIT
//
// A model is asked with the documents cut as they were in its training, also by
// other programs: the tokenizer remembers the length.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../train/tiny_model.h"
#include "program_test.h"

namespace longformer::test {
namespace {

class MaxLengthTest : public ProgramTest {
 protected:
  MaxLengthTest() {
    write_text_model("tiny", tiny_config(2));
    write("data.csv",
          "text,label\none two three four five six seven,a\ntwo,b\n");
  }

  void train(const std::string& output,
             const std::vector<std::string>& more) const {
    run_well(with({"train", "--model", "tiny", "--train-data", "data.csv",
                   "--output-dir", output, "--max-steps", "1"},
                  more));
  }

  std::int64_t remembered_by(const std::string& output) const {
    return parse_strict_json(
               read_file(path(output + "/model/tokenizer_config.json")))
        .at("model_max_length")
        .get<std::int64_t>();
  }

  /// Tokens read of a long text.
  std::int64_t tokens_of(const std::string& output,
                         const std::vector<std::string>& more = {}) const {
    const RunResult result =
        run_well(with({"predict", "--model", output + "/model", "--data", "-",
                       "--output", "-"},
                      more),
                 "{\"text\": \"" + std::string(500, 'x') + "\"}\n");
    return parse_json_lines(result.standard_output)
        .at(0)
        .at("tokens")
        .get<std::int64_t>();
  }
};

TEST_F(MaxLengthTest, PredictCutsAsTrainingDidUnlessTold) {
  train("run", {"--max-length", "10"});
  EXPECT_EQ(remembered_by("run"), 10);
  EXPECT_EQ(tokens_of("run"), 10);
  EXPECT_EQ(tokens_of("run", {"--max-length", "40"}), 40);
  // A model that starts from it keeps that, too.
  run_well({"train", "--model", "run/model", "--train-data", "data.csv",
            "--output-dir", "more", "--max-steps", "1"});
  EXPECT_EQ(remembered_by("more"), 10);
}

TEST_F(MaxLengthTest, WithoutTheOptionItIsWhatTheModelCanTake) {
  train("run", {});
  EXPECT_EQ(remembered_by("run"), tiny_config().usable_length());
  EXPECT_EQ(tokens_of("run"), tiny_config().usable_length());
}

}  // namespace
}  // namespace longformer::test
