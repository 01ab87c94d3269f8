// SPDX-License-Identifier: MIT
#include "pipe.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include "longformer/base/error.h"

namespace longformer {

void fail_with_errno(const std::string& action) {
  throw SystemError(action + ": " + std::generic_category().message(errno));
}

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) fail_with_errno("cannot make a pipe");
  Pipe pipe{Descriptor(ends[0]), Descriptor(ends[1])};
  pipe.read = above_standard_streams(std::move(pipe.read));
  pipe.write = above_standard_streams(std::move(pipe.write));
  return pipe;
}

Descriptor above_standard_streams(Descriptor descriptor) {
  if (descriptor.get() > STDERR_FILENO) return descriptor;
  Descriptor copy(fcntl(descriptor.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  if (!copy.is_open()) fail_with_errno("cannot move a descriptor");
  return copy;
}

void set_nonblocking(const Descriptor& descriptor) {
  const int flags = fcntl(descriptor.get(), F_GETFL);
  if (flags < 0 || fcntl(descriptor.get(), F_SETFL, flags | O_NONBLOCK) != 0) {
    fail_with_errno("cannot set a pipe up");
  }
}

std::string read_available(const Descriptor& descriptor,
                           std::size_t max_bytes) {
  std::string text;
  std::array<char, 4096> buffer;
  while (text.size() < max_bytes) {
    const ssize_t count =
        ::read(descriptor.get(), buffer.data(),
               std::min(buffer.size(), max_bytes - text.size()));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
  return text;
}

}  // namespace longformer
