// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "longformer/io/output_place.h"

namespace longformer {

/// A device, pipe or open descriptor that is written to as it is, piece by
/// piece: nothing is created, replaced or cut off. AtomicFile is for regular
/// files.
class DirectFile {
 public:
  /// Opens it; a pipe waits for its reader. `name` is for messages. Throws
  /// FileError.
  DirectFile(const OutputPlace& place, std::string name);
  ~DirectFile();
  DirectFile(const DirectFile&) = delete;
  DirectFile& operator=(const DirectFile&) = delete;

  /// All of it, now. Throws FileError when that fails.
  void write(std::string_view bytes);

 private:
  struct State;

  std::string name_;
  std::uint64_t written_ = 0;
  std::unique_ptr<State> state_;
};

}  // namespace longformer
