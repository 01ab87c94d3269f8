// SPDX-License-Identifier: MIT
#include "longformer/launch/failure_report.h"

#include <unistd.h>

#include <cerrno>

#include <climits>

#include "longformer/base/strict_json.h"
#include "longformer/base/utf8.h"
#include "longformer/io/atomic_write.h"

#include "launch_variables.h"
#include "limited_text.h"

namespace longformer {

bool send_failure_report(int descriptor, const FailureReport& report) {
  constexpr std::size_t kMaxMessage = 3072;
  const std::string text = std::to_string(report.exit_code) + "\n" +
                           limited_text(report.message, kMaxMessage);
  // Within this limit a pipe takes all or nothing.
  static_assert(kMaxMessage + 16 <= PIPE_BUF);
  ssize_t written = 0;
  do {
    written = write(descriptor, text.data(), text.size());
  } while (written < 0 && errno == EINTR);
  return written == static_cast<ssize_t>(text.size());
}

std::optional<FailureReport> parse_failure_report(std::string_view text) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  const auto code = whole_number(text.substr(0, end), 0, 255);
  if (!code) return std::nullopt;
  return FailureReport{*code, std::string(text.substr(end + 1))};
}

void write_torchrun_error_file(const std::string& path,
                               const FailureReport& report,
                               std::int64_t time_s) {
  const Json file = {
      {"message",
       {{"message", replace_invalid_utf8(report.message)},
        {"extraInfo",
         // With a trace of Python the agent would show that instead.
         {{"timestamp", std::to_string(time_s)}}}}},
      {"exit_code", report.exit_code}};
  write_file_atomically(path, file.dump() + "\n");
}

}  // namespace longformer
