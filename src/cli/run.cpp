// SPDX-License-Identifier: MIT
#include "longformer/cli/run.h"

#include <array>
#include <new>
#include <optional>
#include <string_view>

#include <c10/util/Exception.h>

#include "longformer/base/log.h"
#include "longformer/base/version.h"
#include "longformer/config/nearest_name.h"
#include "longformer/train/counting_allocator.h"

#include "commands.h"
#include "end_on_signal.h"
#include "failure_channel.h"
#include "standard_output.h"

namespace longformer {
namespace {

struct Command {
  std::string_view name;
  std::string_view about;
  ExitCode (*run)(const Arguments&);
  bool is_shown = true;
  /// Does more than stop when a signal comes, or decides itself.
  bool handles_signals = false;
  bool has_batches = false;  ///< Whose size decides its memory.
};

constexpr std::array<Command, 8> kCommands{{
    {"train", "train a classifier on documents", train_command, true, true,
     true},
    {"evaluate", "measure a model on labelled documents", evaluate_command,
     true, true, true},
    {"predict", "label documents, one JSON line each", predict_command, true,
     true, true},
    {"convert", "turn any published layout into a Hugging Face directory",
     convert_command},
    {"inspect", "show what a weight, model, checkpoint or data file holds",
     inspect_command},
    {"tokenizer", "train a vocabulary, show how a text is cut",
     tokenizer_command},
    {"doctor", "say whether training would work here, and why not",
     doctor_command, true, true},
    {"options", "write the reference of all options", options_command, false},
}};

void print_help() {
  print("longformer " + std::string(program_version()) +
        " - trains, evaluates and serves classifiers for long documents\n\n"
        "usage: longformer COMMAND [--flag value ...]\n\n");
  constexpr std::size_t kNameWidth = 11;
  for (const Command& command : kCommands) {
    if (!command.is_shown) continue;
    std::string name(command.name);
    name.resize(kNameWidth, ' ');
    print("  " + name + std::string(command.about) + "\n");
  }
  print(
      "\n`longformer COMMAND --help` lists a command's options. Exit codes: 0 "
      "done, 2 options,\n3 data, 4 model or checkpoint, 5 memory, 6 another "
      "process, 7 disk,\n129/130/143 stopped by a signal, 1 a bug.\n");
}

ExitCode dispatch(const Arguments& words) {
  if (words.empty() || words[0] == "--help" || words[0] == "-h" ||
      words[0] == "help") {
    print_help();
    return words.empty() ? ExitCode::kConfig : ExitCode::kSuccess;
  }
  if (words[0] == "--version") {
    print("longformer " + std::string(program_version()) + "\n");
    return ExitCode::kSuccess;
  }
  std::vector<std::string> names;
  for (const Command& command : kCommands) {
    if (words[0] == command.name) {
      std::optional<EndOnSignal> end_on_signal;
      if (!command.handles_signals) end_on_signal.emplace();
      return command.run({words.begin() + 1, words.end()});
    }
    names.emplace_back(command.name);
  }
  const std::string nearest = nearest_name(words[0], names);
  throw ConfigError(
      "there is no command '" + words[0] + "'" +
      (nearest.empty() ? "" : "; did you mean '" + nearest + "'?") +
      " (`longformer --help` lists all)");
}

std::string memory_advice(int argc, const char* const* argv) {
  for (const Command& command : kCommands) {
    if (argc > 1 && argv[1] == command.name && command.has_batches) {
      return "; lower micro_batch_tokens or max_length";
    }
  }
  return "; close other programs, or take a machine with more memory";
}

int fail(std::string_view command, ExitCode code, const std::string& message) {
  if (!tell_parent(code, message)) log_error(message);
  tell_platform(command, code, message);
  return static_cast<int>(code);
}

}  // namespace

int run(int argc, const char* const* argv) {
  const auto failed = [&](ExitCode code, const std::string& message) {
    return fail(argc > 1 ? argv[1] : "", code, message);
  };
  try {
    // Before the first tensor exists.
    CountingAllocator::install();
    const ExitCode code = dispatch(Arguments(argv + 1, argv + argc));
    finish_printing();
    return static_cast<int>(code);
  } catch (const Error& error) {
    return failed(error.code(), error.what());
  } catch (const c10::OutOfMemoryError& error) {
    return failed(ExitCode::kMemory,
                  error.what_without_backtrace() + memory_advice(argc, argv));
  } catch (const std::bad_alloc&) {
    return failed(ExitCode::kMemory,
                  "the system has no more memory" + memory_advice(argc, argv));
  } catch (const c10::Error& error) {
    return failed(ExitCode::kInternal,
                  std::string("unexpected: ") + error.what_without_backtrace());
  } catch (const std::exception& error) {
    return failed(ExitCode::kInternal,
                  std::string("unexpected: ") + error.what());
  }
}

}  // namespace longformer
