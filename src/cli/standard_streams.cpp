// SPDX-License-Identifier: MIT
#include "longformer/cli/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <initializer_list>

namespace longformer {

void open_closed_standard_streams() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF) continue;
    // The lowest number that is free is this one. Open the wrong way round,
    // input and output fail where they are used: a missing output must not
    // pass for one that took the results.
    const int way = descriptor == STDOUT_FILENO ? O_RDONLY : O_WRONLY;
    [[maybe_unused]] const int opened = ::open("/dev/null", way);
  }
}

}  // namespace longformer
