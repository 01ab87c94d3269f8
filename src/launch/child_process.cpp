// SPDX-License-Identifier: MIT
#include "child_process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "longformer/base/error.h"

namespace longformer {
namespace {

/// Pointers for exec, made before the fork: after it, memory may not be
/// allocated.
class PointerList {
 public:
  explicit PointerList(std::vector<std::string> texts)
      : texts_(std::move(texts)) {
    pointers_.reserve(texts_.size() + 1);
    for (std::string& text : texts_) pointers_.push_back(text.data());
    pointers_.push_back(nullptr);
  }
  char* const* get() const { return pointers_.data(); }

 private:
  std::vector<std::string> texts_;
  std::vector<char*> pointers_;
};

std::vector<std::string> as_texts(const Environment& environment) {
  std::vector<std::string> texts;
  texts.reserve(environment.size());
  for (const auto& [name, value] : environment) {
    std::string& text = texts.emplace_back(name);
    text += '=';
    text += value;
  }
  return texts;
}

bool stays_open(int descriptor) {
  const int flags = fcntl(descriptor, F_GETFD);
  return flags >= 0 && fcntl(descriptor, F_SETFD, flags & ~FD_CLOEXEC) == 0;
}

/// Runs in the child, where only async-signal-safe calls are allowed.
bool prepare_child(const ChildCommand& command, const SignalChannel& signals,
                   pid_t parent) {
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return false;
  // The parent may have died before the line above.
  if (getppid() != parent) _exit(128 + SIGKILL);
  setpgid(0, 0);
  sigaction(SIGPIPE, &signals.former_pipe_action(), nullptr);
  const int input = command.input >= 0
                        ? command.input
                        : open("/dev/null", O_RDONLY | O_CLOEXEC);
  // What was given is above the standard streams, so that none of these
  // replaces what a later one needs.
  if (input < 0 || dup2(input, STDIN_FILENO) < 0 ||
      dup2(command.output, STDOUT_FILENO) < 0 ||
      dup2(command.error, STDERR_FILENO) < 0) {
    return false;
  }
  for (const int descriptor : command.inherited) {
    if (!stays_open(descriptor)) return false;
  }
  return sigprocmask(SIG_SETMASK, &signals.former_mask(), nullptr) == 0;
}

}  // namespace

pid_t start_child(const ChildCommand& command, const SignalChannel& signals) {
  const PointerList arguments(command.arguments);
  const PointerList environment(as_texts(command.environment));
  Pipe failure = make_pipe();
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) fail_with_errno("cannot start another process");
  if (child == 0) {
    if (prepare_child(command, signals, parent)) {
      execve(command.program.c_str(), arguments.get(), environment.get());
    }
    const int error = errno;
    [[maybe_unused]] const ssize_t written =
        write(failure.write.get(), &error, sizeof error);
    _exit(127);
  }
  setpgid(child, child);  // Here too: whoever comes first.
  failure.write.close();
  // Closed by exec; until then this waits.
  int error = 0;
  ssize_t count = 0;
  do {
    count = read(failure.read.get(), &error, sizeof error);
  } while (count < 0 && errno == EINTR);
  if (count == static_cast<ssize_t>(sizeof error)) {
    waitpid(child, nullptr, 0);
    errno = error;
    fail_with_errno("cannot execute " + command.program);
  }
  return child;
}

bool collect_child(pid_t pid, ChildExit& exit) {
  siginfo_t info{};
  const auto id = static_cast<id_t>(pid);
  int result = 0;
  do {
    result = waitid(P_PID, id, &info, WEXITED | WNOHANG | WNOWAIT);
  } while (result != 0 && errno == EINTR);
  if (result != 0) {
    // Somebody else has collected it, against the rules: it is gone.
    exit = {static_cast<int>(ExitCode::kInternal), 0};
    return true;
  }
  if (info.si_pid == 0) return false;
  const bool has_code = info.si_code == CLD_EXITED;
  exit.signal = has_code ? 0 : info.si_status;
  exit.code = has_code ? info.si_status : 128 + info.si_status;
  kill(-pid, SIGKILL);
  waitid(P_PID, id, &info, WEXITED);
  return true;
}

}  // namespace longformer
