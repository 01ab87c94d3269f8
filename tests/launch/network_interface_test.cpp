// SPDX-License-Identifier: MIT
#include "longformer/launch/network_interface.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longformer/base/error.h"

namespace longformer {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;

std::string chosen(std::string_view option, const Environment& environment) {
  try {
    return choose_interface(option, environment, {"lo", "eth0", "eth1", "ib0"});
  } catch (const ConfigError& error) {
    return error.what();
  }
}

TEST(NetworkInterfaceTest, TheOptionComesFirstThenGlooThenNccl) {
  const Environment both{{"GLOO_SOCKET_IFNAME", "eth1"},
                         {"NCCL_SOCKET_IFNAME", "ib0"}};
  EXPECT_EQ(chosen("eth0", both), "eth0");
  EXPECT_EQ(chosen("", both), "eth1");
  EXPECT_EQ(chosen("", {{"NCCL_SOCKET_IFNAME", "ib0"}}), "ib0");
  EXPECT_EQ(chosen("", {}), "");
  EXPECT_EQ(chosen("", {{"GLOO_SOCKET_IFNAME", ""}}), "");
}

TEST(NetworkInterfaceTest, VariablesAreReadAsTheLibrariesReadThem) {
  EXPECT_EQ(chosen("", {{"GLOO_SOCKET_IFNAME", "nic9,eth1"}}), "eth1");
  EXPECT_EQ(chosen("", {{"NCCL_SOCKET_IFNAME", "eth"}}), "eth0");
  EXPECT_EQ(chosen("", {{"NCCL_SOCKET_IFNAME", "=eth1,ib0"}}), "eth1");
  EXPECT_EQ(chosen("", {{"NCCL_SOCKET_IFNAME", "^eth"}}), "ib0");
  EXPECT_EQ(chosen("", {{"NCCL_SOCKET_IFNAME", "^=eth0"}}), "eth1");
}

TEST(NetworkInterfaceTest, WhatIsNotThereIsRefusedWithWhatIs) {
  EXPECT_THAT(chosen("eth", {}),
              AllOf(HasSubstr("network_interface: \"eth\""),
                    HasSubstr("there are lo, eth0, eth1, ib0")));
  EXPECT_THAT(chosen("", {{"GLOO_SOCKET_IFNAME", "eth"}}),
              HasSubstr("GLOO_SOCKET_IFNAME: \"eth\""));
  EXPECT_THAT(chosen("", {{"NCCL_SOCKET_IFNAME", "=eth"}}),
              HasSubstr("NCCL_SOCKET_IFNAME: \"=eth\""));
}

TEST(NetworkInterfaceTest, EveryHostHasALoopbackInterface) {
  EXPECT_THAT(network_interfaces(), Contains("lo"));
}

}  // namespace
}  // namespace longformer
