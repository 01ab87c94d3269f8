// SPDX-License-Identifier: MIT
#include "end_on_signal.h"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <thread>

#include "longformer/io/atomic_write.h"

namespace longformer {
namespace {

std::atomic<bool> is_ending = false;

/// Those of the three that end the process unless it does something about it.
sigset_t ending_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action {};
    sigaction(number, nullptr, &action);
    if (action.sa_handler != SIG_IGN) sigaddset(&signals, number);
  }
  return signals;
}

void wait_and_end(const sigset_t& signals) {
  constexpr int kSignalEnded = 128;
  int number = 0;
  if (sigwait(&signals, &number) != 0) return;
  is_ending = true;
  discard_unfinished_writes();
  ::_exit(kSignalEnded + number);
}

}  // namespace

EndOnSignal::EndOnSignal() {
  const sigset_t signals = ending_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  // It has nothing that must be put in order when the process ends.
  std::thread(wait_and_end, signals).detach();
}

EndOnSignal::~EndOnSignal() {
  while (is_ending) ::pause();
}

}  // namespace longformer
