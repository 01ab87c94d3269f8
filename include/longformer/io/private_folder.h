// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace longformer {

/// A new folder that only this user can enter; gone with the object unless it
/// is kept.
class PrivateFolder {
 public:
  /// In `parent`; "": in /tmp. Throws FileError.
  explicit PrivateFolder(std::string_view parent);
  ~PrivateFolder();
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;

  const std::string& path() const { return path_; }
  void keep() { is_kept_ = true; }

 private:
  std::string path_;
  bool is_kept_ = false;
};

}  // namespace longformer
