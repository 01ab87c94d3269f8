// SPDX-License-Identifier: MIT
#pragma once

namespace longformer {

/// The whole program: finds the command, runs it, turns every exception into
/// one line on standard error. Returns the exit code (see base/error.h).
int run(int argc, const char* const* argv);

}  // namespace longformer
