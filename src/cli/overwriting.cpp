// SPDX-License-Identifier: MIT
#include "overwriting.h"

#include "longformer/base/error.h"
#include "longformer/io/file_system.h"
#include "longformer/io/model_files.h"
#include "longformer/tokenizer/tokenizer.h"

namespace longformer {

void refuse_to_overwrite(const std::string& output,
                         const std::vector<std::string>& inputs) {
  const bool is_standard = output == "-";
  for (const std::string& input : inputs) {
    if (!is_same_file(is_standard ? "/dev/stdout" : output,
                      input == "-" ? "/dev/stdin" : input)) {
      continue;
    }
    throw ConfigError(
        "output: " + (is_standard ? "standard output" : output) +
        " is the same as " + (input == "-" ? "standard input" : input) +
        ", which is read; writing would destroy it, so write to another place");
  }
}

std::vector<std::string> with_model_files(
    std::vector<std::string> files,
    const std::vector<std::string>& directories) {
  for (const std::string& directory : directories) {
    if (!is_directory(directory)) continue;
    for (const DirectoryEntry& entry : list_directory(directory)) {
      if (is_model_file_name(entry.name) ||
          is_tokenizer_file_name(entry.name)) {
        files.push_back(join_path(directory, entry.name));
      }
    }
  }
  return files;
}

}  // namespace longformer
