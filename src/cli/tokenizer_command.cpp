// SPDX-License-Identifier: MIT
#include "commands.h"
#include "standard_output.h"

namespace longformer {

ExitCode tokenizer_command(const Arguments& arguments) {
  if (!arguments.empty() &&
      (arguments[0] == "--help" || arguments[0] == "-h")) {
    print(
        "usage: longformer tokenizer train|encode|decode [--flag value ...]\n\n"
        "  train    train a SentencePiece vocabulary on texts\n"
        "  encode   turn texts into token ids with their places\n"
        "  decode   turn ids back into text\n\n"
        "`longformer tokenizer WORD --help` lists the options.\n");
    return ExitCode::kSuccess;
  }
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
