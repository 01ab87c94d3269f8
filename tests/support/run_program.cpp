// SPDX-License-Identifier: MIT
#include "support/run_program.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string_view>
#include <system_error>
#include <utility>

namespace longformer::test {
namespace {

[[noreturn]] void throw_errno(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

// A file descriptor that closes itself.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept
      : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() { reset(); }

  int get() const { return number_; }
  void reset() {
    if (number_ >= 0) {
      close(std::exchange(number_, -1));
    }
  }

 private:
  int number_ = -1;
};

struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) {
      throw_errno("pipe");
    }
    read = Descriptor(ends[0]);
    write = Descriptor(ends[1]);
  }
  Descriptor read;
  Descriptor write;
};

struct Pipes {
  Pipe in;
  Pipe out;
  Pipe err;
  Pipe failure;  // the child writes errno here if it cannot become the program
};

// Runs in the child: only async-signal-safe calls before exec, apart from the
// environment, which nobody else touches in this process any more.
[[noreturn]] void become(const char* program, char* const* arguments,
                         const RunOptions& options, const Pipes& pipes) {
  setpgid(0, 0);
  for (const auto& [name, value] : options.environment) {
    value.empty() ? unsetenv(name.c_str())
                  : setenv(name.c_str(), value.c_str(), 1);
  }
  const bool ready = dup2(pipes.in.read.get(), STDIN_FILENO) >= 0 &&
                     dup2(pipes.out.write.get(), STDOUT_FILENO) >= 0 &&
                     dup2(pipes.err.write.get(), STDERR_FILENO) >= 0 &&
                     (options.working_directory.empty() ||
                      chdir(options.working_directory.c_str()) == 0);
  if (ready) {
    execvp(program, arguments);
  }
  const int error = errno;
  [[maybe_unused]] const auto written =
      write(pipes.failure.write.get(), &error, sizeof error);
  _exit(127);
}

// Appends what is there to `text`; closes the descriptor at the end of file.
void drain(Descriptor& from, std::string& text) {
  std::array<char, 65536> buffer;
  const ssize_t count = read(from.get(), buffer.data(), buffer.size());
  if (count > 0) {
    text.append(buffer.data(), static_cast<std::size_t>(count));
  } else if (count == 0 || errno != EINTR) {
    from.reset();
  }
}

// Writes the next piece; closes the descriptor after the last one, or when the
// program does not read any more.
void feed(Descriptor& to, std::string_view text, std::size_t& done) {
  if (done < text.size()) {
    const ssize_t count =
        write(to.get(), text.data() + done, text.size() - done);
    if (count < 0 && errno != EINTR && errno != EAGAIN) {
      to.reset();
      return;
    }
    done += count > 0 ? static_cast<std::size_t>(count) : 0;
  }
  if (done == text.size()) {
    to.reset();
  }
}

// Serves the three pipes until the program has closed its outputs or the
// deadline has passed. Returns whether it closed them in time.
bool converse(Descriptor in, Descriptor out, Descriptor err,
              std::string_view input,
              std::chrono::steady_clock::time_point deadline,
              RunResult& result) {
  fcntl(in.get(), F_SETFL, O_NONBLOCK);
  std::size_t written = 0;
  if (input.empty()) {
    in.reset();
  }
  while (out.get() >= 0 || err.get() >= 0) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) {
      return false;
    }
    // poll ignores negative descriptors.
    std::array<pollfd, 3> waiting{pollfd{in.get(), POLLOUT, 0},
                                  pollfd{out.get(), POLLIN, 0},
                                  pollfd{err.get(), POLLIN, 0}};
    if (poll(waiting.data(), waiting.size(), static_cast<int>(left.count())) <
            0 &&
        errno != EINTR) {
      throw_errno("poll");
    }
    if (waiting[0].revents != 0) {
      feed(in, input, written);
    }
    if (waiting[1].revents != 0) {
      drain(out, result.standard_output);
    }
    if (waiting[2].revents != 0) {
      drain(err, result.standard_error);
    }
  }
  return true;
}

// Waits for the end of the program, which it gets until the deadline to reach.
void reap(pid_t child, std::chrono::steady_clock::time_point deadline,
          RunResult& result) {
  int status = 0;
  for (;;) {
    const pid_t ended = waitpid(child, &status, result.killed ? 0 : WNOHANG);
    if (ended == child) {
      break;
    }
    if (ended < 0 && errno != EINTR) {
      throw_errno("waitpid");
    }
    if (!result.killed && std::chrono::steady_clock::now() >= deadline) {
      result.killed = true;
      kill(-child, SIGKILL);
    } else {
      usleep(2000);
    }
  }
  if (WIFEXITED(status)) {
    result.exit_code = WEXITSTATUS(status);
  } else if (WIFSIGNALED(status)) {
    result.signal = WTERMSIG(status);
  }
}

}  // namespace

RunResult run_program(const std::filesystem::path& program,
                      const std::vector<std::string>& arguments,
                      const RunOptions& options) {
  // A program that ends without reading its input must not end the test.
  std::signal(SIGPIPE, SIG_IGN);
  std::vector<std::string> words{program.string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (auto& word : words) {
    pointers.push_back(word.data());
  }
  pointers.push_back(nullptr);

  Pipes pipes;
  const auto deadline = std::chrono::steady_clock::now() + options.timeout;
  const pid_t child = fork();
  if (child < 0) {
    throw_errno("fork");
  }
  if (child == 0) {
    std::signal(SIGPIPE, SIG_DFL);
    become(words.front().c_str(), pointers.data(), options, pipes);
  }
  setpgid(child, child);  // here too: whoever comes first
  pipes.in.read.reset();
  pipes.out.write.reset();
  pipes.err.write.reset();
  pipes.failure.write.reset();

  RunResult result;
  int error = 0;
  if (read(pipes.failure.read.get(), &error, sizeof error) == sizeof error) {
    waitpid(child, nullptr, 0);
    throw std::system_error(error, std::generic_category(), words.front());
  }
  if (!converse(std::move(pipes.in.write), std::move(pipes.out.read),
                std::move(pipes.err.read), options.standard_input, deadline,
                result)) {
    result.killed = true;
    kill(-child, SIGKILL);
  }
  reap(child, deadline, result);
  return result;
}

}  // namespace longformer::test
