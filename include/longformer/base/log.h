// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace longformer {

/// The program's log: one line an event, on standard error. The only
/// process-wide object. Standard output belongs to results.
///
/// Threads: all functions may be called from any thread.
enum class LogLevel { kDebug, kInfo, kWarning, kError };

void log_info(std::string_view message);
void log_warning(std::string_view message);
void log_error(std::string_view message);
void log_debug(std::string_view message);

/// Messages below `level` are dropped. Initially kInfo.
void set_log_level(LogLevel level);

/// Also appends every message (with a time stamp) to the file at `path`.
/// Throws SystemError if it cannot be opened.
void add_log_file(const std::string& path);

/// Called before every message that is not dropped, so that a progress display
/// can clear its line. It must not log. An empty function removes it.
void set_log_prelude(std::function<void()> prelude);

/// Sets the prelude for the lifetime of the object.
class LogPrelude {
 public:
  explicit LogPrelude(std::function<void()> prelude) {
    set_log_prelude(std::move(prelude));
  }
  ~LogPrelude() { set_log_prelude({}); }
  LogPrelude(const LogPrelude&) = delete;
  LogPrelude& operator=(const LogPrelude&) = delete;
};

/// Called with every message that is not dropped, after it was written; for
/// tests and for progress displays. An empty function removes the observer.
void set_log_observer(std::function<void(LogLevel, std::string_view)> observer);

}  // namespace longformer
