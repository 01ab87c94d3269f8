// SPDX-License-Identifier: MIT
#include "commands.h"

namespace longformer {

ExitCode tokenizer_command(const Arguments& arguments) {
  if (!arguments.empty()) {
    const Arguments rest(arguments.begin() + 1, arguments.end());
    if (arguments[0] == "train") return tokenizer_train_command(rest);
    if (arguments[0] == "encode") return tokenizer_encode_command(rest);
    if (arguments[0] == "decode") return tokenizer_decode_command(rest);
  }
  throw ConfigError(
      "tokenizer: say what to do: `longformer tokenizer train`, `encode` or "
      "`decode`, each with --help" +
      (arguments.empty() ? std::string() : " (got '" + arguments[0] + "')"));
}

}  // namespace longformer
