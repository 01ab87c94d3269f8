// SPDX-License-Identifier: MIT
#include "longformer/io/output_place.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <filesystem>
#include <optional>
#include <system_error>

#include "longformer/io/file_system.h"

#include "file_operations.h"

namespace longformer {
namespace {

namespace fs = std::filesystem;

/// As many as the kernel follows.
constexpr int kMostLinks = 40;

/// The folder of `path` as the kernel knows it.
std::string real_folder(const std::string& path, const std::string& given) {
  const std::string folder = parent_path(path);
  std::error_code error;
  const std::string real = fs::canonical(folder, error).string();
  if (error == std::errc::no_such_file_or_directory) {
    throw FileError(given + ": cannot be written: the folder " + folder +
                        " does not exist; make it first, or choose another",
                    ENOENT);
  }
  if (error) file_operations::fail(given, "be written", error.value());
  if (!is_directory(real)) {
    throw FileError(given + ": cannot be written: " + folder +
                        " is no folder; choose another place",
                    ENOTDIR);
  }
  return real;
}

/// The number of `name` if `folder` lists the descriptors of this process.
std::optional<int> descriptor_of(const std::string& folder,
                                 const std::string& name) {
  const std::string self = "/proc/" + std::to_string(::getpid());
  const bool is_list =
      folder == self + "/fd" ||
      (folder.starts_with(self + "/task/") && folder.ends_with("/fd"));
  if (!is_list) return std::nullopt;
  int number = -1;
  const auto end =
      std::from_chars(name.data(), name.data() + name.size(), number);
  if (end.ec != std::errc() || end.ptr != name.data() + name.size()) {
    return std::nullopt;
  }
  return number;
}

}  // namespace

OutputPlace find_output_place(const std::string& given) {
  if (given.empty()) {
    throw ConfigError(
        "output: the name is empty; give a path, or - for standard output");
  }
  std::string path = given;
  for (int links = 0; links < kMostLinks; ++links) {
    if (is_directory(path) || path.ends_with('/')) {
      throw FileError(given +
                          ": cannot be written: it is a folder; name a "
                          "file in it",
                      EISDIR);
    }
    const std::string folder = real_folder(path, given);
    const std::string name = file_name(path);
    if (const auto descriptor = descriptor_of(folder, name)) {
      return {OutputPlace::Kind::kDescriptor, given, *descriptor};
    }
    path = join_path(folder, name);
    std::error_code error;
    const fs::path link = fs::read_symlink(path, error);
    if (error) {  // No link.
      struct stat status {};
      const bool is_stream =
          ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
      return {is_stream ? OutputPlace::Kind::kStream : OutputPlace::Kind::kFile,
              path};
    }
    path =
        link.is_absolute() ? link.string() : join_path(folder, link.string());
  }
  file_operations::fail(given, "be written", ELOOP);
}

}  // namespace longformer
