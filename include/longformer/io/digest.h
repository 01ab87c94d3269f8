// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace longformer {

/// XXH3 with 128 bits of everything given to update(): finds accidental damage
/// and names contents; it is no protection against somebody who forges it.
class Digest {
 public:
  Digest();
  ~Digest();
  Digest(Digest&&) noexcept;
  Digest& operator=(Digest&&) noexcept;

  void update(std::span<const std::byte> bytes);
  void update(std::string_view bytes);

  /// 32 lower-case hexadecimal digits; more may be added afterwards.
  std::string hex() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Digest of one string.
std::string digest_of(std::string_view bytes);

/// What a file must contain.
struct FileDigest {
  std::string path;
  std::uint64_t bytes = 0;
  std::string digest;  ///< As Digest::hex().
};

/// Reads the whole file (in pieces). Throws FileError.
FileDigest digest_file(const std::string& path);

}  // namespace longformer
