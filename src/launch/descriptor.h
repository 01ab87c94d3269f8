// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace longformer {

/// An open file descriptor that is closed on destruction. (The io layer has its
/// own for files.)
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept;
  Descriptor& operator=(Descriptor&& other) noexcept;

  int get() const { return number_; }
  bool is_open() const { return number_ >= 0; }
  /// Gives up ownership.
  int release();
  void close();

 private:
  int number_ = -1;
};

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
