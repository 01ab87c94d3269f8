// SPDX-License-Identifier: MIT
#include "longformer/distributed/communicator.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include <ATen/ops/from_blob.h>
#include <c10/util/Exception.h>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "longformer/base/error.h"
#include "longformer/distributed/failure_text.h"
#include "longformer/machine/cuda_runtime.h"

#include "gloo_group.h"
#include "heartbeat.h"
#include "meeting.h"

namespace longformer {

struct Communicator::State {
  int rank = 0;
  int size = 1;
  std::chrono::milliseconds timeout{0};
  std::string activity = "the start";
  c10::intrusive_ptr<c10d::Store> store;
  c10::intrusive_ptr<c10d::ProcessGroup> group;
  std::shared_ptr<ExchangeTraffic> traffic =
      std::make_shared<ExchangeTraffic>();
  std::unique_ptr<Heartbeat> heartbeat;  ///< Null without other ranks.
  bool is_broken = false;

  /// The threads of a broken group may still wait for a rank that is silent;
  /// joining them would take as long as the timeout. The process is ending.
  ~State() {
    if (is_broken) static_cast<void>(group.release());
  }
};

namespace {

std::string seconds_text(std::chrono::milliseconds time) {
  return std::to_string((time.count() + 999) / 1000) + " s";
}

c10d::ReduceOp operation_of(Reduction reduction) {
  switch (reduction) {
    case Reduction::kMinimum:
      return c10d::ReduceOp::MIN;
    case Reduction::kMaximum:
      return c10d::ReduceOp::MAX;
    case Reduction::kSum:
      break;
  }
  return c10d::ReduceOp::SUM;
}

/// A tensor whose memory no allocator of LibTorch gives, and that lives as long
/// as an exchange may use it.
template <class Value>
at::Tensor plain_tensor(std::shared_ptr<std::vector<Value>> values) {
  return at::from_blob(
      values->data(), {static_cast<std::int64_t>(values->size())},
      [values](void*) {}, at::TensorOptions(c10::CppTypeToScalarType<Value>()));
}

Heartbeat::StoreKind kind_of_store(Rendezvous::Kind kind) {
  switch (kind) {
    case Rendezvous::Kind::kSharedFile:
      return Heartbeat::StoreKind::kFile;
    case Rendezvous::Kind::kAgentStore:
      return Heartbeat::StoreKind::kOfLauncher;
    default:
      return Heartbeat::StoreKind::kOfMain;
  }
}

/// The sentence for the user. `activity`: this rank's; `reason`: what made it
/// notice, or "".
std::string describe(const LostRank& lost, const std::string& activity,
                     const std::string& reason,
                     std::chrono::milliseconds timeout) {
  if (!lost.verdict.empty()) return lost.verdict;
  const std::string who = "rank " + std::to_string(lost.rank);
  const std::string seen = ", last seen in " + lost.activity;
  switch (lost.how) {
    case LostRank::How::kFailed:
      return who + " failed in " + lost.activity + ": " + lost.message;
    case LostRank::How::kSilent:
      return who + seen + ", has been silent for " + seconds_text(timeout) +
             ": it was stopped or its host is gone; if it is only slow, raise "
             "collective_timeout";
    case LostRank::How::kLeft:
      return who + seen + ", has finished while this one waits in " + activity;
    case LostRank::How::kEnded:
      return who + seen + ", has ended; its log or the system's may say why";
    case LostRank::How::kGone:
      return who + seen + ", is gone or was stopped (" +
             (reason.empty() ? "it does not answer" : reason) +
             "); its log or the system's may say why";
    case LostRank::How::kUnknown:
      break;
  }
  return "an exchange in " + activity + " failed (" +
         (lost.message.empty() ? reason : lost.message) +
         ") though no rank is known to be lost; see the logs of the other "
         "ranks and the network";
}

}  // namespace

Communicator::Communicator(const LaunchEnvironment& launch,
                           const CommunicatorSettings& settings)
    : state_(std::make_unique<State>()) {
  State& s = *state_;
  s.rank = launch.rank;
  s.size = launch.world_size;
  s.timeout = settings.collective_timeout;
  s.store = open_store(launch, settings.start_timeout);
  Heartbeat::introduce(*s.store, s.rank);
  await_all_ranks(*s.store, launch, settings.start_timeout);
  if (s.size > 1) {
    s.heartbeat = std::make_unique<Heartbeat>(
        s.store, kind_of_store(launch.rendezvous.kind), s.rank, s.size,
        s.timeout);
  }
  exchange([&] {
    s.group = make_gloo_group(s.store, launch, settings.interface, s.timeout,
                              s.traffic);
  });
  if (settings.cuda != nullptr) {
    settings.cuda->add_nccl(*s.group, *s.store, /*index=*/0, s.timeout);
  }
  await_all();
}

Communicator::~Communicator() = default;

int Communicator::rank() const { return state_->rank; }
int Communicator::size() const { return state_->size; }

void Communicator::exchange(const std::function<void()>& body) {
  try {
    body();
  } catch (...) {
    fail(failure_text(std::current_exception()));
  }
  note_exchange();
}

void Communicator::reduce(std::span<double> values, Reduction reduction) {
  const auto copy =
      std::make_shared<std::vector<double>>(values.begin(), values.end());
  std::vector<at::Tensor> tensors{plain_tensor(copy)};
  c10d::AllreduceOptions options;
  options.reduceOp = operation_of(reduction);
  exchange([&] { state_->group->allreduce(tensors, options)->wait(); });
  std::copy(copy->begin(), copy->end(), values.begin());
}

std::string Communicator::broadcast(const std::string& bytes, int root) {
  auto size = static_cast<std::int64_t>(bytes.size());
  broadcast(std::as_writable_bytes(std::span(&size, 1)), root);
  std::string content = rank() == root ? bytes : std::string();
  content.resize(static_cast<std::size_t>(size));
  broadcast(std::as_writable_bytes(std::span(content)), root);
  return content;
}

void Communicator::broadcast(std::span<std::byte> bytes, int root) {
  // In pieces: each has the whole timeout for itself.
  constexpr std::size_t kPiece = std::size_t{64} << 20;
  c10d::BroadcastOptions options;
  options.rootRank = root;
  for (std::size_t at = 0; at < bytes.size(); at += kPiece) {
    const auto piece = bytes.subspan(at, std::min(kPiece, bytes.size() - at));
    const auto* begin = reinterpret_cast<const std::uint8_t*>(piece.data());
    const auto copy = std::make_shared<std::vector<std::uint8_t>>(
        begin, begin + piece.size());
    std::vector<at::Tensor> tensors{plain_tensor(copy)};
    exchange([&] { state_->group->broadcast(tensors, options)->wait(); });
    if (rank() != root) std::memcpy(piece.data(), copy->data(), piece.size());
  }
}

std::vector<std::string> Communicator::gather(const std::string& bytes) {
  std::vector<std::string> all;
  for (int root = 0; root < size(); ++root) {
    all.push_back(broadcast(bytes, root));
  }
  return all;
}

void Communicator::await_all() {
  State& s = *state_;
  if (!s.heartbeat) return;
  if (const auto lost = s.heartbeat->await_all()) {
    s.is_broken = true;
    const std::string text = describe(*lost, s.activity, "", s.timeout);
    s.heartbeat->say_farewell(text, /*verdict=*/true);
    throw PeerError(text);
  }
  // Nobody looks for the others in the store any more, so that rank 0 may go.
  std::array<double, 1> nothing{0};
  reduce(nothing, Reduction::kSum);
}

void Communicator::leave() {
  await_all();
  if (state_->heartbeat) state_->heartbeat->leave();
  // The store goes with rank 0; nobody may be talking to it then.
  std::array<double, 1> nothing{0};
  reduce(nothing, Reduction::kSum);
}

void Communicator::set_activity(std::string activity) {
  state_->activity = std::move(activity);
  if (state_->heartbeat) state_->heartbeat->set_activity(state_->activity);
}

const std::string& Communicator::activity() const { return state_->activity; }

void Communicator::note_exchange() {
  if (state_->heartbeat) state_->heartbeat->note_exchange();
}

void Communicator::announce_failure(const std::string& message) noexcept {
  try {
    if (state_->heartbeat && !std::exchange(state_->is_broken, true)) {
      state_->heartbeat->say_farewell(message, /*verdict=*/false);
    }
  } catch (const std::exception&) {
    // They will notice that this rank is gone.
  }
}

void Communicator::fail(const std::string& reason) {
  State& s = *state_;
  LostRank lost;
  if (s.heartbeat && !s.is_broken) lost = s.heartbeat->find_lost();
  const std::string text = describe(lost, s.activity, reason, s.timeout);
  if (s.heartbeat && !std::exchange(s.is_broken, true)) {
    s.heartbeat->say_farewell(text, /*verdict=*/true);
  }
  throw PeerError(text);
}

ExchangeTraffic Communicator::traffic() const { return *state_->traffic; }

c10d::ProcessGroup& Communicator::group() { return *state_->group; }

void tell_others_of_failure(Communicator* communicator,
                            const std::function<void()>& body) {
  if (communicator == nullptr) return body();
  const auto placed = [&](std::string message) {
    const std::string& activity = communicator->activity();
    communicator->announce_failure(message);
    if (message.find(activity) == std::string::npos) {
      message += " (in " + activity + ")";
    }
    return message;
  };
  try {
    body();
  } catch (const PeerError&) {
    throw;
  } catch (const Error& error) {
    throw Error(error.code(), placed(error.what()));
  } catch (const c10::OutOfMemoryError& error) {
    throw MemoryError(placed(failure_text(std::current_exception())));
  } catch (...) {
    throw Error(
        ExitCode::kInternal,
        "unexpected: " + placed(failure_text(std::current_exception())));
  }
}

}  // namespace longformer
