// SPDX-License-Identifier: MIT
#include "support/golden.h"

#include <stdexcept>

namespace longformer::test {

std::filesystem::path golden_dir() {
  std::filesystem::path dir = LONGFORMER_GOLDEN_DIR;
  if (!std::filesystem::is_directory(dir)) {
    throw std::runtime_error("golden data not unpacked in " + dir.string() +
                             "; configure again");
  }
  return dir;
}

}  // namespace longformer::test
