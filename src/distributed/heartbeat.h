// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include <torch/csrc/distributed/c10d/Store.hpp>

namespace longformer {

/// How a rank was lost to the others.
struct LostRank {
  enum class How {
    kFailed,   ///< It said so, and why.
    kSilent,   ///< For longer than the timeout.
    kEnded,    ///< Its process, on this host.
    kGone,     ///< An exchange broke, and it says nothing any more.
    kLeft,     ///< It has finished its work already.
    kUnknown,  ///< All ranks are still there.
  };
  How how = How::kUnknown;
  int rank = 0;
  std::string activity;  ///< What it was last seen doing.
  std::string message;   ///< Of kFailed.
  /// Another rank's finding, to be passed on as it is; "" if there is none.
  std::string verdict;
};

/// Lets every rank tell the others, through their store, that it lives and what
/// it does, while its own thread computes, saves or waits. So a rank that has
/// died or was stopped is told from one that works long, and can be named.
///
/// Threads: a private one talks to the store; all members are for one thread.
/// None blocks longer than it says, also when the store does not answer.
class Heartbeat {
 public:
  /// Puts this rank's first beat into the store.
  static void introduce(c10d::Store& store, int rank);

  enum class StoreKind {
    kOfMain,      ///< Rank 0's process holds it, and takes it along.
    kOfLauncher,  ///< Another process does.
    kFile,        ///< Grows with every word, on a disk that may be far away.
  };

  /// All ranks have been introduced. `timeout`: the silence after which a rank
  /// counts as lost.
  Heartbeat(c10::intrusive_ptr<c10d::Store> store, StoreKind kind, int rank,
            int size, std::chrono::milliseconds timeout);
  ~Heartbeat();
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;

  /// What this rank does from now on, such as "step 12". Every rank goes
  /// through the same activities in the same order.
  void set_activity(std::string activity);
  /// All ranks have just exchanged something in the current activity.
  void note_exchange();

  /// Waits, as long as it takes, until all ranks have called this as often;
  /// or tells which one is lost.
  std::optional<LostRank> await_all();

  /// Finds the rank that made an exchange fail. Takes a few beats (at most some
  /// seconds) if none has said anything.
  LostRank find_lost();

  /// The last words of this rank: why it fails (`verdict` false), or what it
  /// found out about another (true). Waits until they are in the store, but
  /// less than a second.
  void say_farewell(const std::string& message, bool verdict);
  /// The last words of a rank that has nothing more to do with the others.
  void leave();

 private:
  struct State;
  /// Ends the thread, which publishes what there is to say before.
  void end(bool has_news);

  std::shared_ptr<State> state_;
};

}  // namespace longformer
