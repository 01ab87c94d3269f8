// SPDX-License-Identifier: MIT
#include "longformer/launch/process_group_parent.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <system_error>
#include <utility>

#include "longformer/base/error.h"
#include "longformer/io/file_system.h"
#include "longformer/launch/failure_report.h"

#include "child_process.h"
#include "first_cause.h"
#include "launcher_readers.h"
#include "output_pump.h"
#include "pipe.h"
#include "signal_channel.h"

namespace longformer {
namespace {

using Clock = std::chrono::steady_clock;
using Deadline = std::optional<Clock::time_point>;

/// Milliseconds for poll until the earlier of the two; -1: for ever.
int poll_timeout(const Deadline& one, const Deadline& other) {
  if (!one && !other) return -1;
  const Clock::time_point first =
      one && other ? std::min(*one, *other)
                   : one.value_or(other.value_or(Clock::time_point()));
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(first - Clock::now());
  return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 60'000));
}

bool has_passed(const Deadline& deadline) {
  return deadline && Clock::now() >= *deadline;
}

/// Saved and stopped as it was told.
bool has_stopped(const ChildExit& exit) {
  return exit.signal == 0 &&
         (exit.code == static_cast<int>(ExitCode::kHungUp) ||
          exit.code == static_cast<int>(ExitCode::kInterrupted) ||
          exit.code == static_cast<int>(ExitCode::kTerminated));
}

/// A descriptor for the same as `stream`, above the standard ones.
Descriptor copy_above_streams(int stream) {
  Descriptor copy(fcntl(stream, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  if (copy.get() < 0) fail_with_errno("cannot pass a standard stream on");
  return copy;
}

class ProcessGroup {
 public:
  explicit ProcessGroup(const ProcessGroupOptions& options)
      : options_(options) {}

  /// Only after an error is anything left to end.
  ~ProcessGroup() {
    kill_all();
    for (Child& child : children_) {
      while (child.is_running && !collect_child(child.pid, child.exit)) {
        pollfd signal{signals_.descriptor(), POLLIN, 0};
        poll(&signal, 1, -1);
        while (signals_.next() != 0) {
        }
      }
      child.is_running = false;
    }
  }

  ProcessGroup(const ProcessGroup&) = delete;
  ProcessGroup& operator=(const ProcessGroup&) = delete;

  ProcessGroupResult run() {
    create_directories(options_.log_directory);
    for (const RankProcess& process : options_.ranks) start(process);
    while (is_any_running()) {
      wait_for_something(poll_timeout(terminate_at_, kill_at_));
      take_signals();
      meet_deadlines();
    }
    flush_output();
    return result();
  }

 private:
  struct Child {
    int rank = 0;
    pid_t pid = 0;
    bool is_running = true;
    bool was_told = false;    ///< Has got a stop signal from here.
    bool was_killed = false;  ///< Has got SIGKILL from here.
    ChildExit exit;
    Descriptor report_pipe;
    std::optional<FailureReport> report;  ///< Once it has ended.
    std::string log_path;
    std::int64_t log_start = 0;  ///< Size of the log before this run.
  };

  Descriptor open_log(Child& child) const;
  void start(const RankProcess& process);
  bool is_any_running() const;

  void wait_for_something(int timeout_ms);
  void take_signals();
  void collect();
  void judge(Child& child);
  RankFailure failure_of(const Child& child) const;

  void stop(int signal_number, bool pass_on);
  void fail(RankFailure failure);
  void meet_deadlines();
  void tell_all(int signal_number);
  void kill_all();
  void flush_output();
  ProcessGroupResult result() const;

  const ProcessGroupOptions& options_;
  SignalChannel signals_;
  std::vector<Child> children_;
  Descriptor first_log_;
  std::vector<OutputPump> pumps_;  ///< Output and errors of the first child.
  std::size_t next_pump_ = 0;      ///< Whose turn it is to write.

  Deadline terminate_at_;
  Deadline kill_at_;
  int stop_signal_ = 0;
  bool was_cut_short_ = false;  ///< By a second SIGINT.
  bool is_ending_ = false;      ///< The others are being stopped.
  FirstCause cause_;
};

Descriptor ProcessGroup::open_log(Child& child) const {
  child.log_path = join_path(options_.log_directory,
                             "rank_" + std::to_string(child.rank) + ".log");
  constexpr mode_t kMode = 0644;
  Descriptor log(open(child.log_path.c_str(),
                      O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, kMode));
  if (!log.is_open()) fail_with_errno(child.log_path + ": cannot open the log");
  struct stat status {};
  if (fstat(log.get(), &status) == 0) child.log_start = status.st_size;
  return above_standard_streams(std::move(log));
}

void ProcessGroup::start(const RankProcess& process) {
  Child child;
  child.rank = process.rank;
  Descriptor log = open_log(child);
  Pipe report = make_pipe();
  set_nonblocking(report.read);
  child.report_pipe = std::move(report.read);

  ChildCommand command;
  command.program = options_.program;
  command.arguments = options_.arguments;
  command.environment = options_.environment;
  for (const auto& [name, value] : process.environment) {
    command.environment[name] = value;
  }
  command.environment[std::string(kOwnReport)] =
      std::to_string(report.write.get());
  command.inherited = process.inherited;
  command.inherited.push_back(report.write.get());
  command.output = command.error = log.get();
  Pipe output;
  Pipe error;
  Descriptor passed_input;
  Descriptor passed_output;
  const bool is_first = children_.empty();
  if (is_first) {
    error = make_pipe();
    command.error = error.write.get();
  }
  if (is_first && options_.passes_streams) {
    passed_input = copy_above_streams(STDIN_FILENO);
    passed_output = copy_above_streams(STDOUT_FILENO);
    command.input = passed_input.get();
    command.output = passed_output.get();
  } else if (is_first) {
    output = make_pipe();
    command.output = output.write.get();
  }
  child.pid = start_child(command, signals_);
  for (const int descriptor : process.inherited) Descriptor closed(descriptor);
  children_.push_back(std::move(child));
  if (is_first) {
    first_log_ = std::move(log);
    if (!options_.passes_streams) {
      pumps_.emplace_back(std::move(output.read), options_.output_descriptor,
                          first_log_.get());
    }
    pumps_.emplace_back(std::move(error.read), options_.error_descriptor,
                        first_log_.get());
  }
}

bool ProcessGroup::is_any_running() const {
  return std::any_of(children_.begin(), children_.end(),
                     [](const Child& child) { return child.is_running; });
}

void ProcessGroup::wait_for_something(int timeout_ms) {
  std::vector<pollfd> waits{{signals_.descriptor(), POLLIN, 0}};
  for (const OutputPump& pump : pumps_) {
    // Negative numbers are passed over.
    waits.push_back({pump.wants_to_read() ? pump.source() : -1, POLLIN, 0});
    waits.push_back({pump.wants_to_write() ? pump.target() : -1, POLLOUT, 0});
  }
  if (poll(waits.data(), waits.size(), timeout_ms) <= 0) return;
  for (std::size_t i = 0; i < pumps_.size(); ++i) {
    if (waits[1 + 2 * i].revents != 0) pumps_[i].read();
  }
  // One at a time: both targets may be the same terminal, and after one write
  // it may not be ready any more.
  for (std::size_t turn = 0; turn < pumps_.size(); ++turn) {
    const std::size_t i = (next_pump_ + turn) % pumps_.size();
    if (waits[2 + 2 * i].revents == 0) continue;
    pumps_[i].write();
    next_pump_ = i + 1;
    return;
  }
}

void ProcessGroup::take_signals() {
  bool has_child_ended = false;
  while (const int number = signals_.next()) {
    if (number == SIGCHLD) {
      has_child_ended = true;
    } else if (stop_signal_ == 0 && !cause_.has_cause()) {
      stop(number, true);
    } else if (number == SIGINT) {
      was_cut_short_ = true;
      kill_all();
    }
  }
  if (has_child_ended) collect();
}

void ProcessGroup::collect() {
  std::vector<Child*> ended;
  for (Child& child : children_) {
    if (child.is_running && collect_child(child.pid, child.exit)) {
      child.is_running = false;
      ended.push_back(&child);
    }
  }
  // Of several that ended at once, who was ended by a signal did not do so
  // because of the others.
  std::stable_partition(ended.begin(), ended.end(), [](const Child* child) {
    return child->exit.signal != 0;
  });
  for (Child* child : ended) judge(*child);
}

void ProcessGroup::judge(Child& child) {
  constexpr std::size_t kMaxReport = 1 << 16;
  child.report =
      parse_failure_report(read_available(child.report_pipe, kMaxReport));
  if (&child == &children_.front()) {
    for (OutputPump& pump : pumps_) pump.finish();
    if (child.report) pumps_.back().log(child.report->message + "\n");
  }
  const ChildExit& exit = child.exit;
  if (exit.code == 0) {
    cause_.add_success(child.rank);
  } else if (has_stopped(exit)) {
    if (stop_signal_ == 0 && !cause_.has_cause()) stop(exit.code - 128, false);
  } else if (is_ending_ || was_cut_short_) {
    // It had no choice, but may know more about the first.
    if (cause_.has_cause()) cause_.add_witness(failure_of(child));
  } else if (child.was_killed && exit.signal == SIGKILL) {
    RankFailure failure = failure_of(child);
    failure.message = "did not end within " +
                      std::to_string(options_.stop_grace.count()) +
                      " ms after the signal to stop, and was ended";
    fail(std::move(failure));
  } else if (!child.was_told ||
             (exit.signal != SIGTERM && exit.signal != SIGINT)) {
    // A stop signal may come before the process is ready to save.
    fail(failure_of(child));
  }
}

RankFailure ProcessGroup::failure_of(const Child& child) const {
  RankFailure failure;
  failure.rank = child.rank;
  failure.exit_code = child.exit.code;
  failure.signal = child.exit.signal;
  failure.log_path = child.log_path;
  failure.is_reported = child.report.has_value();
  failure.message = child.report ? child.report->message
                                 : last_line(child.log_path, child.log_start);
  return failure;
}

void ProcessGroup::stop(int signal_number, bool pass_on) {
  stop_signal_ = signal_number;
  kill_at_ = Clock::now() + options_.stop_grace;
  if (pass_on) tell_all(signal_number == SIGHUP ? SIGTERM : signal_number);
}

void ProcessGroup::fail(RankFailure failure) {
  if (!cause_.add(std::move(failure))) return;
  const auto patience = cause_.is_second_hand() ? options_.peer_grace
                                                : std::chrono::milliseconds(0);
  const Clock::time_point at = Clock::now() + patience;
  terminate_at_ = terminate_at_ ? std::min(*terminate_at_, at) : at;
}

void ProcessGroup::meet_deadlines() {
  if (has_passed(terminate_at_)) {
    terminate_at_.reset();
    is_ending_ = true;
    const Clock::time_point at = Clock::now() + options_.failure_grace;
    kill_at_ = kill_at_ ? std::min(*kill_at_, at) : at;
    // Who already got a signal would end at the second without having saved.
    tell_all(SIGTERM);
  }
  if (has_passed(kill_at_)) {
    kill_at_.reset();
    kill_all();
  }
}

void ProcessGroup::tell_all(int signal_number) {
  for (Child& child : children_) {
    if (!child.is_running || child.was_told) continue;
    kill(child.pid, signal_number);
    child.was_told = true;
  }
}

void ProcessGroup::kill_all() {
  for (Child& child : children_) {
    if (!child.is_running) continue;
    kill(-child.pid, SIGKILL);
    child.was_killed = true;
  }
}

void ProcessGroup::flush_output() {
  constexpr std::chrono::seconds kPatience{2};
  const Deadline until = Clock::now() + kPatience;
  const auto is_pending = [&] {
    return std::any_of(
        pumps_.begin(), pumps_.end(),
        [](const OutputPump& pump) { return pump.wants_to_write(); });
  };
  while (is_pending() && !has_passed(until)) {
    wait_for_something(poll_timeout(until, {}));
    while (signals_.next() != 0) {
    }
  }
}

ProcessGroupResult ProcessGroup::result() const {
  ProcessGroupResult result;
  result.stop_signal = stop_signal_;
  if (cause_.has_cause()) {
    result.failure = cause_.cause();
    result.exit_code = result.failure->exit_code;
  } else if (std::any_of(children_.begin(), children_.end(),
                         [](const auto& c) { return c.exit.code != 0; })) {
    result.exit_code = 128 + stop_signal_;
  }
  return result;
}

}  // namespace

ProcessGroupResult run_process_group(const ProcessGroupOptions& options) {
  ProcessGroup group(options);
  return group.run();
}

}  // namespace longformer
