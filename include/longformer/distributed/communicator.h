// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <memory>
#include <span>
#include <string>

#include "longformer/launch/launch_environment.h"

namespace c10d {
class ProcessGroup;
}

namespace longformer {

class CudaRuntime;

struct CommunicatorSettings {
  /// How long all processes of the job may take to start and meet.
  std::chrono::milliseconds start_timeout{300'000};
  /// How long one exchange may take before whoever waits gives up.
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

/// The other processes of a job, and what is exchanged with them.
///
/// All members but the plain getters are collective: every rank calls the same
/// ones in the same order, from one thread. A rank that dies, or is silent for
/// longer than the timeout, makes them throw PeerError on the others; after
/// that nothing more can be exchanged and the process should end.
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
  /// Returns when all ranks are here. `timeout`: for a barrier at which the
  /// others wait long, while one rank saves or validates; 0: the usual one.
  void barrier(std::chrono::milliseconds timeout = {});

  /// What the job is about to do, such as "step 12"; named in errors.
  void set_activity(std::string activity);
  /// A PeerError about a failed exchange, for who exchanges by other means.
  [[noreturn]] void fail(const std::string& reason);

  /// For layers that hand tensors to LibTorch.
  c10d::ProcessGroup& group();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace longformer
