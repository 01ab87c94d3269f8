// SPDX-License-Identifier: MIT
#include "longformer/launch/listening_socket.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longformer/base/error.h"

namespace longformer {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// Whether somebody listens at an IPv4 address.
bool connects(const std::string& host, int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  EXPECT_EQ(inet_pton(AF_INET, host.c_str(), &address.sin_addr), 1);
  const int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const bool connected =
      connect(client, reinterpret_cast<const sockaddr*>(&address),
              sizeof address) == 0;
  close(client);
  return connected;
}

TEST(ListeningSocketTest, WaitsAtTheLoopbackAddressOnly) {
  const ListeningSocket socket;
  const Rendezvous rendezvous = socket.rendezvous();
  EXPECT_EQ(rendezvous.kind, Rendezvous::Kind::kAddress);
  EXPECT_EQ(rendezvous.host, "127.0.0.1");
  EXPECT_EQ(rendezvous.listen_descriptor, socket.descriptor());
  EXPECT_TRUE(connects("127.0.0.1", rendezvous.port));
  // Who listens on every interface would answer here as well.
  EXPECT_FALSE(connects("127.0.0.2", rendezvous.port));
}

TEST(ListeningSocketTest, TwoJobsNeverCollide) {
  const ListeningSocket one;
  const ListeningSocket other;
  EXPECT_NE(one.rendezvous().port, other.rendezvous().port);
  EXPECT_NE(one.rendezvous().key_prefix, other.rendezvous().key_prefix);
  EXPECT_EQ(one.rendezvous().key_prefix.size(), 32U);
}

TEST(ListeningSocketTest, IsClosedWithTheObjectAndOnExec) {
  int port = 0;
  int kept = -1;
  {
    ListeningSocket socket;
    port = socket.rendezvous().port;
    EXPECT_NE(fcntl(socket.descriptor(), F_GETFD) & FD_CLOEXEC, 0);
    ListeningSocket released;
    kept = released.release();
  }
  EXPECT_FALSE(connects("127.0.0.1", port));
  EXPECT_EQ(close(kept), 0);
}

TEST(ListeningSocketTest, BindsTheAddressThatALauncherGave) {
  // Two loopback addresses stand for two hosts.
  const ListeningSocket first;
  Rendezvous rendezvous = parse_rendezvous("127.0.0.3:1", "test");
  rendezvous.port = first.rendezvous().port;
  const ListeningSocket socket(rendezvous);
  EXPECT_EQ(socket.rendezvous().port, rendezvous.port);
  EXPECT_TRUE(connects("127.0.0.3", rendezvous.port));
  EXPECT_FALSE(connects("127.0.0.4", rendezvous.port));
}

TEST(ListeningSocketTest, NamesAnAddressThatCannotBeUsed) {
  const ListeningSocket first;
  for (const char* host : {"127.0.0.1", "192.0.2.1", "some.host"}) {
    const std::string text =
        std::string(host) + ":" + std::to_string(first.rendezvous().port);
    try {
      const ListeningSocket socket(parse_rendezvous(text, "test"));
      ADD_FAILURE() << text;
    } catch (const SystemError& error) {
      EXPECT_THAT(error.what(),
                  AllOf(HasSubstr("cannot listen at"), HasSubstr(text)));
    }
  }
}

TEST(ListeningSocketTest, KnowsWhichAddressesCanBeBound) {
  EXPECT_TRUE(can_listen_at(parse_rendezvous("127.0.0.1:80", "test")));
  EXPECT_TRUE(can_listen_at(parse_rendezvous("localhost:80", "test")));
  EXPECT_TRUE(can_listen_at(parse_rendezvous("[::1]:80", "test")));
  EXPECT_FALSE(can_listen_at(parse_rendezvous("algo-1:7777", "test")));
  EXPECT_FALSE(can_listen_at(parse_rendezvous("/a/file", "test")));
  EXPECT_FALSE(can_listen_at({}));
}

}  // namespace
}  // namespace longformer
