// SPDX-License-Identifier: MIT
#include "longformer/launch/pipe_copy.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>
#include <system_error>
#include <thread>

#include "longformer/base/error.h"
#include "longformer/base/log.h"
#include "longformer/io/atomic_write.h"
#include "longformer/io/file_system.h"

#include "pipe.h"

namespace longformer {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kPause{100};

[[noreturn]] void refuse_late(const std::string& pipe, const char* what,
                              std::chrono::milliseconds timeout) {
  throw DataError(pipe + ": " + what + " within " +
                  std::to_string(timeout.count() / 1000) +
                  " s; see whether the channel holds any data, or give it the "
                  "input mode File or FastFile");
}

class PipeCopy {
 public:
  PipeCopy(const std::string& pipe, const PipeCopySettings& settings)
      : pipe_(pipe),
        settings_(settings),
        deadline_(Clock::now() + settings.start_timeout) {}

  /// Whether it is open; false: told to stop.
  bool open_pipe() {
    bool is_told = false;
    for (;;) {
      // Without waiting for a writer, which may never come.
      source_ =
          Descriptor(::open(pipe_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
      if (source_.is_open()) return true;
      if (errno != ENOENT) {
        throw DataError(pipe_ + ": cannot be opened: " +
                        std::generic_category().message(errno) +
                        "; see the channel's input mode");
      }
      if (settings_.should_stop()) return false;
      if (Clock::now() > deadline_) {
        refuse_late(pipe_, "does not exist", settings_.start_timeout);
      }
      if (!is_told) log_info(pipe_ + ": waiting until it is there");
      is_told = true;
      std::this_thread::sleep_for(kPause);
    }
  }

  /// Whether the end was reached; false: told to stop.
  bool copy_to(AtomicFile& target) {
    std::array<char, 1 << 16> buffer;
    for (;;) {
      if (settings_.should_stop()) return false;
      pollfd wait{source_.get(), POLLIN, 0};
      poll(&wait, 1, static_cast<int>(kPause.count()));
      if (wait.revents == 0) {
        // Nothing is also what a pipe gives before its writer comes.
        if (!has_begun_ && Clock::now() > deadline_) {
          refuse_late(pipe_, "nobody wrote into it", settings_.start_timeout);
        }
        continue;
      }
      const ssize_t count = ::read(source_.get(), buffer.data(), buffer.size());
      if (count == 0) return true;
      if (count < 0) {
        if (errno == EINTR || errno == EAGAIN) continue;
        throw DataError(pipe_ + ": cannot be read: " +
                        std::generic_category().message(errno));
      }
      has_begun_ = true;
      target.write(
          std::string_view(buffer.data(), static_cast<std::size_t>(count)));
    }
  }

 private:
  const std::string& pipe_;
  const PipeCopySettings& settings_;
  Clock::time_point deadline_;
  Descriptor source_;
  bool has_begun_ = false;
};

}  // namespace

bool copy_pipe(const std::string& pipe, const std::string& file,
               const PipeCopySettings& settings) {
  PipeCopy copy(pipe, settings);
  if (!copy.open_pipe()) return false;
  AtomicFile target(file);
  if (!copy.copy_to(target)) return false;
  const std::uint64_t bytes = target.bytes_written();
  target.commit();
  log_info(pipe + ": copied " + std::to_string(bytes) +
           " bytes, since a pipe can be read only once");
  return true;
}

}  // namespace longformer
