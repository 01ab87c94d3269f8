// SPDX-License-Identifier: MIT
#include "longformer/train/checkpoint_manifest.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "longformer/base/error.h"
#include "longformer/base/strict_json.h"
#include "longformer/base/utf8.h"
#include "longformer/io/atomic_write.h"
#include "longformer/io/digest.h"
#include "longformer/io/file_system.h"

namespace longformer {
namespace {

constexpr std::string_view kFormat = "longformer checkpoint";
constexpr std::int64_t kVersion = 1;
constexpr std::uint64_t kMaxManifestBytes = std::uint64_t{16} << 20;

struct Manifest {
  std::int64_t step = 0;
  std::vector<FileDigest> files;  // Paths below the directory.
};

/// The directory has no manifest that can be used; what() says why.
class ManifestProblem : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Paths of all files below `directory`, relative to it.
void list_files(const std::string& directory, const std::string& below,
                std::vector<std::string>& files) {
  const std::string folder =
      below.empty() ? directory : join_path(directory, below);
  for (const DirectoryEntry& entry : list_directory(folder)) {
    const std::string path =
        below.empty() ? entry.name : join_path(below, entry.name);
    if (entry.is_directory) {
      list_files(directory, path, files);
    } else if (path != kManifestName) {
      files.push_back(path);
    }
  }
}

/// Whether the path stays below the directory it is relative to.
bool is_inside(std::string_view path) {
  if (path.empty() || path.front() == '/') return false;
  while (!path.empty()) {
    const std::size_t slash = std::min(path.find('/'), path.size());
    if (path.substr(0, slash) == "..") return false;
    path.remove_prefix(std::min(slash + 1, path.size()));
  }
  return true;
}

const Json& member(const Json& object, const char* key, Json::value_t type) {
  const auto found = object.find(key);  // The end if it is no object.
  if (found == object.end() || found->type() != type) {
    throw ManifestProblem(std::string(kManifestName) +
                          " lacks a well-formed \"" + key + "\"");
  }
  return *found;
}

/// A number of 0 or more; parsed ones of that kind are unsigned.
std::int64_t natural(const Json& object, const char* key) {
  const auto value =
      member(object, key, Json::value_t::number_unsigned).get<std::uint64_t>();
  if (value > std::numeric_limits<std::int64_t>::max()) {
    throw ManifestProblem(std::string(kManifestName) + ": \"" + key +
                          "\" is too large");
  }
  return static_cast<std::int64_t>(value);
}

FileDigest parse_file(const Json& entry) {
  using Type = Json::value_t;
  FileDigest file{member(entry, "path", Type::string).get<std::string>(),
                  static_cast<std::uint64_t>(natural(entry, "bytes")),
                  member(entry, "xxh3_128", Type::string).get<std::string>()};
  if (!is_inside(file.path)) {
    throw ManifestProblem(std::string(kManifestName) + " lists \"" + file.path +
                          "\", which is not inside the checkpoint");
  }
  return file;
}

Manifest parse_manifest(const Json& json) {
  using Type = Json::value_t;
  if (member(json, "format", Type::string).get<std::string>() != kFormat) {
    throw ManifestProblem(std::string(kManifestName) +
                          " is not that of a checkpoint");
  }
  const std::int64_t version = natural(json, "version");
  if (version != kVersion) {
    throw ManifestProblem(
        std::string(kManifestName) + " has version " + std::to_string(version) +
        ", this program reads version " + std::to_string(kVersion));
  }
  Manifest manifest;
  manifest.step = natural(json, "step");
  for (const Json& entry : member(json, "files", Type::array)) {
    manifest.files.push_back(parse_file(entry));
  }
  if (manifest.files.empty()) {
    throw ManifestProblem(std::string(kManifestName) + " lists no file");
  }
  return manifest;
}

Manifest read_manifest(const std::string& directory) {
  if (!is_directory(directory)) throw ManifestProblem("no such directory");
  const std::string path = join_path(directory, kManifestName);
  if (!exists(path)) {
    throw ManifestProblem(std::string("has no ") + kManifestName +
                          " (it is written last)");
  }
  try {
    return parse_manifest(
        parse_strict_json(read_file(path, kMaxManifestBytes)));
  } catch (const JsonSyntaxError& error) {
    throw ManifestProblem(std::string(kManifestName) + ", " + describe(error));
  } catch (const FileError& error) {
    throw ManifestProblem(error.what());
  }
}

/// Throws ManifestProblem, or FileError for a file that cannot be read.
void check_file(const std::string& directory, const FileDigest& expected,
                ManifestCheck check) {
  const std::string path = join_path(directory, expected.path);
  if (!exists(path)) throw ManifestProblem(expected.path + " is missing");
  const std::uint64_t bytes = file_bytes(path);
  if (bytes != expected.bytes) {
    throw ManifestProblem(expected.path + " has " + std::to_string(bytes) +
                          " bytes, the manifest says " +
                          std::to_string(expected.bytes));
  }
  if (check == ManifestCheck::kSizes) return;
  const std::string digest = digest_file(path).digest;
  if (digest == expected.digest) return;
  throw ManifestProblem(expected.path + " has the digest " + digest +
                        ", the manifest says " + expected.digest);
}

}  // namespace

void write_manifest(const std::string& directory, std::int64_t step) {
  std::vector<std::string> files;
  list_files(directory, "", files);
  if (files.empty()) {
    throw std::invalid_argument(directory + ": no file was written for step " +
                                std::to_string(step));
  }
  Json entries = Json::array();
  for (const std::string& file : files) {
    if (find_invalid_utf8(file) != std::string_view::npos) {
      throw std::invalid_argument(directory +
                                  ": a file name is not valid UTF-8");
    }
    const FileDigest found = digest_file(join_path(directory, file));
    entries.push_back(
        {{"path", file}, {"bytes", found.bytes}, {"xxh3_128", found.digest}});
  }
  Json manifest = Json::object();
  manifest["format"] = kFormat;
  manifest["version"] = kVersion;
  manifest["step"] = step;
  manifest["files"] = std::move(entries);
  write_file_atomically(join_path(directory, kManifestName),
                        manifest.dump(1) + "\n");
}

std::optional<std::string> problem_of_checkpoint(const std::string& directory,
                                                 ManifestCheck check) {
  try {
    const Manifest manifest = read_manifest(directory);
    // Sizes first: they tell a truncated file without reading the others.
    for (const FileDigest& file : manifest.files) {
      check_file(directory, file, ManifestCheck::kSizes);
    }
    if (check == ManifestCheck::kSizes) return std::nullopt;
    for (const FileDigest& file : manifest.files) {
      check_file(directory, file, check);
    }
  } catch (const ManifestProblem& problem) {
    return problem.what();
  } catch (const FileError& error) {
    return error.what();
  }
  return std::nullopt;
}

std::int64_t step_of_checkpoint(const std::string& directory) {
  try {
    return read_manifest(directory).step;
  } catch (const ManifestProblem& problem) {
    throw ModelError(directory +
                     ": is not a complete checkpoint: " + problem.what());
  }
}

}  // namespace longformer
