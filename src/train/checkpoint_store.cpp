// SPDX-License-Identifier: MIT
#include "longformer/train/checkpoint_store.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <system_error>
#include <utility>

#include "longformer/base/error.h"
#include "longformer/base/log.h"
#include "longformer/io/atomic_write.h"
#include "longformer/io/file_system.h"
#include "longformer/train/checkpoint_manifest.h"

namespace longformer {
namespace {

constexpr std::string_view kStepMark = "step-";
constexpr std::string_view kDeletedMark = ".deleted";
constexpr std::string_view kSupersededMark = ".superseded";

/// "step-000123"
std::string directory_name(std::int64_t step) {
  std::string digits = std::to_string(step);
  if (digits.size() < 6) digits.insert(0, 6 - digits.size(), '0');
  return std::string(kStepMark) + digits;
}

/// The step of a directory with exactly the name it would be given.
std::optional<std::int64_t> step_of_name(std::string_view name) {
  if (!name.starts_with(kStepMark)) return std::nullopt;
  std::int64_t step = 0;
  const auto [end, error] = std::from_chars(name.data() + kStepMark.size(),
                                            name.data() + name.size(), step);
  if (error != std::errc() || end != name.data() + name.size() || step < 0 ||
      directory_name(step) != name) {
    return std::nullopt;
  }
  return step;
}

void rename_directory(const std::string& from, const std::string& to) {
  std::error_code error;
  std::filesystem::rename(from, to, error);
  if (error) {
    throw SystemError(from + ": cannot be renamed to " + to + ": " +
                      error.message());
  }
}

/// In two steps, so that a checkpoint is there as a whole or not at all.
void delete_directory(const std::string& path) {
  const std::string deleted = path + std::string(kDeletedMark);
  remove_tree(deleted);
  rename_directory(path, deleted);
  remove_tree(deleted);
}

}  // namespace

CheckpointStore::CheckpointStore(std::string root) : root_(std::move(root)) {}

std::string CheckpointStore::directory_of(std::int64_t step) const {
  return join_path(root_, directory_name(step));
}

std::string CheckpointStore::save(
    std::int64_t step,
    const std::function<void(const std::string& directory)>& write_files) {
  const std::string path = directory_of(step);
  AtomicDirectory checkpoint(path, IfExists::kReplace);
  write_files(checkpoint.path());
  write_manifest(checkpoint.path(), step);
  checkpoint.commit();
  return path;
}

std::vector<std::int64_t> CheckpointStore::steps() const {
  std::vector<std::int64_t> steps;
  if (!is_directory(root_)) return steps;
  for (const DirectoryEntry& entry : list_directory(root_)) {
    const auto step = step_of_name(entry.name);
    if (step && entry.is_directory) steps.push_back(*step);
  }
  std::sort(steps.begin(), steps.end());
  return steps;
}

std::optional<Checkpoint> CheckpointStore::newest_valid() const {
  std::vector<std::int64_t> candidates = steps();
  std::reverse(candidates.begin(), candidates.end());
  for (const std::int64_t step : candidates) {
    const std::string path = directory_of(step);
    std::optional<std::string> problem = problem_of_checkpoint(path);
    if (!problem && step_of_checkpoint(path) != step) {
      problem =
          "its manifest is of step " + std::to_string(step_of_checkpoint(path));
    }
    if (!problem) return Checkpoint{step, path};
    log_warning(path + ": skipped, because it is not a complete checkpoint: " +
                *problem + "; it is left as it is");
  }
  return std::nullopt;
}

std::optional<Checkpoint> CheckpointStore::find(std::string_view resume,
                                                ManifestCheck check) const {
  if (resume == "none") return std::nullopt;
  if (resume == "auto") return newest_or_none_at_all();
  if (resume == "auto_or_restart") return newest_valid();
  const std::string path(resume);
  if (const auto problem = problem_of_checkpoint(path, check)) {
    throw ModelError(path + ": is not a complete checkpoint: " + *problem +
                     "; give the directory of a complete one (step-...), or "
                     "resume = auto for the newest in the output directory");
  }
  return Checkpoint{step_of_checkpoint(path), path};
}

/// To start anew beside checkpoints that cannot be read would replace what may
/// still be saved.
std::optional<Checkpoint> CheckpointStore::newest_or_none_at_all() const {
  const auto newest = newest_valid();
  const std::size_t count = steps().size();
  if (newest || count == 0) return newest;
  throw ModelError(root_ + ": " +
                   (count == 1
                        ? "the only checkpoint is"
                        : "all " + std::to_string(count) + " checkpoints are") +
                   " damaged (see the warnings above); put one back from a "
                   "copy, or delete " +
                   root_ + " to start the run again from its first step");
}

void CheckpointStore::prune(std::int64_t keep,
                            std::optional<std::int64_t> best_step) {
  std::vector<std::int64_t> candidates = steps();
  std::reverse(candidates.begin(), candidates.end());
  std::int64_t complete = 0;
  for (const std::int64_t step : candidates) {
    const std::string path = directory_of(step);
    if (problem_of_checkpoint(path, ManifestCheck::kSizes)) continue;
    ++complete;
    if (complete > std::max<std::int64_t>(keep, 1) && step != best_step) {
      delete_directory(path);
    }
  }
}

void CheckpointStore::set_aside_after(std::int64_t step) {
  for (const std::int64_t later : steps()) {
    if (later <= step) continue;
    const std::string path = directory_of(later);
    std::string aside = path + std::string(kSupersededMark);
    for (int number = 2; exists(aside); ++number) {
      aside =
          path + std::string(kSupersededMark) + "-" + std::to_string(number);
    }
    rename_directory(path, aside);
    log_info(path + ": renamed to " + file_name(aside) +
             ", because this run continues from step " + std::to_string(step));
  }
}

void CheckpointStore::remove_leftovers() {
  if (!is_directory(root_)) return;
  recover_leftovers(root_);
  for (const DirectoryEntry& entry : list_directory(root_)) {
    const std::string_view name = entry.name;
    if (name.ends_with(kDeletedMark) &&
        step_of_name(name.substr(0, name.size() - kDeletedMark.size()))) {
      remove_tree(join_path(root_, entry.name));
    }
  }
}

}  // namespace longformer
