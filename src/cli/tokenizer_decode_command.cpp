// SPDX-License-Identifier: MIT
#include <vector>

#include "longformer/config/tokenizer_options.h"
#include "longformer/data/input_files.h"
#include "longformer/io/text_input.h"
#include "longformer/tokenizer/tokenizer.h"

#include "command_start.h"
#include "commands.h"
#include "output_file.h"
#include "overwriting.h"

namespace longformer {
namespace {

/// What `encode` writes is called "ids", what `train` reads "input_ids".
std::vector<std::int32_t> ids_of(const Json& line) {
  const char* key =
      line.is_object() && line.contains("input_ids") ? "input_ids" : "ids";
  if (!line.is_object() || !line.contains(key) || !line.at(key).is_array()) {
    throw DataError(
        "expected an object with a list \"ids\" (or \"input_ids\")");
  }
  std::vector<std::int32_t> ids;
  for (const Json& id : line.at(key)) {
    if (!id.is_number_integer() || id.get<std::int64_t>() < 0 ||
        id.get<std::int64_t>() > INT32_MAX) {
      throw DataError(std::string(key) + " holds " + id.dump() +
                      ", which is no token id");
    }
    ids.push_back(id.get<std::int32_t>());
  }
  return ids;
}

std::string decoded_line(const Tokenizer& tokenizer, std::string_view text,
                         bool skip_special) {
  Json result = Json::object();
  try {
    const Json line = parse_strict_json(text);
    const std::vector<std::int32_t> ids = ids_of(line);
    if (line.contains("id")) result["id"] = line.at("id");
    result["text"] = tokenizer.decode(ids, skip_special);
  } catch (const JsonSyntaxError& error) {
    throw DataError(describe(error));
  }
  return result.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

void decode_file(const std::string& path, const Tokenizer& tokenizer,
                 bool skip_special, OutputFile& output) {
  TextInput input(path);
  std::string line;
  for (std::int64_t number = 1; input.read_line(line); ++number) {
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    try {
      output.write(decoded_line(tokenizer, line, skip_special));
    } catch (const DataError& error) {
      throw DataError(input.name() + ":" + std::to_string(number) + ": " +
                      error.what());
    }
  }
}

}  // namespace

ExitCode tokenizer_decode_command(const Arguments& arguments) {
  const auto options = start_command<TokenizerDecodeOptions>(
      "tokenizer decode", "Turns ids back into text.", arguments);
  if (!options) return ExitCode::kSuccess;
  const TokenizerDecodeTask& task = options->task;
  const std::vector<std::string> data = expand_inputs(task.data);
  OutputFile output(task.output, with_model_files(data, {task.tokenizer}));
  const auto tokenizer = load_tokenizer(task.tokenizer);
  for (const std::string& path : data) {
    decode_file(path, *tokenizer, task.skip_special_tokens, output);
  }
  output.finish();
  return ExitCode::kSuccess;
}

}  // namespace longformer
