// SPDX-License-Identifier: MIT
#include "longformer/config/command_options.h"
#include "longformer/train/conversion.h"

#include "command_start.h"
#include "commands.h"
#include "overwriting.h"

namespace longformer {

ExitCode convert_command(const Arguments& arguments) {
  const auto options = start_command<ConvertOptions>(
      "convert",
      "Reads any published layout, writes a Hugging Face directory; lengthens "
      "RoBERTa and XLM-R into Longformer.",
      arguments);
  if (!options) return ExitCode::kSuccess;
  refuse_to_overwrite(options->task.output, {options->task.input});
  convert_model(options->task);
  return ExitCode::kSuccess;
}

}  // namespace longformer
