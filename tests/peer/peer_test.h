// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "../integration/program_test.h"
#include "support/paths.h"

namespace longformer::test {

/// Tests against `transformers`, in the environment that the set-up makes.
class PeerTest : public ProgramTest {
 protected:
  /// Runs a script of tests/peer; fails the test with what it said.
  void run_script(const std::string& name,
                  const std::vector<std::string>& arguments) const {
    RunOptions options;
    options.working_directory = directory_.path();
    options.timeout = std::chrono::seconds(500);
    options.environment = {{"HF_HUB_OFFLINE", "1"},
                           {"OMP_NUM_THREADS", "1"},
                           {"PYTHONDONTWRITEBYTECODE", "1"}};
    const std::string script = (source_dir() / "tests/peer" / name).string();
    const RunResult result =
        run_program(peer_python(), with({script}, arguments), options);
    ASSERT_EQ(result.exit_code, 0) << name << "\n" << result.standard_error;
  }
};

}  // namespace longformer::test
