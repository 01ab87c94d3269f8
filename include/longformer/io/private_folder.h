// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace longformer {

/// A new folder that only this user can enter; gone with the object.
class PrivateFolder {
 public:
  /// In `parent`; "": in /tmp. Throws FileError.
  explicit PrivateFolder(std::string_view parent);
  ~PrivateFolder();
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace longformer
