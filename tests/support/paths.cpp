// SPDX-License-Identifier: MIT
#include "support/paths.h"

#include <cstdlib>
#include <string>

namespace longformer::test {
namespace {

// An empty value counts as unset, as in the shell scripts.
std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

}  // namespace

std::filesystem::path longformer_binary() { return LONGFORMER_BINARY; }

std::filesystem::path source_dir() { return LONGFORMER_SOURCE_DIR; }

std::filesystem::path cache_dir() {
  if (auto dir = environment("LONGFORMER_CACHE_DIR"); !dir.empty()) {
    return dir;
  }
  if (auto dir = environment("XDG_CACHE_HOME"); !dir.empty()) {
    return std::filesystem::path(dir) / "longformer";
  }
  return std::filesystem::path(environment("HOME")) / ".cache" / "longformer";
}

std::filesystem::path man_pages_dir() {
  return cache_dir() / "manpages" / "usr" / "share" / "man";
}

std::filesystem::path peer_python() {
  return cache_dir() / "peer" / "bin" / "python";
}

}  // namespace longformer::test
