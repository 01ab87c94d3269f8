// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "longformer/config/option_checks.h"
#include "longformer/config/option_fields.h"
#include "longformer/config/option_reader.h"

namespace longformer {

/// Hyperparameters that a platform left for the program, as JSON.
struct PlatformSource {
  std::string where;  ///< Path of the file, for messages.
  std::string text;
};

/// What a command was started with.
struct CommandLine {
  std::string command;            ///< "train", "tokenizer encode".
  std::string about;              ///< One sentence for --help.
  std::vector<std::string> args;  ///< Behind the command.
  /// The config file if `args` names none; "": none.
  std::string config_file = {};
  /// Stronger than the config file, weaker than `args`; the last is strongest.
  std::vector<PlatformSource> platform = {};
};

/// The outcome: options that are complete and checked, or a wish for help.
template <class Options>
struct ParsedOptions {
  Options options;
  OptionSources sources;
  /// For the log: options that change nothing in this run.
  std::vector<std::string> warnings;
  /// With --help the text to print; the other members are not set then.
  bool help_requested = false;
  std::string help;
};

/// The half of parse_command_line that knows no type: reads the file of
/// --config, the platform's values and the flags, in this order. Returns
/// whether help was asked for, which goes into `help`.
bool read_command_line(const CommandLine& line,
                       const std::vector<OptionField>& fields,
                       OptionReader& reader, std::string& help);

/// Options from defaults < --config FILE < platform < flags.
///
/// Throws ConfigError with everything that is wrong, one problem a line:
/// unknown and repeated flags, missing values, what OptionReader refuses, and
/// what validate() finds.
template <class Options>
ParsedOptions<Options> parse_command_line(const CommandLine& line) {
  ParsedOptions<Options> parsed;
  const auto fields = bind_fields(parsed.options);
  OptionReader reader(fields);
  parsed.help_requested = read_command_line(line, fields, reader, parsed.help);
  if (parsed.help_requested) return parsed;
  reader.check_required();
  reader.add_checks(validate(parsed.options));
  reader.throw_problems();
  parsed.sources = reader.sources();
  parsed.warnings = warnings(parsed.options, parsed.sources);
  return parsed;
}

}  // namespace longformer
