// SPDX-License-Identifier: MIT
#include "longformer/launch/device_list.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longformer/base/error.h"

#include "support/temp_dir.h"

namespace longformer {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Environment visible(const std::string& value) {
  return {{"CUDA_VISIBLE_DEVICES", value}};
}

/// The devices by the option, on a machine with `num_gpus`.
std::vector<std::string> devices(const std::string& option,
                                 const Environment& environment,
                                 int num_gpus = 4) {
  return list_devices(parse_devices(option), 0, environment, num_gpus)
      .visible_devices;
}

template <class Action>
std::string problem(const Action& action) {
  try {
    action();
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

TEST(DeviceListTest, AutoTakesEveryGpu) {
  EXPECT_THAT(devices("auto", {}), ElementsAre("0", "1", "2", "3"));
  EXPECT_TRUE(list_devices({}, 0, {}, 4).uses_gpus);
}

TEST(DeviceListTest, WithoutGpusItIsTheCpu) {
  EXPECT_THAT(devices("auto", {}, 0), ElementsAre(""));
  EXPECT_FALSE(list_devices({}, 0, {}, 0).uses_gpus);
  // The variable may be left over.
  EXPECT_THAT(devices("auto", visible("0,1"), 0), ElementsAre(""));
}

TEST(DeviceListTest, VisibleDevicesAreKeptAsTheyAreNamed) {
  EXPECT_THAT(devices("auto", visible("2,0")), ElementsAre("2", "0"));
  EXPECT_THAT(devices("auto", visible(" 1 , 3 ")), ElementsAre("1", "3"));
  EXPECT_THAT(devices("auto", visible("GPU-8932f937-d72c,GPU-5a3c")),
              ElementsAre("GPU-8932f937-d72c", "GPU-5a3c"));
  EXPECT_THAT(devices("auto", visible("MIG-GPU-5a3c/1/0,MIG-77,3"), 4),
              ElementsAre("MIG-GPU-5a3c/1/0", "MIG-77", "3"));
  EXPECT_THAT(devices("auto", visible("1,-1,2")), ElementsAre("1"));
}

TEST(DeviceListTest, NoVisibleDeviceIsTheCpu) {
  for (const char* value : {"", " ", "-1", "NoDevFiles"}) {
    EXPECT_THAT(devices("auto", visible(value)), ElementsAre("")) << value;
  }
}

TEST(DeviceListTest, NumbersCountVisibleDevices) {
  EXPECT_THAT(devices("0,2", {}), ElementsAre("0", "2"));
  EXPECT_THAT(devices("2,0", visible("3,GPU-5a3c,1")), ElementsAre("1", "3"));
  EXPECT_THAT(problem([] { devices("0,4", {}); }),
              AllOf(HasSubstr("GPU 4"), HasSubstr("4 can be used")));
  EXPECT_THAT(problem([] { devices("1", visible("3")); }),
              AllOf(HasSubstr("GPU 1"), HasSubstr("1 can be used")));
  EXPECT_THAT(problem([] { devices("0", {}, 0); }), HasSubstr("GPU 0"));
}

TEST(DeviceListTest, TheCpuHidesAllGpus) {
  EXPECT_THAT(devices("cpu", visible("0,1")), ElementsAre(""));
  const DeviceList list = list_devices(parse_devices("cpu"), 3, {}, 4);
  EXPECT_FALSE(list.uses_gpus);
  EXPECT_THAT(list.visible_devices, ElementsAre("", "", ""));
}

TEST(DeviceListTest, ProcessesAreForTheCpu) {
  EXPECT_EQ(list_devices({}, 2, {}, 0).visible_devices.size(), 2U);
  EXPECT_EQ(list_devices({}, 4, {}, 4).visible_devices.size(), 4U);
  EXPECT_THAT(problem([] { list_devices({}, 2, {}, 4); }),
              AllOf(HasSubstr("processes"), HasSubstr("expected 4"),
                    HasSubstr("got 2")));
}

TEST(DeviceListTest, RefusesMalformedVisibleDevices) {
  for (const char* value : {"0,x", "0,,1", "0;1", "0,", "1.0", "-2", "gpu-1"}) {
    EXPECT_THAT(problem([&] { devices("auto", visible(value)); }),
                AllOf(HasSubstr("CUDA_VISIBLE_DEVICES"), HasSubstr(value)))
        << value;
  }
  EXPECT_THAT(problem([] { devices("auto", visible("0,1,0")); }),
              HasSubstr("names 0 twice"));
  EXPECT_THAT(problem([] { devices("auto", visible("0,4")); }),
              AllOf(HasSubstr("GPU 4"), HasSubstr("there are 4")));
}

TEST(DeviceListTest, UnderALauncherTheLocalRankChooses) {
  const DeviceList four = list_devices({}, 0, {}, 4);
  EXPECT_EQ(device_of_local_rank(four, 3, 4), "3");
  EXPECT_EQ(device_of_local_rank(four, 1, 2), "1");
  EXPECT_THAT(problem([&] { device_of_local_rank(four, 4, 5); }),
              AllOf(HasSubstr("5 processes"), HasSubstr("4 GPUs")));
  // The launcher has already chosen.
  const DeviceList one = list_devices({}, 0, visible("2"), 4);
  EXPECT_EQ(device_of_local_rank(one, 3, 4), "2");
  EXPECT_EQ(device_of_local_rank(list_devices({}, 0, {}, 0), 3, 4), "");
}

TEST(DeviceListTest, CountsDeviceFiles) {
  const test::TempDir folder;
  EXPECT_EQ(count_gpus(folder.path().string()), 0);
  for (const char* name : {"nvidia0", "nvidia7", "nvidia10", "nvidiactl",
                           "nvidia-uvm", "nvidia", "nvidia0x", "null"}) {
    folder.write(name, "");
  }
  EXPECT_EQ(count_gpus(folder.path().string()), 3);
  EXPECT_EQ(count_gpus((folder / "none").string()), 0);
}

TEST(ThreadsOfProcessTest, DividesTheCores) {
  EXPECT_EQ(threads_of_process(0, {}, 8, 2), 4);
  EXPECT_EQ(threads_of_process(0, {}, 7, 2), 3);
  EXPECT_EQ(threads_of_process(0, {}, 2, 4), 1);
  EXPECT_EQ(threads_of_process(0, {}, 8, 1), 8);
}

TEST(ThreadsOfProcessTest, TheOptionComesBeforeTheVariable) {
  const Environment three{{"OMP_NUM_THREADS", "3"}};
  EXPECT_EQ(threads_of_process(0, three, 8, 2), 3);
  EXPECT_EQ(threads_of_process(5, three, 8, 2), 5);
  EXPECT_EQ(threads_of_process(0, {{"OMP_NUM_THREADS", "4,2"}}, 8, 2), 4);
  EXPECT_EQ(threads_of_process(0, {{"OMP_NUM_THREADS", ""}}, 8, 2), 4);
  for (const char* value : {"0", "x", "-1", ",2"}) {
    EXPECT_THAT(problem([&] {
                  threads_of_process(0, {{"OMP_NUM_THREADS", value}}, 8, 2);
                }),
                HasSubstr("OMP_NUM_THREADS"))
        << value;
  }
}

}  // namespace
}  // namespace longformer
