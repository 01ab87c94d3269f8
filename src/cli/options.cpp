// SPDX-License-Identifier: MIT
#include "options.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string_view>

#include <CLI/CLI.hpp>

#include "longformer/io/file_system.h"

#include "arguments.h"
#include "option_help.h"

namespace longformer {
namespace {

constexpr std::uint64_t kLargestConfig = 64 << 20;

constexpr std::size_t kHelpColumn = 34;
constexpr std::size_t kHelpWidth = 96;

void add_option(CLI::App& app, const std::string& names,
                const std::string& type, const std::string& group,
                const std::string& help) {
  app.add_option(
         names, [](const CLI::results_t&) { return true; },
         wrapped(help, kHelpWidth - kHelpColumn))
      ->type_name(type)
      ->group(group)
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

std::unique_ptr<CLI::App> make_app(const CommandLine& line,
                                   const std::vector<OptionField>& fields) {
  auto app =
      std::make_unique<CLI::App>(line.about, "longformer " + line.command);
  app->get_formatter()->column_width(kHelpColumn);
  add_option(*app, flag_of(kConfigOption), "FILE", "Options",
             "JSON file with any of the options below, under their names in "
             "snake case. Flags are stronger.");
  for (const OptionField& field : fields) {
    std::string names = flag_of(field.info.name);
    if (field.info.is_positional) names += "," + std::string(field.info.name);
    add_option(*app, names, placeholder(field), std::string(field.group),
               help_text(field));
  }
  return app;
}

/// The texts given for one option.
std::vector<std::string> given_values(const CLI::App& app,
                                      std::string_view name) {
  return app.get_option(flag_of(name))->results();
}

void read_config_file(std::vector<std::string> paths,
                      const std::string& platform_path, OptionReader& reader) {
  const bool is_platforms = paths.empty();
  if (is_platforms && !platform_path.empty()) paths.push_back(platform_path);
  if (paths.empty()) return;
  if (paths.size() > 1) {
    reader.source_failed("command line: --config: given " +
                         std::to_string(paths.size()) +
                         " times; give it once, with all values in one file");
    return;
  }
  try {
    reader.read_config(read_file(paths.front(), kLargestConfig), paths.front());
  } catch (const FileError& error) {
    reader.source_failed(
        std::string(is_platforms ? "config: " : "command line: --config: ") +
        error.what());
  }
}

}  // namespace

bool read_command_line(const CommandLine& line,
                       const std::vector<OptionField>& fields,
                       OptionReader& reader, std::string& help) {
  std::vector<std::string> args = prepare_arguments(line.args, fields, reader);
  const auto app = make_app(line, fields);
  // CLI11 takes its arguments from the back.
  std::reverse(args.begin(), args.end());
  try {
    app->parse(std::move(args));
  } catch (const CLI::CallForHelp&) {
    help = app->help();
    return true;
  } catch (const CLI::Error& error) {
    reader.add({std::string("command line: ") + error.what(), {}});
  }
  read_config_file(given_values(*app, kConfigOption), line.config_file, reader);
  for (const PlatformSource& source : line.platform) {
    reader.read_platform(source.text, source.where);
  }
  std::vector<GivenOption> given;
  for (const OptionField& field : fields) {
    std::vector<std::string> values = given_values(*app, field.info.name);
    if (!values.empty()) {
      given.push_back({std::string(field.info.name), std::move(values)});
    }
  }
  reader.read_command_line(given);
  return false;
}

}  // namespace longformer
