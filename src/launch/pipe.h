// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>

#include "longformer/base/descriptor.h"

namespace longformer {

/// Throws SystemError "<action>: <reason of errno>".
[[noreturn]] void fail_with_errno(const std::string& action);

struct Pipe {
  Descriptor read;
  Descriptor write;
};

/// Both ends are closed on exec. Throws SystemError.
Pipe make_pipe();

/// The same open file under a number above those of the standard streams,
/// which a child replaces (this process may have been started without some).
Descriptor above_standard_streams(Descriptor descriptor);

/// Reads that would block return at once from now on.
void set_nonblocking(const Descriptor& descriptor);

/// What can be read without waiting, at most `max_bytes`.
std::string read_available(const Descriptor& descriptor, std::size_t max_bytes);

}  // namespace longformer
