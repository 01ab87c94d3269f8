// SPDX-License-Identifier: MIT
#include "longformer/io/private_folder.h"

#include <stdlib.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "longformer/io/file_system.h"

namespace longformer {

PrivateFolder::PrivateFolder(std::string_view parent)
    : path_(join_path(parent.empty() ? "/tmp" : parent, "longformer-XXXXXX")) {
  if (::mkdtemp(path_.data()) == nullptr) {
    throw FileError(path_ + ": cannot make a temporary folder: " +
                        std::generic_category().message(errno) +
                        "; set TMPDIR to a folder that can be written",
                    errno);
  }
}

PrivateFolder::~PrivateFolder() {
  std::error_code ignored;
  if (!is_kept_) std::filesystem::remove_all(path_, ignored);
}

}  // namespace longformer
