// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "pipe.h"

namespace longformer {

/// What a terminal would still show of a stream of text, line by line: a
/// progress display that rewrites its line leaves only the last state of it.
class LineFilter {
 public:
  /// The complete lines that `text` adds. A line longer than 64 KiB comes in
  /// pieces.
  std::string add(std::string_view text);
  /// The last line, if no newline ended it; one is added.
  std::string finish();

 private:
  std::string line_;
};

/// Copies what a process writes to a terminal (or whatever stands for it) and,
/// filtered, to a log. It never waits: the caller polls for what it wants.
class OutputPump {
 public:
  /// source: the pipe's read end. target: -1: the log only. Neither `log` nor
  /// `target` is owned.
  OutputPump(Descriptor source, int target, int log);

  int source() const { return source_.get(); }
  int target() const { return target_; }
  /// False when the target does not take what it was given: then the process
  /// has to wait, as it would if it wrote to the terminal itself.
  bool wants_to_read() const;
  bool wants_to_write() const { return target_ >= 0 && !pending_.empty(); }

  /// Takes what the process has written, at most 64 KiB.
  void read();
  /// When the target is ready: writes as much as surely does not block. A
  /// target that fails is given up.
  void write();
  /// Takes the rest after the process has ended, without waiting for others
  /// that may hold the pipe, and closes it.
  void finish();
  /// Adds whole lines to the log alone.
  void log(std::string_view text) const;

 private:
  std::size_t read_once();

  Descriptor source_;
  int target_;
  int log_;
  std::string pending_;
  LineFilter filter_;
};

}  // namespace longformer
