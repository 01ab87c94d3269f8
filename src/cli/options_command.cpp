// SPDX-License-Identifier: MIT
#include "longformer/base/log.h"

#include "commands.h"
#include "option_reference.h"

namespace longformer {

ExitCode options_command(const Arguments& arguments) {
  if (arguments.size() != 2 || arguments[0] != "--write") {
    throw ConfigError(
        "options: usage: longformer options --write DIRECTORY (writes "
        "README.md and schema.json)");
  }
  write_option_reference(arguments[1]);
  log_info("README.md and schema.json are in " + arguments[1]);
  return ExitCode::kSuccess;
}

}  // namespace longformer
