// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "longformer/base/strict_json.h"
#include "longformer/io/digest.h"

namespace longformer {

/// Its name in the output_dir of a run.
inline constexpr const char* kMetricsLogName = "metrics.jsonl";

/// metrics.jsonl: one JSON object a line, for each optimizer step and each
/// validation, in the order of the run.
///
/// Every record has an integer "step": the number of optimizer steps taken
/// before it was written. A run that validates at a step logs that before it
/// saves the checkpoint of the step, so that a resumed run neither repeats nor
/// loses the line.
///
/// Threads: from one thread at a time.
/// Invariants: whatever kills the process, all lines but the last are whole.
/// A record that could not be written in full is taken back.
class MetricsLog {
 public:
  /// Opens the file at `path`. Without `resume_step` it starts empty. With it,
  /// the lines of later steps, a torn last line, and lines that are not records
  /// are removed (the last with a warning); the rest stays byte for byte. A
  /// file that is missing, or ends before that step, is warned of.
  ///
  /// Throws SystemError if the file cannot be read or written.
  explicit MetricsLog(std::string path,
                      std::optional<std::int64_t> resume_step = std::nullopt);
  ~MetricsLog();
  MetricsLog(const MetricsLog&) = delete;
  MetricsLog& operator=(const MetricsLog&) = delete;

  /// Appends one line with a single write. Numbers read back as they were;
  /// those that are not finite become null. `record` is an object with an
  /// integer "step" (std::invalid_argument otherwise).
  ///
  /// Throws SystemError if the line cannot be written, or as check_in_place().
  void append(const Json& record);

  /// Throws SystemError if the file is no longer there under its name: it, or
  /// the folder of the run, was removed or renamed, so that whatever is written
  /// now would be lost.
  void check_in_place() const;

  /// Makes all lines durable; before a checkpoint that counts on them.
  /// Throws SystemError.
  void sync();

  /// Digest of all lines so far. A checkpoint keeps it, so that a resumed run
  /// notices when the file is not the one that belongs to it.
  std::string digest() const { return digest_.hex(); }

 private:
  /// Returns the last step that the file holds then, 0 if none.
  std::int64_t keep_until(std::int64_t resume_step);

  std::string path_;
  int descriptor_ = -1;
  std::int64_t bytes_ = 0;
  Digest digest_;
};

}  // namespace longformer
