// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace longformer {

/// Marks a temporary file or folder of this process as not committed, for as
/// long as the object lives (discard_unfinished_writes()).
class UnfinishedWrite {
 public:
  explicit UnfinishedWrite(std::string path);
  ~UnfinishedWrite();
  UnfinishedWrite(const UnfinishedWrite&) = delete;
  UnfinishedWrite& operator=(const UnfinishedWrite&) = delete;

 private:
  std::string path_;
};

}  // namespace longformer
