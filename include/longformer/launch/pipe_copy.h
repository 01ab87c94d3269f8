// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <functional>
#include <string>

namespace longformer {

struct PipeCopySettings {
  /// How long the pipe, and then whoever writes into it, may take to come.
  std::chrono::milliseconds start_timeout{300'000};
  /// Asked a few times a second; true gives up.
  std::function<bool()> should_stop = [] { return false; };
};

/// Copies a named pipe that another program fills, once and from its beginning
/// to its end, into a new file: a pipe can be read only once, and several
/// processes that train read the data each for itself.
///
/// The pipe need not exist yet; platforms make it when they are ready.
/// Returns false, without a file, if it was told to stop.
/// Throws DataError if the pipe or its writer does not come in time, FileError
/// if the file cannot be written (the disk is full), which is then removed.
bool copy_pipe(const std::string& pipe, const std::string& file,
               const PipeCopySettings& settings = {});

}  // namespace longformer
