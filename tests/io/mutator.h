// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "longformer/base/random.h"

namespace longformer::test {

/// Damages a file as bad disks, downloads, editors and attackers do; the same
/// seed does the same damage.
class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : random_({1, 2}, seed) {}

  /// A copy of `content` with one to three damages.
  std::string mutate(std::string content);

 private:
  std::size_t position(const std::string& content);
  void mutate_once(std::string& content);
  void exchange_parts(std::string& content, std::size_t one, std::size_t other,
                      std::size_t length);
  void overwrite(std::string& content, std::size_t at);

  RandomStream random_;
};

}  // namespace longformer::test
