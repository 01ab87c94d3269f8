// SPDX-License-Identifier: MIT
#include "longformer/launch/failure_report.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <string>

#include <gtest/gtest.h>

#include "longformer/base/strict_json.h"
#include "longformer/base/utf8.h"

#include "support/temp_dir.h"

namespace longformer {
namespace {

/// What arrives at the other end of a pipe.
std::string sent(const FailureReport& report) {
  std::array<int, 2> ends{};
  EXPECT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
  EXPECT_TRUE(send_failure_report(ends[1], report));
  close(ends[1]);
  std::string text(1 << 16, '\0');
  const ssize_t count = read(ends[0], text.data(), text.size());
  close(ends[0]);
  text.resize(count < 0 ? 0 : static_cast<std::size_t>(count));
  return text;
}

TEST(FailureReportTest, ArrivesAsItWasSent) {
  const FailureReport report{5, "does not fit:\n  8 GB"};
  EXPECT_EQ(parse_failure_report(sent(report)), report);
  EXPECT_EQ(parse_failure_report(sent({0, ""})), (FailureReport{0, ""}));
}

TEST(FailureReportTest, LongMessagesAreCutBetweenCharacters) {
  std::string message = "x";
  for (int i = 0; i < 5000; ++i) message += "\xE2\x82\xAC";
  const auto report = parse_failure_report(sent({1, message}));
  ASSERT_TRUE(report.has_value());
  EXPECT_GT(report->message.size(), 3000U);
  EXPECT_EQ(find_invalid_utf8(report->message), std::string::npos);
  EXPECT_EQ(message.compare(0, report->message.size(), report->message), 0);
}

TEST(FailureReportTest, ClosedDescriptorsAreNoError) {
  EXPECT_FALSE(send_failure_report(-1, {1, "x"}));
}

TEST(FailureReportTest, OtherTextIsNoReport) {
  for (const char* text : {"", "3", "x\nmessage", "-1\nmessage", "256\nm"}) {
    EXPECT_FALSE(parse_failure_report(text).has_value()) << text;
  }
}

TEST(FailureReportTest, WritesTheFileThatTorchrunReads) {
  const test::TempDir folder;
  const std::string path = (folder / "error.json").string();
  write_torchrun_error_file(path, {3, "row 7: \xff"}, 1700000000);
  const Json file = parse_strict_json(test::read_file(path));
  EXPECT_EQ(file["message"]["message"], "row 7: \xEF\xBF\xBD");
  EXPECT_EQ(file["message"]["extraInfo"]["timestamp"], "1700000000");
  // Otherwise the agent would show the trace instead of the message.
  EXPECT_FALSE(file["message"]["extraInfo"].contains("py_callstack"));
}

}  // namespace
}  // namespace longformer
