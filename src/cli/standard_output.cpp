// SPDX-License-Identifier: MIT
#include "standard_output.h"

#include <cerrno>
#include <cstdio>
#include <string>
#include <system_error>

#include "longformer/base/error.h"

namespace longformer {
namespace {

[[noreturn]] void refuse(int error_number) {
  throw SystemError("standard output: cannot be written: " +
                    std::system_category().message(error_number) +
                    "; check where it goes");
}

}  // namespace

void print(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) {
    refuse(errno);
  }
}

void finish_printing() {
  if (std::fflush(stdout) != 0) refuse(errno);
}

}  // namespace longformer
