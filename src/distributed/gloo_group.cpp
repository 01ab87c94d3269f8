// SPDX-License-Identifier: MIT
#include "gloo_group.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <iostream>

#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

namespace longformer {
namespace {

using Gloo = c10d::ProcessGroupGloo;

/// This host's address on the way to another; "" if there is no way. Sends
/// nothing: connecting a UDP socket only chooses the route.
std::string address_towards(const std::string& host, int port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_DGRAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found) !=
      0) {
    return "";
  }
  std::string result;
  for (const addrinfo* info = found; info && result.empty();
       info = info->ai_next) {
    const int probe =
        socket(info->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, info->ai_protocol);
    if (probe < 0) continue;
    sockaddr_storage local{};
    socklen_t size = sizeof(local);
    std::array<char, NI_MAXHOST> text{};
    if (connect(probe, info->ai_addr, info->ai_addrlen) == 0 &&
        getsockname(probe, reinterpret_cast<sockaddr*>(&local), &size) == 0 &&
        getnameinfo(reinterpret_cast<sockaddr*>(&local), size, text.data(),
                    text.size(), nullptr, 0, NI_NUMERICHOST) == 0) {
      result = text.data();
    }
    close(probe);
  }
  freeaddrinfo(found);
  return result;
}

auto choose_device(const LaunchEnvironment& launch,
                   const std::string& interface) {
  if (!interface.empty()) return Gloo::createDeviceForInterface(interface);
  const Rendezvous& meeting = launch.rendezvous;
  const bool has_address = meeting.kind == Rendezvous::Kind::kAddress ||
                           meeting.kind == Rendezvous::Kind::kAgentStore;
  if (launch.local_world_size == launch.world_size &&
      (!has_address || is_loopback(meeting.host))) {
    const bool is_numeric = has_address && meeting.host != "localhost";
    return Gloo::createDeviceForHostname(is_numeric ? meeting.host
                                                    : "127.0.0.1");
  }
  const std::string address =
      has_address ? address_towards(meeting.host, meeting.port) : "";
  return address.empty() ? Gloo::createDefaultDevice()
                         : Gloo::createDeviceForHostname(address);
}

/// Counts what it passes on.
class CountingBackend : public c10d::Backend {
 public:
  CountingBackend(c10::intrusive_ptr<c10d::Backend> backend,
                  std::shared_ptr<ExchangeTraffic> traffic)
      : Backend(backend->getRank(), backend->getSize()),
        backend_(std::move(backend)),
        traffic_(std::move(traffic)) {}

  const std::string getBackendName() const override {
    return backend_->getBackendName();
  }

  c10::intrusive_ptr<c10d::Work> allreduce(
      std::vector<at::Tensor>& tensors,
      const c10d::AllreduceOptions& options) override {
    ++traffic_->all_reduces;
    for (const at::Tensor& tensor : tensors) {
      traffic_->all_reduce_bytes += static_cast<std::int64_t>(tensor.nbytes());
    }
    return backend_->allreduce(tensors, options);
  }

  c10::intrusive_ptr<c10d::Work> broadcast(
      std::vector<at::Tensor>& tensors,
      const c10d::BroadcastOptions& options) override {
    return backend_->broadcast(tensors, options);
  }

 private:
  c10::intrusive_ptr<c10d::Backend> backend_;
  std::shared_ptr<ExchangeTraffic> traffic_;
};

/// Gloo tells std::cout that it is connected; standard output is for results.
class SilentOutput {
 public:
  SilentOutput() { std::cout.setstate(std::ios::failbit); }
  ~SilentOutput() { std::cout.clear(); }
  SilentOutput(const SilentOutput&) = delete;
  SilentOutput& operator=(const SilentOutput&) = delete;
};

}  // namespace

c10::intrusive_ptr<c10d::ProcessGroup> make_gloo_group(
    const c10::intrusive_ptr<c10d::Store>& store,
    const LaunchEnvironment& launch, const std::string& interface,
    std::chrono::milliseconds timeout,
    std::shared_ptr<ExchangeTraffic> traffic) {
  const auto options = Gloo::Options::create(timeout);
  options->devices.push_back(choose_device(launch, interface));
  options->threads = 2;
  const SilentOutput silent;
  const auto backend = c10::make_intrusive<CountingBackend>(
      c10::make_intrusive<Gloo>(
          c10::make_intrusive<c10d::PrefixStore>("gloo", store), launch.rank,
          launch.world_size, options),
      std::move(traffic));
  auto group = c10::make_intrusive<c10d::ProcessGroup>(store, launch.rank,
                                                       launch.world_size);
  group->setBackend(c10::DeviceType::CPU, c10d::ProcessGroup::BackendType::GLOO,
                    backend);
  group->setDefaultBackend(c10d::ProcessGroup::BackendType::GLOO);
  return group;
}

}  // namespace longformer
