// SPDX-License-Identifier: MIT
//
// Two ranks with a GPU each, started as `train` starts them.
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longformer/base/strict_json.h"
#include "longformer/machine/cuda_library.h"

#include "support/run_program.h"

namespace longformer::test {
namespace {

TEST(MultiGpuTest, NcclSumsOverTwoGpusAndGlooOverTheirHosts) {
  const GpuCount gpus = usable_gpus();
  if (gpus.count < 2) {
    GTEST_SKIP() << "there are " << gpus.count << " GPUs " << gpus.reason;
  }
  RunOptions options;
  options.environment = {{"CUDA_VISIBLE_DEVICES", "0,1"}};
  const RunResult result = run_program(
      std::filesystem::read_symlink("/proc/self/exe").parent_path() /
          "longformer",
      {"doctor", "--json"}, options);
  EXPECT_EQ(result.exit_code, 0) << result.standard_error;
  const Json report = parse_strict_json(result.standard_output);
  EXPECT_EQ(report["gpus"].size(), 2U);
  EXPECT_EQ(report["processes"]["count"], 2);
  const Json& exchange = report["exchange"];
  EXPECT_EQ(exchange["backend"], "NCCL");
  EXPECT_FALSE(exchange.contains("problem")) << exchange;
  EXPECT_EQ(exchange["sums"].size(), 3U);
}

}  // namespace
}  // namespace longformer::test
