// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace longformer::test {

/// A fresh, empty directory below the system's temporary directory, removed
/// with all its content when the object goes.
class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  const std::filesystem::path& path() const { return path_; }

  /// `path() / name`.
  std::filesystem::path operator/(std::string_view name) const {
    return path_ / name;
  }

  /// Writes `content` to `path() / name`, makes missing folders, and returns
  /// the full path.
  std::filesystem::path write(std::string_view name,
                              std::string_view content) const;

 private:
  std::filesystem::path path_;
};

/// The whole content of a file; throws std::runtime_error if it cannot be
/// read.
std::string read_file(const std::filesystem::path& path);

}  // namespace longformer::test
