// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "longformer/launch/environment.h"

#include "signal_channel.h"

namespace longformer {

struct ChildCommand {
  std::string program;
  std::vector<std::string> arguments;
  Environment environment;
  int input = -1;              ///< Becomes standard input; -1: it is empty.
  int output = -1;             ///< Becomes standard output.
  int error = -1;              ///< Becomes standard error.
  std::vector<int> inherited;  ///< Stay open under the same numbers.
};

/// Starts a program that leads its own process group, has the signal handling
/// from before `signals`, and is ended by SIGKILL when the calling thread's
/// process dies, whenever that is.
///
/// Returns once the program runs. Throws SystemError if it cannot be executed.
pid_t start_child(const ChildCommand& command, const SignalChannel& signals);

/// How a child ended.
struct ChildExit {
  int code = 0;    ///< Its exit code, or 128 + signal.
  int signal = 0;  ///< The signal that ended it, or 0.
};

/// If the child has ended: ends what is left of its process group, then
/// releases the child (before that, no other process can get its number).
/// Returns whether it had ended.
bool collect_child(pid_t pid, ChildExit& exit);

}  // namespace longformer
