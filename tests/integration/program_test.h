// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "longformer/base/strict_json.h"
#include "longformer/config/model_config.h"

#include "support/run_program.h"
#include "support/temp_dir.h"

namespace longformer::test {

/// Rows of JSON lines for a model of train/tiny_model.h: random ids, one of
/// which gives the label away; labels go 0, 1, ... in turn.
///
/// `label_names`: what to write as label; empty: none.
std::string toy_rows(const std::vector<std::int64_t>& lengths,
                     const std::vector<Json>& label_names,
                     std::uint64_t seed = 5);

/// train/tiny_model.h's model with the labels "no" and "yes".
ModelConfig no_yes_config(std::int64_t num_layers = 2);

/// The objects of a file with one a line.
std::vector<Json> read_json_lines(const std::string& path);

/// The objects of a text with one a line.
std::vector<Json> parse_json_lines(const std::string& text);

/// A record of metrics.jsonl without what differs from run to run, or with the
/// number of processes: seconds, memory and loads.
Json without_measurements(const Json& record);

/// Tests that run the program in a folder of their own.
class ProgramTest : public testing::Test {
 protected:
  std::string path(const std::string& name) const {
    return (directory_ / name).string();
  }
  std::string write(const std::string& name, const std::string& text) const {
    return directory_.write(name, text).string();
  }
  /// A model directory without tokenizer. Returns its path.
  std::string write_model(const std::string& name, const ModelConfig& config,
                          std::uint64_t seed = 1) const;
  /// A model of a tokenizer that gives every byte a token of its own (ids from
  /// 4, after <s>, <pad>, </s>, <unk>), and a model with it.
  std::string write_text_model(const std::string& name,
                               ModelConfig config) const;

  /// Runs the program in the folder.
  RunResult run(const std::vector<std::string>& arguments,
                const std::string& standard_input = {}) const;
  /// The same with one thread; fails the test if the exit code is not 0.
  RunResult run_well(const std::vector<std::string>& arguments,
                     const std::string& standard_input = {}) const;
  /// Runs shell commands in the folder; $0 is the program.
  RunResult shell(const std::string& commands) const;

  TempDir directory_;
};

/// The arguments with more behind them.
std::vector<std::string> with(std::vector<std::string> arguments,
                              const std::vector<std::string>& more);

}  // namespace longformer::test
