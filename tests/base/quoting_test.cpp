// SPDX-License-Identifier: MIT
#include "longformer/base/quoting.h"

#include <gtest/gtest.h>

namespace longformer::test {
namespace {

TEST(QuotingTest, NothingThatCommandsATerminalIsPrintable) {
  EXPECT_EQ(printable("a\x1B[31mb\x7F\r"), "a\\x1b[31mb\\x7f\\x0d");
  EXPECT_EQ(printable("\xC2\x9B"), "\\x9b");
  EXPECT_EQ(printable(std::string_view("\0", 1)), "\\x00");
}

TEST(QuotingTest, TextStaysPrintable) {
  EXPECT_EQ(printable("a\tb\nc \xC3\xA9 \xC2\xA0 \xE2\x82\xAC"),
            "a\tb\nc \xC3\xA9 \xC2\xA0 \xE2\x82\xAC");
  EXPECT_EQ(printable("a\xFFz"), "a\xEF\xBF\xBDz");
}

}  // namespace
}  // namespace longformer::test
