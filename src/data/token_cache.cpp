// SPDX-License-Identifier: MIT
#include "longformer/data/token_cache.h"

#include <chrono>
#include <filesystem>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "longformer/base/log.h"
#include "longformer/data/build_dataset.h"
#include "longformer/io/atomic_write.h"
#include "longformer/io/digest.h"
#include "longformer/io/file_lock.h"
#include "longformer/io/file_system.h"

#include "cache_entry.h"
#include "record_format.h"

namespace longformer {
namespace {

/// Changes whenever the same input would give another data set.
constexpr std::string_view kRules = "longformer token cache, rules 2";

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

/// Waits until no other process makes the entry at `path`, and keeps others
/// from it; empty, with a warning, if the folder cannot be written.
std::optional<FileLock> lock_entry(const std::string& directory,
                                   const std::string& path,
                                   const std::function<void()>& while_waiting) {
  bool told = false;
  while (true) {
    try {  // Not around the callback, whose errors are its own.
      if (!told) {
        create_directories(directory);
        recover_leftovers(directory);
      }
      if (auto lock = FileLock::try_take(path + ".lock")) return lock;
    } catch (const FileError& error) {
      log_warning(std::string("no token cache: ") + error.what() +
                  "; the next run will tokenise again");
      return std::nullopt;
    }
    if (!std::exchange(told, true)) {
      log_info("waiting for another process that tokenises the same data (" +
               path + ".lock)");
    }
    if (while_waiting) while_waiting();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
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

bool store(const std::string& path, const Dataset& dataset,
           const RecordReader& reader) {
  try {
    write_cache_entry(path, {dataset.columns(), reader.bad_rows(),
                             reader.replaced_sequences()});
    return true;
  } catch (const SystemError& error) {
    log_warning(std::string("the token cache was not written: ") +
                error.what() + "; the next run will tokenise again");
    return false;
  }
}

}  // namespace

TokenCache::TokenCache(std::string directory)
    : directory_(std::move(directory)) {}

Dataset TokenCache::load_or_build(RecordReader& reader,
                                  const Tokenizer* tokenizer,
                                  const EncodeOptions& options, int threads,
                                  const std::function<void()>& between_blocks,
                                  TokenCacheUse* use) const {
  TokenCacheUse ignored;
  if (use == nullptr) use = &ignored;
  *use = {};
  const auto build = [&] {
    return build_dataset(reader, tokenizer, options, threads, between_blocks);
  };
  if (!are_regular_files(reader.files())) return build();
  check_encode_options(options);
  const std::string path =
      join_path(directory_, key_of(reader, tokenizer, options) + ".tokens");
  auto found = find(path, reader, options, /*report_damage=*/true);
  std::optional<FileLock> lock;
  if (!found) {
    lock = lock_entry(directory_, path, between_blocks);
    if (!lock) return build();
    // Somebody else may have made it meanwhile.
    found = find(path, reader, options, /*report_damage=*/false);
  }
  if (found) {
    *use = {true, path};
    return *std::move(found);
  }
  Dataset dataset = build();
  if (store(path, dataset, reader)) use->entry = path;
  return dataset;
}

std::optional<Dataset> load_cached(const std::string& entry,
                                   std::vector<std::string> files,
                                   const EncodeOptions& options) {
  std::string problem;
  auto found = read_cache_entry(entry, problem);
  if (!found) return std::nullopt;
  found->columns.files = std::move(files);
  found->columns.options = options;
  return Dataset(std::move(found->columns));
}

}  // namespace longformer
