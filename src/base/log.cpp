// SPDX-License-Identifier: MIT
#include "longformer/base/log.h"

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "longformer/base/error.h"
#include "longformer/base/quoting.h"

namespace longformer {
namespace {

struct Log {
  std::mutex mutex;
  LogLevel level = LogLevel::kInfo;
  std::shared_ptr<spdlog::logger> logger;
  std::function<void()> prelude;
  std::function<void(LogLevel, std::string_view)> observer;

  Log() {
    auto sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
    sink->set_pattern("%H:%M:%S %L %v");
    logger = std::make_shared<spdlog::logger>("longformer", std::move(sink));
    logger->set_level(spdlog::level::trace);
    logger->flush_on(spdlog::level::trace);
  }
};

Log& instance() {
  // Never destroyed: messages may be written while static objects die.
  static Log* log = new Log;
  return *log;
}

spdlog::level::level_enum to_spdlog(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarning:
      return spdlog::level::warn;
    case LogLevel::kError:
      break;
  }
  return spdlog::level::err;
}

void write(LogLevel level, std::string_view message) {
  Log& log = instance();
  const std::lock_guard<std::mutex> lock(log.mutex);
  if (level < log.level) return;
  if (log.prelude) log.prelude();
  // File names and values of options come from outside.
  log.logger->log(to_spdlog(level), "{}", printable(message));
  if (log.observer) log.observer(level, message);
}

}  // namespace

void log_debug(std::string_view message) { write(LogLevel::kDebug, message); }
void log_info(std::string_view message) { write(LogLevel::kInfo, message); }
void log_warning(std::string_view message) {
  write(LogLevel::kWarning, message);
}
void log_error(std::string_view message) { write(LogLevel::kError, message); }

void set_log_level(LogLevel level) {
  Log& log = instance();
  const std::lock_guard<std::mutex> lock(log.mutex);
  log.level = level;
}

void add_log_file(const std::string& path) {
  Log& log = instance();
  const std::lock_guard<std::mutex> lock(log.mutex);
  try {
    auto sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(path);
    sink->set_pattern("%Y-%m-%dT%H:%M:%S.%e %L %v");
    log.logger->sinks().push_back(std::move(sink));
  } catch (const spdlog::spdlog_ex& error) {
    throw SystemError(path + ": cannot be opened for the log: " + error.what() +
                      "; check the folder and its permissions");
  }
}

void set_log_prelude(std::function<void()> prelude) {
  Log& log = instance();
  const std::lock_guard<std::mutex> lock(log.mutex);
  log.prelude = std::move(prelude);
}

void set_log_observer(
    std::function<void(LogLevel, std::string_view)> observer) {
  Log& log = instance();
  const std::lock_guard<std::mutex> lock(log.mutex);
  log.observer = std::move(observer);
}

}  // namespace longformer
