// SPDX-License-Identifier: MIT
#include "meeting.h"

#include <netdb.h>

#include <condition_variable>
#include <mutex>
#include <thread>

#include <torch/csrc/distributed/c10d/FileStore.hpp>
#include <torch/csrc/distributed/c10d/HashStore.hpp>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "longformer/base/error.h"
#include "longformer/base/log.h"
#include "longformer/distributed/failure_text.h"
#include "longformer/launch/listening_socket.h"

#include "libtorch_release.h"

namespace longformer {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::chrono::seconds kReportEvery{5};

std::string seconds_text(milliseconds time) {
  const double seconds = static_cast<double>(time.count()) / 1000;
  std::string text = std::to_string(seconds);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text + " s";
}

std::string place_of(const LaunchEnvironment& launch) {
  return "rendezvous at " + to_text(launch.rendezvous);
}

/// The socket for rank 0 to listen with, if it need not be on all interfaces.
std::optional<int> listening_descriptor(const Rendezvous& rendezvous) {
  if (rendezvous.listen_descriptor >= 0) return rendezvous.listen_descriptor;
  if (!can_listen_at(rendezvous)) return std::nullopt;
  return ListeningSocket(rendezvous).release();
}

c10::intrusive_ptr<c10d::Store> open_tcp_store(const LaunchEnvironment& launch,
                                               milliseconds timeout) {
  const Rendezvous& rendezvous = launch.rendezvous;
  c10d::TCPStoreOptions options;
  options.port = static_cast<std::uint16_t>(rendezvous.port);
  options.isServer =
      launch.rank == 0 && rendezvous.kind == Rendezvous::Kind::kAddress;
  options.numWorkers = static_cast<std::size_t>(launch.world_size);
  // await_all_ranks() waits, and can say for whom.
  options.waitWorkers = false;
  options.timeout = timeout;
  if (options.isServer) {
    options.masterListenFd = listening_descriptor(rendezvous);
    // The newer server of older releases makes its own socket.
    options.useLibUV = is_libtorch_at_least(2, 10);
  }
  return c10::make_intrusive<c10d::TCPStore>(rendezvous.host, options);
}

c10::intrusive_ptr<c10d::Store> open_bare_store(const LaunchEnvironment& launch,
                                                milliseconds timeout) {
  switch (launch.rendezvous.kind) {
    case Rendezvous::Kind::kAddress:
    case Rendezvous::Kind::kAgentStore:
      return open_tcp_store(launch, timeout);
    case Rendezvous::Kind::kSharedFile: {
      auto store = c10::make_intrusive<c10d::FileStore>(launch.rendezvous.path,
                                                        launch.world_size);
      store->setTimeout(timeout);
      return store;
    }
    case Rendezvous::Kind::kNone:
      break;
  }
  if (launch.world_size > 1) {
    throw std::invalid_argument("several ranks need a rendezvous");
  }
  return c10::make_intrusive<c10d::HashStore>();
}

std::string joined_key(int rank) { return "joined/" + std::to_string(rank); }

std::string list_of(const std::vector<int>& ranks) {
  constexpr std::size_t kMost = 8;
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (std::size_t i = 0; i < std::min(ranks.size(), kMost); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(ranks[i]);
  }
  return ranks.size() > kMost ? text + " and others" : text;
}

/// Says every few seconds what this process waits for, while it lives.
class WaitingReport {
 public:
  explicit WaitingReport(std::string text)
      : thread_([text = std::move(text)](const std::stop_token& stop) {
          std::mutex mutex;
          std::condition_variable_any ended;
          std::unique_lock<std::mutex> lock(mutex);
          while (!ended.wait_for(lock, stop, kReportEvery,
                                 [&] { return stop.stop_requested(); })) {
            log_warning(text);
          }
        }) {}

 private:
  std::jthread thread_;
};

/// Why nobody could be reached: a name without an address, or what LibTorch
/// says.
std::string reason_text(const Rendezvous& rendezvous, const char* said) {
  addrinfo* found = nullptr;
  const int code =
      getaddrinfo(rendezvous.host.c_str(), nullptr, nullptr, &found);
  if (code != 0) {
    return "the name " + rendezvous.host +
           " cannot be resolved: " + gai_strerror(code);
  }
  freeaddrinfo(found);
  return first_line(said);
}

}  // namespace

c10::intrusive_ptr<c10d::Store> open_store(const LaunchEnvironment& launch,
                                           milliseconds timeout) {
  const WaitingReport report(place_of(launch) + ": rank " +
                             std::to_string(launch.rank) +
                             " is waiting for an answer from there");
  try {
    return c10::make_intrusive<c10d::PrefixStore>(
        launch.rendezvous.key_prefix, open_bare_store(launch, timeout));
  } catch (const c10::Error& error) {
    throw PeerError(
        place_of(launch) + ": rank " + std::to_string(launch.rank) +
        " found nobody within " + seconds_text(timeout) + " (" +
        reason_text(launch.rendezvous, error.what_without_backtrace()) +
        (launch.rank == 0 ? ")" : "); rank 0 has to be running there"));
  }
}

void await_all_ranks(c10d::Store& store, const LaunchEnvironment& launch,
                     milliseconds timeout) {
  constexpr milliseconds kLongestPause{100};
  const Clock::time_point start = Clock::now();
  Clock::time_point report_at = start + kReportEvery;
  const int world = launch.world_size;
  try {
    if (store.add("claimed/" + std::to_string(launch.rank), 1) > 1) {
      throw ConfigError(place_of(launch) + ": rank " +
                        std::to_string(launch.rank) +
                        " has joined already: two processes have the same "
                        "rank, or an earlier job met there; start each rank "
                        "once, or choose another rendezvous");
    }
    store.set(joined_key(launch.rank), "1");
    std::vector<int> missing(static_cast<std::size_t>(world));
    for (int rank = 0; rank < world; ++rank) {
      missing[static_cast<std::size_t>(rank)] = rank;
    }
    for (milliseconds pause{1};; pause = std::min(2 * pause, kLongestPause)) {
      std::erase_if(missing,
                    [&](int rank) { return store.check({joined_key(rank)}); });
      if (missing.empty()) return;
      const std::string state =
          std::to_string(world - static_cast<int>(missing.size())) + " of " +
          std::to_string(world) + " ranks joined";
      if (Clock::now() - start > timeout) {
        throw PeerError(place_of(launch) + ": " + state + " within " +
                        seconds_text(timeout) + ", " + list_of(missing) +
                        " did not; see whether they were started and what "
                        "their logs say");
      }
      if (Clock::now() > report_at) {
        log_info(place_of(launch) + ": " + state + ", waiting for " +
                 list_of(missing));
        report_at += kReportEvery;
      }
      std::this_thread::sleep_for(pause);
    }
  } catch (const c10::Error& error) {
    throw PeerError(place_of(launch) + ": lost while waiting for all ranks (" +
                    first_line(error.what_without_backtrace()) + ")");
  }
}

}  // namespace longformer
