// SPDX-License-Identifier: MIT
#include "heartbeat.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "beat.h"

namespace longformer {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kFarewellPatience{500};
/// Beats that a living rank may miss on a busy machine before it is suspected
/// of having made an exchange fail.
constexpr int kSuspiciousBeats = 4;

std::string key_of(int rank) { return "beat/" + std::to_string(rank); }

std::vector<std::uint8_t> bytes_of(const std::string& text) {
  return {text.begin(), text.end()};
}

}  // namespace

/// Shared with the thread, which may outlive the object while the store does
/// not answer.
struct Heartbeat::State {
  /// How often a rank speaks and listens.
  struct Pace {
    milliseconds interval{0};        ///< Between two beats.
    milliseconds poll{0};            ///< Between two looks while all wait.
    bool publishes_activity = true;  ///< At once, not with the next beat.
  };
  static Pace pace_for(StoreKind kind, milliseconds timeout) {
    if (kind == StoreKind::kFile) {
      return {std::clamp(timeout / 20, milliseconds(100), milliseconds(15'000)),
              milliseconds(100), false};
    }
    return {std::clamp(timeout / 20, milliseconds(20), milliseconds(250)),
            milliseconds(5), true};
  }

  struct Peer {
    int rank = 0;
    std::string text;
    Beat beat;
    bool has_ended = false;  ///< Its process.
    /// Time without news in which this process was awake itself.
    milliseconds silence{0};
  };

  c10::intrusive_ptr<c10d::Store> store;
  int rank = 0;
  bool is_store_on_main = false;
  milliseconds timeout{0};
  Pace pace;

  std::mutex mutex;
  std::condition_variable changed;
  Beat own;
  Beat last_exchange;  ///< What all did when they last exchanged something.
  std::vector<Peer> peers;
  bool is_news = true;  ///< `own` has changed since it was published.
  bool is_awaiting = false;
  bool is_ending = false;
  bool has_ended = false;
  bool is_store_lost = false;
  std::int64_t rounds = 0;  ///< Of the thread with the store.
  /// Time without one in which this process was awake itself.
  milliseconds store_silence{0};
  Clock::time_point last_round = Clock::now();

  void run();
  void publish(std::unique_lock<std::mutex>& lock);
  void read_peers(std::unique_lock<std::mutex>& lock);
  void pause(std::unique_lock<std::mutex>& lock, Clock::time_point next_beat);
  void wait_for_round(std::unique_lock<std::mutex>& lock);

  std::optional<LostRank> find_known_loss() const;
  std::optional<LostRank> find_words() const;
  LostRank lost(const Peer& peer, LostRank::How how) const;
  LostRank lost_main(LostRank::How how) const;
};

void Heartbeat::State::run() {
  std::unique_lock<std::mutex> lock(mutex);
  Clock::time_point next_beat = Clock::now();
  try {
    while (!is_ending || is_news) {
      if (is_news || Clock::now() >= next_beat) {
        next_beat = Clock::now() + pace.interval;
        publish(lock);
      }
      if (!is_ending) read_peers(lock);
      changed.notify_all();
      if (!is_ending) pause(lock, next_beat);
    }
  } catch (const std::exception&) {
    if (!lock.owns_lock()) lock.lock();
    is_store_lost = !is_ending;
  }
  has_ended = true;
  changed.notify_all();
}

void Heartbeat::State::publish(std::unique_lock<std::mutex>& lock) {
  ++own.count;
  is_news = false;
  const std::string text = to_text(own);
  lock.unlock();
  store->set(key_of(rank), bytes_of(text));
  lock.lock();
}

void Heartbeat::State::read_peers(std::unique_lock<std::mutex>& lock) {
  std::vector<std::string> keys;
  keys.reserve(peers.size());
  for (const Peer& peer : peers) keys.push_back(key_of(peer.rank));
  lock.unlock();
  const auto values = store->multiGet(keys);
  lock.lock();
  ++rounds;
  const Clock::time_point now = Clock::now();
  // Of a long pause of this process itself the peers must not suffer.
  const milliseconds passed =
      std::min(std::chrono::duration_cast<milliseconds>(now - last_round),
               2 * pace.interval);
  // Rounds may be shorter than a millisecond each.
  if (passed.count() > 0) last_round = now;
  for (std::size_t i = 0; i < peers.size(); ++i) {
    std::string text(values[i].begin(), values[i].end());
    if (text == peers[i].text) {
      peers[i].silence += passed;
      peers[i].has_ended = peers[i].silence >= pace.interval &&
                           longformer::has_ended(peers[i].beat, own);
      continue;
    }
    peers[i].silence = milliseconds(0);
    if (const auto beat = parse_beat(text)) peers[i].beat = *beat;
    peers[i].text = std::move(text);
  }
}

void Heartbeat::State::pause(std::unique_lock<std::mutex>& lock,
                             Clock::time_point next_beat) {
  Clock::time_point until = next_beat;
  if (is_awaiting) {
    until = std::min(until, Clock::now() + pace.poll);
  }
  const bool was_awaiting = is_awaiting;
  changed.wait_until(lock, until, [&] {
    return is_news || is_ending || is_awaiting != was_awaiting;
  });
}

void Heartbeat::State::wait_for_round(std::unique_lock<std::mutex>& lock) {
  const Clock::time_point begin = Clock::now();
  const std::int64_t before = rounds;
  changed.wait_for(lock, pace.interval);
  const auto passed =
      std::chrono::duration_cast<milliseconds>(Clock::now() - begin);
  store_silence = rounds != before
                      ? milliseconds(0)
                      : store_silence + std::min(passed, 2 * pace.interval);
}

LostRank Heartbeat::State::lost(const Peer& peer, LostRank::How how) const {
  LostRank result;
  result.how = how;
  result.rank = peer.rank;
  // It took part in the last exchange, whether it could tell so or not.
  result.activity = peer.beat.turn >= last_exchange.turn
                        ? peer.beat.activity
                        : last_exchange.activity;
  result.message = peer.beat.message;
  return result;
}

LostRank Heartbeat::State::lost_main(LostRank::How how) const {
  if (!is_store_on_main || rank == 0) {
    LostRank result;
    result.message = "the place where the ranks meet does not answer";
    result.activity = own.activity;
    return result;
  }
  return lost(peers.front(), how);
}

std::optional<LostRank> Heartbeat::State::find_words() const {
  for (const Peer& peer : peers) {
    if (peer.beat.kind == Beat::Kind::kFailed) {
      return lost(peer, LostRank::How::kFailed);
    }
  }
  for (const Peer& peer : peers) {
    if (peer.beat.kind != Beat::Kind::kVerdict) continue;
    LostRank result = lost(peer, LostRank::How::kUnknown);
    result.verdict = peer.beat.message;
    return result;
  }
  return std::nullopt;
}

std::optional<LostRank> Heartbeat::State::find_known_loss() const {
  if (auto said = find_words()) return said;
  for (const Peer& peer : peers) {
    if (peer.beat.kind == Beat::Kind::kLeft) {
      return lost(peer, LostRank::How::kLeft);
    }
    if (peer.has_ended) return lost(peer, LostRank::How::kEnded);
    if (peer.silence > timeout) return lost(peer, LostRank::How::kSilent);
  }
  if (is_store_lost) return lost_main(LostRank::How::kGone);
  if (store_silence > timeout) {
    return lost_main(LostRank::How::kSilent);
  }
  return std::nullopt;
}

Heartbeat::Heartbeat(c10::intrusive_ptr<c10d::Store> store, StoreKind kind,
                     int rank, int size, milliseconds timeout)
    : state_(std::make_shared<State>()) {
  State& s = *state_;
  s.store = std::move(store);
  s.rank = rank;
  s.is_store_on_main = kind == StoreKind::kOfMain;
  s.timeout = timeout;
  s.pace = State::pace_for(kind, timeout);
  s.own = s.last_exchange = first_beat();
  for (int peer = 0; peer < size; ++peer) {
    if (peer == rank) continue;
    s.peers.push_back({});
    s.peers.back().rank = peer;
    s.peers.back().beat.activity = s.own.activity;
  }
  std::thread([state = state_] { state->run(); }).detach();
}

Heartbeat::~Heartbeat() { end(/*has_news=*/false); }

void Heartbeat::introduce(c10d::Store& store, int rank) {
  store.set(key_of(rank), bytes_of(to_text(first_beat())));
}

void Heartbeat::set_activity(std::string activity) {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  state_->own.activity = std::move(activity);
  ++state_->own.turn;
  if (!state_->pace.publishes_activity) return;
  state_->is_news = true;
  state_->changed.notify_all();
}

void Heartbeat::note_exchange() {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  if (state_->last_exchange.turn == state_->own.turn) return;
  state_->last_exchange.turn = state_->own.turn;
  state_->last_exchange.activity = state_->own.activity;
}

std::optional<LostRank> Heartbeat::await_all() {
  State& s = *state_;
  std::unique_lock<std::mutex> lock(s.mutex);
  ++s.own.arrivals;
  s.is_news = s.is_awaiting = true;
  s.changed.notify_all();
  std::optional<LostRank> loss;
  const auto are_all_here = [&] {
    return std::ranges::all_of(s.peers, [&](const State::Peer& peer) {
      return peer.beat.arrivals >= s.own.arrivals;
    });
  };
  while (!are_all_here() && !(loss = s.find_known_loss())) {
    s.wait_for_round(lock);
  }
  s.is_awaiting = false;
  return loss;
}

LostRank Heartbeat::find_lost() {
  State& s = *state_;
  std::unique_lock<std::mutex> lock(s.mutex);
  const milliseconds suspicious = kSuspiciousBeats * s.pace.interval;
  const Clock::time_point until = Clock::now() + 2 * suspicious;
  // The exchange has waited as well.
  s.store_silence =
      std::chrono::duration_cast<milliseconds>(Clock::now() - s.last_round);
  while (true) {
    if (auto loss = s.find_known_loss()) return *loss;
    const auto quietest = std::ranges::max_element(
        s.peers, {}, [](const State::Peer& peer) { return peer.silence; });
    if (quietest->silence >= suspicious) {
      return s.lost(*quietest, LostRank::How::kGone);
    }
    if (s.store_silence >= suspicious) {
      return s.lost_main(LostRank::How::kGone);
    }
    if (Clock::now() > until) {
      LostRank unknown;
      unknown.activity = s.own.activity;
      return unknown;
    }
    s.wait_for_round(lock);
  }
}

void Heartbeat::say_farewell(const std::string& message, bool verdict) {
  {
    const std::lock_guard<std::mutex> lock(state_->mutex);
    state_->own.kind = verdict ? Beat::Kind::kVerdict : Beat::Kind::kFailed;
    state_->own.message = message;
  }
  end(/*has_news=*/true);
}

void Heartbeat::leave() {
  {
    const std::lock_guard<std::mutex> lock(state_->mutex);
    state_->own.kind = Beat::Kind::kLeft;
  }
  end(/*has_news=*/true);
}

void Heartbeat::end(bool has_news) {
  State& s = *state_;
  std::unique_lock<std::mutex> lock(s.mutex);
  s.is_news = has_news;
  s.is_ending = true;
  s.changed.notify_all();
  // If the store does not answer, the thread stays behind.
  s.changed.wait_for(lock, kFarewellPatience, [&] { return s.has_ended; });
}

}  // namespace longformer
