// SPDX-License-Identifier: MIT
#include "signal_channel.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>

namespace longformer {
namespace {

bool is_ignored(int number) {
  struct sigaction action = {};
  return sigaction(number, nullptr, &action) == 0 &&
         action.sa_handler == SIG_IGN;
}

}  // namespace

SignalChannel::SignalChannel() {
  sigset_t taken;
  sigemptyset(&taken);
  sigaddset(&taken, SIGCHLD);
  // The kernel keeps a blocked signal even if it is ignored.
  for (const int number : {SIGTERM, SIGINT, SIGHUP}) {
    if (!is_ignored(number)) sigaddset(&taken, number);
  }
  descriptor_ = Descriptor(signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!descriptor_.is_open()) fail_with_errno("cannot receive signals");
  // If SIGCHLD were ignored, the kernel would throw exit codes away.
  struct sigaction action = {};
  action.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &action, &former_child_);
  action.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &action, &former_pipe_);
  if (pthread_sigmask(SIG_BLOCK, &taken, &former_mask_) != 0) {
    fail_with_errno("cannot block signals");
  }
}

SignalChannel::~SignalChannel() {
  while (next() != 0) {
  }
  pthread_sigmask(SIG_SETMASK, &former_mask_, nullptr);
  sigaction(SIGCHLD, &former_child_, nullptr);
  sigaction(SIGPIPE, &former_pipe_, nullptr);
}

int SignalChannel::next() {
  signalfd_siginfo info{};
  for (;;) {
    const ssize_t count = ::read(descriptor_.get(), &info, sizeof info);
    if (count == sizeof info) return static_cast<int>(info.ssi_signo);
    if (count < 0 && errno == EINTR) continue;
    return 0;
  }
}

}  // namespace longformer
