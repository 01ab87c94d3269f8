// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "longformer/data/dataset.h"
#include "longformer/data/record_reader.h"

namespace longformer {

/// What TokenCache::load_or_build() did.
struct TokenCacheUse {
  bool hit = false;   ///< The entry was there.
  std::string entry;  ///< Its file; "" if it could not be written.
};

/// Data sets on disk, so that a second run does not tokenise again.
///
/// An entry is one file, found by a digest of the input files' content, of the
/// tokenizer and of every setting that can change a token or a row. It appears
/// by one rename, is mapped, and carries a digest of itself: damaged or
/// outdated entries are rebuilt. Of several processes that want the same entry
/// one writes it while the others wait. The folder may be deleted at any time.
///
/// Threads: one at a time per object; any number of processes.
class TokenCache {
 public:
  /// `directory` is made when the first entry is written.
  explicit TokenCache(std::string directory);

  /// The data set of the reader's files: mapped from the cache, or built by
  /// build_dataset and then stored. Standard input and pipes are never cached.
  /// A cache that cannot be written costs a warning, not the run.
  ///
  /// `reader` must not have been read from. `between_blocks`: as in
  /// build_dataset; also called while waiting for another process. `use`, if
  /// given, tells what came of it.
  ///
  /// Throws what build_dataset throws.
  Dataset load_or_build(RecordReader& reader, const Tokenizer* tokenizer,
                        const EncodeOptions& options, int threads,
                        const std::function<void()>& between_blocks = {},
                        TokenCacheUse* use = nullptr) const;

 private:
  std::string directory_;
};

/// The data set of an entry that another process of the job has found or
/// written, without a look at the input; nothing if it is not there whole.
std::optional<Dataset> load_cached(const std::string& entry,
                                   std::vector<std::string> files,
                                   const EncodeOptions& options);

}  // namespace longformer
