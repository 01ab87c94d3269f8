// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "commands.h"
#include "options.h"
#include "standard_output.h"

namespace longformer {

/// Reads a command's options; prints the help and returns nothing if that was
/// asked for. Warnings about options and every value that is not a default are
/// logged.
template <class Options>
std::optional<Options> start_command(const std::string& name,
                                     const std::string& about,
                                     const Arguments& arguments);

/// Logs warnings, then changed options.
void log_options(const std::vector<std::string>& warnings,
                 const std::vector<std::string>& changes);

/// Sets LibTorch's threads: `wanted`, or all that the process may use. Returns
/// the number.
int set_compute_threads(std::int64_t wanted);

/// Throws ConfigError with the reason if `devices` asks for a GPU and there is
/// none.
void check_devices(const std::string& devices);

template <class Options>
std::optional<Options> start_command(const std::string& name,
                                     const std::string& about,
                                     const Arguments& arguments) {
  ParsedOptions<Options> parsed =
      parse_command_line<Options>({name, about, arguments});
  if (parsed.help_requested) {
    print(parsed.help);
    return std::nullopt;
  }
  log_options(parsed.warnings,
              describe_changes(parsed.options, parsed.sources));
  return std::move(parsed.options);
}

}  // namespace longformer
