// SPDX-License-Identifier: MIT
#include "program_test.h"

#include <filesystem>
#include <sstream>

#include "longformer/base/random.h"
#include "longformer/train/saved_tensors.h"

#include "../train/tiny_model.h"
#include "support/paths.h"

namespace longformer::test {
namespace {

/// GPT-2's letters for the bytes that are no printable ones, as UTF-8.
std::string letter_of_byte(int byte, int& next_free) {
  const bool printable = (byte >= 33 && byte <= 126) ||
                         (byte >= 161 && byte <= 172) ||
                         (byte >= 174 && byte <= 255);
  const int code = printable ? byte : next_free++;
  if (code < 0x80) return std::string(1, static_cast<char>(code));
  return {static_cast<char>(0xC0 | (code >> 6)),
          static_cast<char>(0x80 | (code & 0x3F))};
}

std::string byte_vocabulary() {
  Json vocabulary = {{"<s>", 0}, {"<pad>", 1}, {"</s>", 2}, {"<unk>", 3}};
  int next_free = 256;
  for (int byte = 0; byte < 256; ++byte) {
    vocabulary[letter_of_byte(byte, next_free)] = 4 + byte;
  }
  vocabulary["<mask>"] = 260;
  return vocabulary.dump();
}

}  // namespace

ModelConfig no_yes_config(std::int64_t num_layers) {
  ModelConfig config = tiny_config(2, num_layers);
  config.labels = {"no", "yes"};
  return config;
}

std::string toy_rows(const std::vector<std::int64_t>& lengths,
                     const std::vector<Json>& label_names, std::uint64_t seed) {
  RandomStream random({static_cast<std::uint32_t>(seed), 91}, 0);
  std::string rows;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    std::vector<std::int64_t> ids{0};
    while (static_cast<std::int64_t>(ids.size()) + 1 < lengths[i]) {
      ids.push_back(10 + static_cast<std::int64_t>(random.next_below(50)));
    }
    if (lengths[i] > 1) ids.push_back(2);
    Json row = Json::object();
    if (!label_names.empty()) {
      const std::size_t label = i % label_names.size();
      if (lengths[i] > 2) {
        const auto places = static_cast<std::uint64_t>(lengths[i] - 2);
        ids[1 + random.next_below(places)] =
            4 + static_cast<std::int64_t>(label);
      }
      row["label"] = label_names[label];
    }
    row["input_ids"] = ids;
    rows += row.dump() + "\n";
  }
  return rows;
}

std::vector<Json> parse_json_lines(const std::string& text) {
  std::vector<Json> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(parse_strict_json(line));
  }
  return lines;
}

std::vector<Json> read_json_lines(const std::string& path) {
  return parse_json_lines(read_file(path));
}

Json without_measurements(const Json& record) {
  Json rest = record;
  for (const char* key : {"seconds", "tokens_per_second", "memory_bytes",
                          "peak_memory_bytes", "exchanged_bytes", "ranks"}) {
    rest.erase(key);
  }
  return rest;
}

std::string ProgramTest::write_model(const std::string& name,
                                     const ModelConfig& config,
                                     std::uint64_t seed) const {
  std::filesystem::create_directories(path(name));
  save_classifier(*tiny_classifier(config, seed), path(name));
  return path(name);
}

std::string ProgramTest::write_text_model(const std::string& name,
                                          ModelConfig config) const {
  config.vocab_size = 261;
  write_model(name, config);
  write(name + "/vocab.json", byte_vocabulary());
  write(name + "/merges.txt", "#version: 0.2\n");
  return path(name);
}

RunResult ProgramTest::run(const std::vector<std::string>& arguments,
                           const std::string& standard_input) const {
  RunOptions options;
  options.standard_input = standard_input;
  options.working_directory = directory_.path();
  return run_program(longformer_binary(), arguments, options);
}

RunResult ProgramTest::shell(const std::string& commands) const {
  RunOptions options;
  options.working_directory = directory_.path();
  return run_program("bash", {"-c", commands, longformer_binary().string()},
                     options);
}

RunResult ProgramTest::run_well(const std::vector<std::string>& arguments,
                                const std::string& standard_input) const {
  const RunResult result =
      run(with(arguments, {"--threads", "1"}), standard_input);
  EXPECT_EQ(result.exit_code, 0) << result.standard_error;
  return result;
}

std::vector<std::string> with(std::vector<std::string> arguments,
                              const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

}  // namespace longformer::test
