// SPDX-License-Identifier: MIT
#include "longformer/launch/listening_socket.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdint>
#include <cstring>
#include <optional>
#include <random>
#include <utility>

#include "pipe.h"

namespace longformer {
namespace {

constexpr std::string_view kLoopback = "127.0.0.1";

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;
};

std::optional<SocketAddress> socket_address(const Rendezvous& rendezvous) {
  const std::string host =
      rendezvous.host == "localhost" ? std::string(kLoopback) : rendezvous.host;
  SocketAddress address;
  sockaddr_in four{};
  sockaddr_in6 six{};
  if (inet_pton(AF_INET, host.c_str(), &four.sin_addr) == 1) {
    four.sin_family = AF_INET;
    four.sin_port = htons(static_cast<std::uint16_t>(rendezvous.port));
    std::memcpy(&address.storage, &four, sizeof four);
    address.size = sizeof four;
  } else if (inet_pton(AF_INET6, host.c_str(), &six.sin6_addr) == 1) {
    six.sin6_family = AF_INET6;
    six.sin6_port = htons(static_cast<std::uint16_t>(rendezvous.port));
    std::memcpy(&address.storage, &six, sizeof six);
    address.size = sizeof six;
  } else {
    return std::nullopt;
  }
  return address;
}

int port_of(int descriptor) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  if (getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &size) !=
      0) {
    fail_with_errno("cannot find the port of a socket");
  }
  // At the same place in both families.
  return ntohs(address.sin_port);
}

/// Listening, so that the others may connect before rank 0 is ready.
Descriptor listen_at(const Rendezvous& rendezvous) {
  const std::string action = "cannot listen at " + to_text(rendezvous);
  const auto address = socket_address(rendezvous);
  if (!address) {
    errno = EADDRNOTAVAIL;
    fail_with_errno(action);
  }
  Descriptor bound(socket(address->storage.ss_family,
                          SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_TCP));
  if (!bound.is_open()) fail_with_errno(action);
  // A port whose connections a job has just closed can be used again.
  const int yes = 1;
  setsockopt(bound.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (bind(bound.get(), reinterpret_cast<const sockaddr*>(&address->storage),
           address->size) != 0 ||
      listen(bound.get(), SOMAXCONN) != 0) {
    fail_with_errno(action);
  }
  return above_standard_streams(std::move(bound));
}

std::string random_word() {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::random_device random;
  std::string word;
  for (int i = 0; i < 32; ++i) word += kDigits[random() % kDigits.size()];
  return word;
}

Rendezvous free_loopback_port() {
  Rendezvous rendezvous;
  rendezvous.kind = Rendezvous::Kind::kAddress;
  rendezvous.host = kLoopback;
  rendezvous.key_prefix = random_word();
  return rendezvous;
}

}  // namespace

ListeningSocket::ListeningSocket() : ListeningSocket(free_loopback_port()) {}

ListeningSocket::ListeningSocket(const Rendezvous& rendezvous)
    : rendezvous_(rendezvous) {
  Descriptor bound = listen_at(rendezvous);
  rendezvous_.port = port_of(bound.get());
  rendezvous_.listen_descriptor = bound.get();
  descriptor_ = bound.release();
}

ListeningSocket::~ListeningSocket() { Descriptor closed(descriptor_); }

int ListeningSocket::release() { return std::exchange(descriptor_, -1); }

Rendezvous ListeningSocket::rendezvous() const { return rendezvous_; }

bool can_listen_at(const Rendezvous& rendezvous) {
  return rendezvous.kind == Rendezvous::Kind::kAddress &&
         socket_address(rendezvous).has_value();
}

}  // namespace longformer
