// SPDX-License-Identifier: MIT
#include "longformer/data/input_files.h"

#include <glob.h>
#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "longformer/base/error.h"
#include "longformer/io/file_system.h"

#include "record_format.h"

namespace longformer {
namespace {

/// Files below `directory`, in order of their paths.
void collect_files(const std::string& directory,
                   std::vector<std::string>& files) {
  for (const DirectoryEntry& entry : list_directory(directory)) {
    if (entry.name.starts_with('.') || entry.name.starts_with('_')) continue;
    const std::string path = join_path(directory, entry.name);
    if (entry.is_directory) {
      collect_files(path, files);
    } else {
      files.push_back(path);
    }
  }
}

std::vector<std::string> files_of_directory(const std::string& directory) {
  std::vector<std::string> all;
  collect_files(directory, all);
  std::sort(all.begin(), all.end());
  std::vector<std::string> known;
  std::copy_if(all.begin(), all.end(), std::back_inserter(known),
               [](const std::string& path) {
                 return format_of_name(path) != DataFormat::kAuto;
               });
  if (!known.empty()) return known;
  if (all.empty()) {
    throw DataError(directory +
                    ": the folder holds no data files; put .jsonl, .json, .csv "
                    "or .tsv files (also .gz) there, or name a file");
  }
  return all;
}

bool is_pattern(const std::string& text) {
  return text.find_first_of("*?[") != std::string::npos;
}

std::vector<std::string> files_of_pattern(const std::string& pattern) {
  glob_t matches{};
  const int status = glob(pattern.c_str(), GLOB_NOSORT, nullptr, &matches);
  std::vector<std::string> paths(
      matches.gl_pathv,
      matches.gl_pathv + (status == 0 ? matches.gl_pathc : 0));
  globfree(&matches);
  std::erase_if(paths,
                [](const std::string& path) { return is_directory(path); });
  if (paths.empty()) {
    throw DataError(pattern + ": no file matches the pattern; check the path");
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::vector<std::string> files_of(const std::string& input) {
  if (input.empty()) {
    throw DataError("the name of a data file is empty; give a path");
  }
  if (is_directory(input)) return files_of_directory(input);
  if (exists(input) || !is_pattern(input)) {
    if (!exists(input)) {
      throw DataError(input +
                      ": there is no such file or folder; check the path");
    }
    return {input};
  }
  return files_of_pattern(input);
}

}  // namespace

std::string shared_file(const std::vector<std::string>& some,
                        const std::vector<std::string>& others) {
  std::set<FileIdentity> known;
  for (const std::string& path : some) {
    if (const auto identity = file_identity(path)) known.insert(*identity);
  }
  for (const std::string& path : others) {
    const auto identity = file_identity(path);
    if (identity && known.contains(*identity)) return path;
  }
  return "";
}

std::vector<std::string> expand_inputs(const std::vector<std::string>& inputs) {
  std::vector<std::string> files;
  for (const std::string& input : inputs) {
    if (input == "-") {
      if (inputs.size() > 1) {
        throw DataError(
            "\"-\" (standard input) cannot be combined with other data files; "
            "give it alone");
      }
      return {input};
    }
    const auto found = files_of(input);
    files.insert(files.end(), found.begin(), found.end());
  }
  std::map<FileIdentity, std::string> seen;
  for (const std::string& file : files) {
    const auto identity = file_identity(file);
    if (!identity) continue;
    const auto [first, is_new] = seen.emplace(*identity, file);
    if (is_new) continue;
    throw DataError(file +
                    (first->second == file
                         ? ": would be read twice"
                         : ": is the same file as " + first->second) +
                    "; name each data file once");
  }
  if (files.empty()) throw DataError("no data file was given");
  return files;
}

}  // namespace longformer
