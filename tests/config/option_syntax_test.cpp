// SPDX-License-Identifier: MIT
// Options whose text has a syntax of its own: devices and CSV characters.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longformer/base/error.h"
#include "longformer/config/csv_dialect.h"
#include "longformer/config/device_request.h"

namespace longformer {
namespace {

using testing::ElementsAre;

TEST(DeviceRequestTest, ReadsWordsAndNumbers) {
  EXPECT_EQ(parse_devices("auto").kind, DeviceRequest::Kind::kAuto);
  EXPECT_EQ(parse_devices("cpu").kind, DeviceRequest::Kind::kCpu);
  EXPECT_EQ(parse_devices("0").kind, DeviceRequest::Kind::kGpus);
  EXPECT_THAT(parse_devices("3,0, 1").gpus, ElementsAre(3, 0, 1));
}

TEST(DeviceRequestTest, RefusesEverythingElse) {
  for (const char* text : {"", "gpu", "-1", "0,", ",0", "0,0", "1.5", "0 1",
                           "9999999999", "cuda:0", "CPU"}) {
    EXPECT_THROW(parse_devices(text), ConfigError) << text;
  }
}

TEST(CsvDialectTest, ReadsNamesAndCharacters) {
  EXPECT_EQ(csv_delimiter_of("auto"), CsvCharacter{});
  const auto character = [](char letter) {
    return CsvCharacter{CsvCharacter::Kind::kCharacter, letter};
  };
  EXPECT_EQ(csv_delimiter_of("tab"), character('\t'));
  EXPECT_EQ(csv_delimiter_of("\t"), character('\t'));
  EXPECT_EQ(csv_delimiter_of("\\t"), character('\t'));
  EXPECT_EQ(csv_delimiter_of("semicolon"), character(';'));
  EXPECT_EQ(csv_delimiter_of(";"), character(';'));
  EXPECT_EQ(csv_delimiter_of(" "), character(' '));
  EXPECT_EQ(csv_quote_of("'"), character('\''));
  EXPECT_EQ(csv_quote_of("none")->kind, CsvCharacter::Kind::kNone);
  EXPECT_EQ(csv_quote_of("auto")->kind, CsvCharacter::Kind::kAuto);
}

TEST(CsvDialectTest, RefusesWhatCannotSeparateFields) {
  for (const char* text : {"", "ab", "\n", "\r", "ü", "none"}) {
    EXPECT_EQ(csv_delimiter_of(text), std::nullopt) << text;
  }
  for (const char* text : {"", "ab", "\n", "ü", "tab"}) {
    EXPECT_EQ(csv_quote_of(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace longformer
