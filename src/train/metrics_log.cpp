// SPDX-License-Identifier: MIT
#include "longformer/train/metrics_log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

#include "longformer/base/error.h"
#include "longformer/base/log.h"
#include "longformer/io/atomic_write.h"
#include "longformer/io/file_system.h"

namespace longformer {
namespace {

[[noreturn]] void fail(const std::string& path, const std::string& action,
                       int error_number) {
  throw FileError(path + ": cannot " + action + ": " +
                      std::generic_category().message(error_number) +
                      "; make room or fix the permissions, then continue with "
                      "resume = auto",
                  error_number);
}

/// The step of a record; empty if the line is none.
std::optional<std::int64_t> step_of_line(const std::string& line) {
  try {
    const Json record = parse_strict_json(line);
    if (!record.is_object()) return std::nullopt;
    const auto step = record.find("step");
    if (step == record.end() || !step->is_number_integer()) return std::nullopt;
    return step->get<std::int64_t>();
  } catch (const JsonSyntaxError&) {
    return std::nullopt;
  }
}

}  // namespace

MetricsLog::MetricsLog(std::string path,
                       std::optional<std::int64_t> resume_step)
    : path_(std::move(path)) {
  if (resume_step) {
    const std::int64_t last = exists(path_) ? keep_until(*resume_step) : 0;
    if (last < *resume_step) {
      log_warning(path_ +
                  (last > 0 ? ": ends at step " + std::to_string(last)
                            : ": holds no step") +
                  ", but the checkpoint is of step " +
                  std::to_string(*resume_step) +
                  ": the lines in between are lost; the run goes on without "
                  "them");
    }
  }
  const int emptied = resume_step ? 0 : O_TRUNC;
  descriptor_ = ::open(
      path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | emptied, 0666);
  if (descriptor_ < 0) fail(path_, "open for writing", errno);
  bytes_ = ::lseek(descriptor_, 0, SEEK_END);
}

MetricsLog::~MetricsLog() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::int64_t MetricsLog::keep_until(std::int64_t resume_step) {
  std::ifstream lines(path_, std::ios::binary);
  if (!lines) fail(path_, "open for reading", errno);
  AtomicFile kept(path_);
  std::string line;
  std::int64_t damaged = 0;
  std::int64_t last_step = 0;
  bool is_changed = false;
  while (std::getline(lines, line)) {
    const bool is_torn = lines.eof();  // The last line has no end.
    const std::optional<std::int64_t> step = step_of_line(line);
    is_changed |= is_torn || !step || *step > resume_step;
    if (!step && !is_torn) ++damaged;
    if (!step || *step > resume_step) continue;
    last_step = std::max(last_step, *step);
    line += '\n';
    kept.write(line);
    digest_.update(line);
  }
  if (lines.bad()) fail(path_, "read", errno);
  if (damaged > 0) {
    log_warning(path_ + ": " + std::to_string(damaged) +
                " damaged lines were removed");
  }
  if (is_changed) kept.commit();
  return last_step;
}

void MetricsLog::check_in_place() const {
  if (is_file_at(descriptor_, path_)) return;
  throw FileError(path_ +
                      ": was removed or renamed during the run, or the folder "
                      "that holds it; start the run again, and leave its "
                      "output_dir alone until it has ended",
                  ENOENT);
}

void MetricsLog::append(const Json& record) {
  if (!record.is_object() || !record.contains("step") ||
      !record["step"].is_number_integer()) {
    throw std::invalid_argument(path_ + ": a record needs an integer \"step\"");
  }
  check_in_place();
  // dump() turns numbers that are not finite into null and writes the others
  // with as many digits as it takes to read the same number back.
  const std::string line =
      record.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  std::string_view rest = line;
  while (!rest.empty()) {
    const ssize_t written = ::write(descriptor_, rest.data(), rest.size());
    if (written < 0) {
      const int error_number = errno;
      if (error_number == EINTR) continue;
      if (::ftruncate(descriptor_, bytes_) != 0) {
        log_warning(path_ + ": may end in half a line");
      }
      fail(path_, "append a line", error_number);
    }
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  bytes_ += static_cast<std::int64_t>(line.size());
  digest_.update(line);
}

void MetricsLog::sync() {
  if (::fsync(descriptor_) != 0) fail(path_, "sync", errno);
}

}  // namespace longformer
