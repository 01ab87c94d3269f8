// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "longformer/launch/launch_environment.h"

namespace c10d {
class ProcessGroup;
}

namespace longformer {

class CudaRuntime;

struct CommunicatorSettings {
  /// How long all processes of the job may take to start and meet.
  std::chrono::milliseconds start_timeout{300'000};
  /// How long a rank may be silent, or one exchange take, before the others
  /// give up.
  std::chrono::milliseconds collective_timeout{300'000};
  /// The network interface to exchange over; "": the loopback one for a job
  /// on one host, else the one on the way to the rendezvous.
  std::string interface;
  /// Where the ranks compute on GPUs: tensors on them are exchanged over NCCL.
  /// Each process has one, the first that it sees.
  CudaRuntime* cuda = nullptr;
};

/// How values of all ranks become one.
enum class Reduction { kSum, kMinimum, kMaximum };

/// What a rank has exchanged so far.
struct ExchangeTraffic {
  std::int64_t all_reduces = 0;
  std::int64_t all_reduce_bytes = 0;  ///< Of the values, not of the wires.
};

/// The other processes of a job, and what is exchanged with them.
///
/// Members are collective unless it says otherwise: every rank calls the same
/// ones in the same order, from one thread. A rank that fails, dies, or is
/// silent for longer than the timeout, makes them throw PeerError on the
/// others, which names it and what it was last seen doing; after that nothing
/// more can be exchanged and the process should end. A rank lives on for the
/// others while its own thread works, however long that takes.
class Communicator {
 public:
  /// Meets the other ranks; returns on all of them or on none.
  ///
  /// `launch`: with a rendezvous, if there are several ranks. Rank 0 takes over
  /// its listen_descriptor. Throws PeerError saying how many ranks joined and
  /// which did not, ConfigError if two processes claim one rank, SystemError if
  /// the address of the rendezvous is taken, ConfigError without a GPU for
  /// `cuda`.
  explicit Communicator(const LaunchEnvironment& launch,
                        const CommunicatorSettings& settings = {});
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  int rank() const;
  int size() const;

  /// Replaces `values` by those of all ranks, taken together element by
  /// element. The result has the same bits on every rank. Allocates no tensor
  /// memory, so it works when that has run out.
  void reduce(std::span<double> values, Reduction reduction);
  /// The bytes that rank `root` passes; the other ranks' are ignored.
  std::string broadcast(const std::string& bytes, int root);
  /// Replaces `bytes`, as many on every rank, by those of rank `root`.
  void broadcast(std::span<std::byte> bytes, int root);
  /// What each rank passes, by rank.
  std::vector<std::string> gather(const std::string& bytes);
  /// Returns when all ranks are here, however long one of them reads, measures
  /// or saves before.
  void await_all();
  /// await_all() for the last time: afterwards no rank misses another.
  void leave();

  /// Not collective. What this rank is about to do, such as "step 12"; named in
  /// errors. Every rank goes through the same activities.
  void set_activity(std::string activity);
  const std::string& activity() const;
  /// Not collective. Tells the others why this rank gives up, if they can still
  /// be reached. To be called once, before the process ends.
  void announce_failure(const std::string& message) noexcept;
  /// Throws a PeerError about a failed exchange, for who exchanges by other
  /// means; names the rank that was lost.
  [[noreturn]] void fail(const std::string& reason);
  /// For who exchanges by other means: an exchange of all ranks succeeded.
  void note_exchange();

  /// Not collective.
  ExchangeTraffic traffic() const;

  /// For layers that hand tensors to LibTorch.
  c10d::ProcessGroup& group();

 private:
  struct State;
  void exchange(const std::function<void()>& body);
  std::unique_ptr<State> state_;
};

/// Runs `body`; if it fails for a reason of its own, the other ranks hear about
/// it before the exception goes on, as an Error with the same exit code that
/// also says in which activity it failed. No communicator: only runs it.
void tell_others_of_failure(Communicator* communicator,
                            const std::function<void()>& body);

}  // namespace longformer
