// SPDX-License-Identifier: MIT
#include "longformer/data/token_cache.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "longformer/base/log.h"
#include "longformer/data/build_dataset.h"
#include "longformer/io/atomic_write.h"
#include "longformer/io/digest.h"
#include "longformer/io/file_system.h"

#include "cache_entry.h"
#include "record_format.h"

namespace longformer {
namespace {

/// Changes whenever the same input would give another data set.
constexpr std::string_view kRules = "longformer token cache, rules 1";

bool are_regular_files(const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(file, ignored)) return false;
  }
  return true;
}

std::string key_of(const RecordReader& reader, const Tokenizer* tokenizer,
                   const EncodeOptions& options) {
  const ReaderSettings& s = reader.settings();
  Json key;
  key["rules"] = kRules;
  key["tokenizer"] = tokenizer == nullptr ? 0 : tokenizer->fingerprint();
  key["reading"] = {s.reading.text_column,  s.reading.text_pair_column,
                    s.reading.data_format,  s.reading.csv_delimiter,
                    s.reading.csv_quote,    s.reading.encoding,
                    s.reading.max_bad_rows, s.label_column,
                    s.require_label,        s.allow_empty_label};
  key["encoding"] = {options.max_length,      options.vocab_size,
                     options.type_vocab_size, options.max_position_embeddings,
                     options.pad_token_id,    options.global_policy};
  Json& files = key["files"] = Json::array();
  for (const std::string& path : reader.files()) {
    const FileDigest digest = digest_file(path);
    // The ending of the name can decide the format.
    files.push_back({digest.bytes, digest.digest, format_of_name(path)});
  }
  return digest_of(key.dump());
}

/// Holds a lock file; other processes wait for it. Released by the system when
/// the process dies.
class EntryLock {
 public:
  /// Why there can be no lock; not an exception of the callback.
  struct Failure {
    int error_number = 0;
  };

  /// Throws Failure if the file cannot be made or locked.
  EntryLock(std::string path, const std::function<void()>& while_waiting)
      : path_(std::move(path)) {
    bool told = false;
    while (!try_lock()) {
      if (!std::exchange(told, true)) {
        log_info("waiting for another process that tokenises the same data (" +
                 path_ + ")");
      }
      if (while_waiting) while_waiting();
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  }
  ~EntryLock() {
    if (descriptor_ < 0) return;
    unlink(path_.c_str());  // Before unlocking: who waits opens a new one.
    close(descriptor_);
  }
  EntryLock(const EntryLock&) = delete;
  EntryLock& operator=(const EntryLock&) = delete;

 private:
  bool try_lock() {
    const int descriptor =
        open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor < 0) throw Failure{errno};
    if (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
      const int reason = errno;
      close(descriptor);
      if (reason == EWOULDBLOCK || reason == EINTR) return false;
      throw Failure{reason};  // For example a file system without locks.
    }
    struct stat held {};
    struct stat named {};
    // The file may have been removed by its last holder after it was opened.
    if (fstat(descriptor, &held) == 0 && stat(path_.c_str(), &named) == 0 &&
        held.st_ino == named.st_ino && held.st_dev == named.st_dev) {
      descriptor_ = descriptor;
      return true;
    }
    close(descriptor);
    return false;
  }

  std::string path_;
  int descriptor_ = -1;
};

std::unique_ptr<EntryLock> lock_entry(
    const std::string& directory, const std::string& path,
    const std::function<void()>& while_waiting) {
  std::string reason;
  try {
    create_directories(directory);
    recover_leftovers(directory);
  } catch (const FileError& error) {
    reason = error.what();
  }
  try {
    if (reason.empty()) {
      return std::make_unique<EntryLock>(path + ".lock", while_waiting);
    }
  } catch (const EntryLock::Failure& failure) {
    reason = directory + " cannot be written or locked: " +
             std::generic_category().message(failure.error_number);
  }
  log_warning("no token cache: " + reason +
              "; the next run will tokenise again");
  return nullptr;
}

/// The entry at `path` as the data set of `reader`'s files.
std::optional<Dataset> find(const std::string& path, const RecordReader& reader,
                            const EncodeOptions& options, bool report_damage) {
  std::string problem;
  auto entry = read_cache_entry(path, problem);
  if (!problem.empty() && report_damage) {
    log_warning(path + ": this token cache entry is built anew: " + problem);
  }
  if (!entry) return std::nullopt;
  if (entry->bad_rows > 0 || entry->replaced_sequences > 0) {
    log_warning(
        "the data in the token cache lacks " + std::to_string(entry->bad_rows) +
        " unusable rows and has " + std::to_string(entry->replaced_sequences) +
        " ill-formed characters replaced; delete " + path + " to see where");
  }
  entry->columns.files = reader.files();
  entry->columns.options = options;
  return Dataset(std::move(entry->columns));
}

void store(const std::string& path, const Dataset& dataset,
           const RecordReader& reader) {
  try {
    write_cache_entry(path, {dataset.columns(), reader.bad_rows(),
                             reader.replaced_sequences()});
  } catch (const SystemError& error) {
    log_warning(std::string("the token cache was not written: ") +
                error.what() + "; the next run will tokenise again");
  }
}

}  // namespace

TokenCache::TokenCache(std::string directory)
    : directory_(std::move(directory)) {}

Dataset TokenCache::load_or_build(RecordReader& reader,
                                  const Tokenizer* tokenizer,
                                  const EncodeOptions& options, int threads,
                                  const std::function<void()>& between_blocks,
                                  bool* hit) const {
  if (hit != nullptr) *hit = false;
  const auto build = [&] {
    return build_dataset(reader, tokenizer, options, threads, between_blocks);
  };
  if (!are_regular_files(reader.files())) return build();
  check_encode_options(options);
  const std::string path =
      join_path(directory_, key_of(reader, tokenizer, options) + ".tokens");
  auto found = find(path, reader, options, /*report_damage=*/true);
  std::unique_ptr<EntryLock> lock;
  if (!found) {
    lock = lock_entry(directory_, path, between_blocks);
    if (!lock) return build();
    // Somebody else may have made it meanwhile.
    found = find(path, reader, options, /*report_damage=*/false);
  }
  if (found) {
    if (hit != nullptr) *hit = true;
    return *std::move(found);
  }
  Dataset dataset = build();
  store(path, dataset, reader);
  return dataset;
}

}  // namespace longformer
