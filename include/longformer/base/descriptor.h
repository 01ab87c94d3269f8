// SPDX-License-Identifier: MIT
#pragma once

namespace longformer {

/// An open file descriptor that is closed on destruction, where errors are
/// ignored.
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

}  // namespace longformer
