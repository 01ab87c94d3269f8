// SPDX-License-Identifier: MIT
//
// One process of a test's group: rank_worker SCENARIO [WORD...]
#include "distributed/rank_worker.h"

#include <csignal>
#include <cstdio>

#include <ATen/Parallel.h>

#include "longformer/base/error.h"
#include "longformer/launch/failure_report.h"
#include "longformer/train/counting_allocator.h"

namespace longformer::test {
namespace {

int run(const Words& words) {
  const LaunchEnvironment launch =
      detect_launch_environment(current_environment());
  const auto fail = [&](ExitCode code, const char* message) {
    std::fprintf(stderr, "%s\n", message);
    send_failure_report(launch.report_descriptor,
                        {static_cast<int>(code), message});
    return static_cast<int>(code);
  };
  try {
    CountingAllocator::install();
    at::set_num_threads(1);
    auto scenarios = exchange_scenarios();
    scenarios.merge(training_scenarios());
    CommunicatorSettings settings;
    settings.start_timeout = std::chrono::seconds(words[0] == "wait" ? 1 : 60);
    const bool is_short =
        words[0] == "end" || words[0] == "late" || words[0] == "lost_at_work";
    settings.collective_timeout = std::chrono::seconds(is_short ? 3 : 60);
    Communicator communicator(launch, settings);
    tell_others_of_failure(&communicator, [&] {
      scenarios.at(words[0])(communicator, {words.begin() + 1, words.end()});
      communicator.leave();
    });
    return 0;
  } catch (const Error& error) {
    return fail(error.code(), error.what());
  } catch (const std::exception& error) {
    return fail(ExitCode::kInternal, error.what());
  }
}

}  // namespace
}  // namespace longformer::test

int main(int argc, char** argv) {
  // The parent stops the others after a failure; here they shall find out by
  // themselves.
  std::signal(SIGTERM, SIG_IGN);
  return longformer::test::run({argv + 1, argv + argc});
}
