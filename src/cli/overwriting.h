// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace longformer {

/// Throws ConfigError if `output` ("-": standard output) is the same file or
/// folder as one of `inputs` ("-": standard input), under whatever name:
/// writing would destroy what is read.
void refuse_to_overwrite(const std::string& output,
                         const std::vector<std::string>& inputs);

/// `files`, and those that are read out of the directories of a model or
/// tokenizer; empty names are passed over.
std::vector<std::string> with_model_files(
    std::vector<std::string> files,
    const std::vector<std::string>& directories);

}  // namespace longformer
