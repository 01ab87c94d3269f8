// SPDX-License-Identifier: MIT
#include "output_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "longformer/base/error.h"

namespace longformer {
namespace {

[[noreturn]] void refuse() {
  throw SystemError(std::string("standard output: cannot be written: ") +
                    std::strerror(errno));
}

}  // namespace

OutputFile::OutputFile(const std::string& path) {
  if (path != "-") file_.emplace(path);
}

void OutputFile::write(std::string_view text) {
  if (file_) {
    file_->write(text);
  } else if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() ||
             std::fflush(stdout) != 0) {
    refuse();
  }
}

void OutputFile::finish() {
  if (file_) {
    file_->commit();
  } else if (std::fflush(stdout) != 0) {
    refuse();
  }
}

}  // namespace longformer
