// SPDX-License-Identifier: MIT
//
// The program, made to fail where LONGFORMER_TEST_FAULT says: KIND:RANK:PLACE.
// From the forward pass of step 3 on, the first time that the process with this
// rank passes the place (see fault_point()), it throws ("exception"), ends
// ("exit"), is killed ("kill"), is stopped ("stop"), its parent is told to end
// ("terminate"), or its disk is full ("disk", wherever it writes).
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>

#include "longformer/base/fault_point.h"
#include "longformer/cli/run.h"
#include "longformer/cli/standard_streams.h"
#include "longformer/io/fault_injection.h"

namespace longformer::test {
namespace {

constexpr int kStep = 3;

struct Fault {
  std::string kind;
  std::string rank;
  std::string place;
};

Fault read_fault() {
  Fault fault;
  const char* text = std::getenv("LONGFORMER_TEST_FAULT");
  if (text == nullptr) return fault;
  std::istringstream words(text);
  std::getline(words, fault.kind, ':');
  std::getline(words, fault.rank, ':');
  std::getline(words, fault.place);
  return fault;
}

bool is_at(const Fault& fault) {
  const char* rank = std::getenv("LONGFORMER_RANK");
  return rank != nullptr && fault.rank == rank;
}

void fail(const std::string& kind) {
  // The others have heard where it is: they listen four times a second.
  std::this_thread::sleep_for(std::chrono::milliseconds(400));
  if (kind == "exception") throw std::runtime_error("an injected exception");
  if (kind == "exit") ::_exit(9);
  if (kind == "terminate") {
    ::kill(::getppid(), SIGTERM);
  } else {
    std::raise(kind == "kill" ? SIGKILL : SIGSTOP);
  }
}

}  // namespace
}  // namespace longformer::test

int main(int argc, char** argv) {
  using namespace longformer;
  const test::Fault fault = test::read_fault();
  std::atomic<int> forward_passes = 0;
  std::atomic<bool> has_failed = false;
  const ScopedFaults faults([&](std::string_view place) {
    if (!test::is_at(fault)) return;
    if (place == "forward") ++forward_passes;
    if (fault.kind == "disk") return;
    if (place != fault.place ||
        (forward_passes < test::kStep && place != "reading") ||
        has_failed.exchange(true)) {
      return;
    }
    test::fail(fault.kind);
  });
  const ScopedFileFaults disk([&](const FileOperation& operation) {
    const bool is_full = fault.kind == "disk" && test::is_at(fault) &&
                         forward_passes >= test::kStep;
    return is_full && operation.name == std::string("write") ? ENOSPC : 0;
  });
  open_closed_standard_streams();
  return run(argc, argv);
}
