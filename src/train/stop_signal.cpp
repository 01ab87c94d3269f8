// SPDX-License-Identifier: MIT
#include "longformer/train/stop_signal.h"

#include <csignal>

namespace longformer {
namespace {

volatile std::sig_atomic_t received_signal = 0;
struct sigaction former_interrupt;
struct sigaction former_terminate;
struct sigaction former_hang_up;

void remember(int signal_number) {
  if (received_signal != 0) {
    // The user insists: end as if the signal had never been handled.
    std::signal(signal_number, SIG_DFL);
    std::raise(signal_number);
    return;
  }
  received_signal = signal_number;
}

}  // namespace

StopSignal::StopSignal() {
  received_signal = 0;
  struct sigaction action = {};
  action.sa_handler = remember;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, &former_interrupt);
  sigaction(SIGTERM, &action, &former_terminate);
  // nohup has it ignored, so that the run outlives the terminal.
  sigaction(SIGHUP, nullptr, &former_hang_up);
  if (former_hang_up.sa_handler != SIG_IGN) {
    sigaction(SIGHUP, &action, nullptr);
  }
}

StopSignal::~StopSignal() {
  sigaction(SIGINT, &former_interrupt, nullptr);
  sigaction(SIGTERM, &former_terminate, nullptr);
  sigaction(SIGHUP, &former_hang_up, nullptr);
}

int StopSignal::received() const { return received_signal; }

}  // namespace longformer
