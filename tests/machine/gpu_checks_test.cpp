// SPDX-License-Identifier: MIT
#include "longformer/machine/gpu_checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "machines.h"

namespace longformer::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

auto problem(const std::string& text) {
  return AllOf(Field(&Finding::kind, Finding::Kind::kProblem),
               Field(&Finding::text, HasSubstr(text)));
}
auto note(const std::string& text) {
  return AllOf(Field(&Finding::kind, Finding::Kind::kNote),
               Field(&Finding::text, HasSubstr(text)));
}

TEST(PrecisionCheckTest, AutoTakesWhatAllGpusDoFast) {
  const auto chosen = [](const std::vector<Gpu>& gpus) {
    return resolve_precision(Precision::kAuto, gpus);
  };
  EXPECT_EQ(chosen({}), Precision::kFp32);
  EXPECT_EQ(chosen({v100(), v100()}), Precision::kFp16);
  EXPECT_EQ(chosen({t4()}), Precision::kFp16);
  EXPECT_EQ(chosen({a100(), h100()}), Precision::kBf16);
  EXPECT_EQ(chosen({a100(), v100()}), Precision::kFp16);
  EXPECT_EQ(chosen({p40()}), Precision::kFp32);
  EXPECT_EQ(resolve_precision(Precision::kFp32, {h100()}), Precision::kFp32);
}

TEST(PrecisionCheckTest, Bf16IsRefusedBeforeAmpereWithTheReason) {
  EXPECT_THAT(
      check_precision(Precision::kBf16, {a100(), v100(), t4()}),
      ElementsAre(
          problem("precision: GPU 1 (Tesla V100-SXM2-16GB, compute capability "
                  "7.0) has no bf16 arithmetic, which begins with 8.0"),
          problem("GPU 2 (Tesla T4, compute capability 7.5) has no bf16")));
  EXPECT_THAT(check_precision(Precision::kBf16, {v100()})[0].advice,
              HasSubstr("use fp16"));
  EXPECT_THAT(check_precision(Precision::kBf16, {a100(), h100()}), IsEmpty());
}

TEST(PrecisionCheckTest, Fp16SuitsTensorCoresAndIsOnlySlowBefore) {
  EXPECT_THAT(check_precision(Precision::kFp16, {v100(), t4(), h100()}),
              IsEmpty());
  EXPECT_THAT(check_precision(Precision::kFp16, {p40()}),
              ElementsAre(note("has no tensor cores")));
  EXPECT_THAT(
      check_precision(Precision::kFp16, {make_gpu("Tesla M40", {5, 2}, 12)}),
      ElementsAre(problem("has no fp16 arithmetic")));
}

TEST(PrecisionCheckTest, TheCpuComputesInFp32) {
  EXPECT_THAT(check_precision(Precision::kAuto, {}), IsEmpty());
  EXPECT_THAT(check_precision(Precision::kFp32, {}), IsEmpty());
  for (const Precision precision : {Precision::kFp16, Precision::kBf16}) {
    EXPECT_THAT(check_precision(precision, {}),
                ElementsAre(problem("fp32 on the CPU, got " +
                                    std::string(name_of(precision)))));
  }
}

TEST(DriverCheckTest, TheSameMajorVersionServes) {
  EXPECT_THAT(check_driver({12080, 12080, "", ""}, "570.86.10"), IsEmpty());
  EXPECT_THAT(check_driver({13000, 12080, "", ""}, "580.65.06"), IsEmpty());
  EXPECT_THAT(check_driver({12020, 12080, "", ""}, "535.129.03"),
              ElementsAre(note("driver 535.129.03 serves CUDA up to 12.2")));
}

TEST(DriverCheckTest, AnOlderMajorVersionDoesNot) {
  const Findings old = check_driver({11040, 12080, "", ""}, "470.57.02");
  ASSERT_THAT(old, ElementsAre(problem(
                       "driver: driver 470.57.02 serves CUDA up to 11.4, but "
                       "this build is for CUDA 12.8")));
  EXPECT_EQ(old[0].advice,
            "install driver 525.60.13 or newer, or use a LibTorch with CUDA "
            "11");
  EXPECT_THAT(check_driver({12080, 13000, "", ""}, "")[0].advice,
              HasSubstr("install driver 580.65.06"));
  EXPECT_THAT(check_driver({0, 12080, "", ""}, ""),
              ElementsAre(problem("the driver does not answer")));
}

TEST(ArchitectureCheckTest, AGpuNeedsCodeForItsMajorVersion) {
  const auto check = [](const char* architectures,
                        const std::vector<Gpu>& gpus) {
    return check_architectures({12080, 12080, "", architectures}, gpus);
  };
  EXPECT_THAT(check(kCuda12Architectures, {v100(), t4(), a100(), h100(),
                                           make_gpu("NVIDIA L4", {8, 9}, 24)}),
              IsEmpty());
  const Findings left = check(kCuda13Architectures, {v100(), h100()});
  ASSERT_THAT(left,
              ElementsAre(problem("GPU 0 (Tesla V100-SXM2-16GB, compute "
                                  "capability 7.0) is not among what this "
                                  "LibTorch was compiled for (7.5, 8.0, 9.0")));
  EXPECT_THAT(left[0].advice, HasSubstr("older CUDA"));
  // A driver translates compute_120 for what is newer.
  EXPECT_THAT(check(kCuda13Architectures, {make_gpu("next", {13, 0}, 200)}),
              IsEmpty());
  EXPECT_THAT(check(kCuda12Architectures, {make_gpu("next", {13, 0}, 200)}),
              ElementsAre(problem("GPU 0 (next")));
  // sm_90a runs on 9.0 alone.
  EXPECT_THAT(check("arch=compute_90a,code=sm_90a", {h100()}), IsEmpty());
  EXPECT_THAT(
      check("arch=compute_90a,code=sm_90a", {make_gpu("other", {9, 2}, 80)}),
      ElementsAre(problem("(9.0)")));
}

TEST(ArchitectureCheckTest, ABuildThatDoesNotSayIsTrusted) {
  for (const char* text : {"", "code=", "code=sm_x", "code=sm_7", "sm_70"}) {
    EXPECT_THAT(check_architectures({1, 1, "", text}, {v100()}), IsEmpty())
        << text;
  }
}

TEST(GpuCheckTest, NamesBusyAndUnequalGpus) {
  Gpu busy = v100();
  busy.free_bytes = busy.total_bytes / 4;
  EXPECT_THAT(check_gpus({v100(), busy}),
              ElementsAre(note("more than half of the memory of GPU 1")));
  EXPECT_THAT(check_gpus({v100(), a100()}),
              ElementsAre(note("of different kinds")));
  EXPECT_THAT(check_gpus({}), IsEmpty());
}

}  // namespace
}  // namespace longformer::test
