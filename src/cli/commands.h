// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "longformer/base/error.h"

namespace longformer {

/// The words behind the command's name.
using Arguments = std::vector<std::string>;

ExitCode train_command(const Arguments& arguments);
ExitCode evaluate_command(const Arguments& arguments);
ExitCode predict_command(const Arguments& arguments);
ExitCode convert_command(const Arguments& arguments);
ExitCode inspect_command(const Arguments& arguments);
ExitCode tokenizer_command(const Arguments& arguments);
ExitCode tokenizer_train_command(const Arguments& arguments);
ExitCode tokenizer_encode_command(const Arguments& arguments);
ExitCode tokenizer_decode_command(const Arguments& arguments);
ExitCode doctor_command(const Arguments& arguments);
ExitCode options_command(const Arguments& arguments);

}  // namespace longformer
