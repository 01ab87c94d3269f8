// SPDX-License-Identifier: MIT
#pragma once

#include <csignal>

#include "pipe.h"

namespace longformer {

/// Turns SIGCHLD, SIGTERM, SIGINT and SIGHUP into something to be polled for,
/// and ignores SIGPIPE, as long as the object lives. What was ignored before
/// (by nohup, or by a shell for a job in the background) stays ignored.
class SignalChannel {
 public:
  SignalChannel();
  /// Signals that nobody has taken are dropped.
  ~SignalChannel();
  SignalChannel(const SignalChannel&) = delete;
  SignalChannel& operator=(const SignalChannel&) = delete;

  /// Readable when next() has something.
  int descriptor() const { return descriptor_.get(); }
  /// The next signal, 0 if there is none.
  int next();

  /// What a child has to restore before it executes a program.
  const sigset_t& former_mask() const { return former_mask_; }
  const struct sigaction& former_pipe_action() const { return former_pipe_; }

 private:
  Descriptor descriptor_;
  sigset_t former_mask_{};
  struct sigaction former_child_ {};
  struct sigaction former_pipe_ {};
};

}  // namespace longformer
