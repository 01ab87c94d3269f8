// SPDX-License-Identifier: MIT
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longformer/base/error.h"
#include "longformer/io/file_system.h"
#include "longformer/io/half.h"
#include "longformer/io/safetensors_writer.h"
#include "longformer/io/weight_file.h"

#include "io/weight_builder.h"
#include "support/temp_dir.h"

namespace longformer {
namespace {

using test::bytes_of;
using test::counting_floats;
using test::safetensors_bytes;
using ::testing::AllOf;
using ::testing::HasSubstr;

class SafetensorsTest : public ::testing::Test {
 protected:
  std::string write(const std::string& content) {
    return dir_.write("model.safetensors", content).string();
  }

  /// The message with which a header with `data_bytes` of data is refused.
  std::string refusal(const std::string& header, int data_bytes = 16) {
    return refusal_of(safetensors_bytes(header, std::string(data_bytes, '\0')));
  }

  std::string refusal_of(const std::string& content) {
    try {
      WeightFile::open(write(content));
    } catch (const ModelError& error) {
      EXPECT_THAT(error.what(), HasSubstr("model.safetensors"));
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
      return error.what();
    }
    return "accepted";
  }

  bool is_accepted(const std::string& header, int data_bytes = 16) {
    return refusal(header, data_bytes) == "accepted";
  }

  test::TempDir dir_;
};

/// A header of one tensor "t".
std::string one(const std::string& dtype, const std::string& shape,
                const std::string& offsets) {
  return R"({"t":{"dtype":")" + dtype + R"(","shape":)" + shape +
         R"(,"data_offsets":)" + offsets + "}}";
}

TEST_F(SafetensorsTest, ReadsNamesShapesAndBytes) {
  const std::string header =
      R"({"b":{"dtype":"F32","shape":[2,2],"data_offsets":[4,20]},)"
      R"("__metadata__":{"format":"pt"},)"
      R"("a\u00e9":{"shape":[],"data_offsets":[0,4],"dtype":"F32"}}  )";
  const auto file =
      WeightFile::open(write(safetensors_bytes(header, counting_floats(5))));
  EXPECT_EQ(file->format(), WeightFormat::kSafetensors);
  ASSERT_EQ(file->entries().size(), 2U);
  EXPECT_EQ(file->entries()[0].name, "a\xC3\xA9");
  EXPECT_EQ(file->entries()[0].shape, (std::vector<std::int64_t>{}));
  EXPECT_EQ(file->entries()[0].num_elements, 1);
  EXPECT_EQ(file->total_bytes(), 20);
  ASSERT_NE(file->find("b"), nullptr);
  EXPECT_EQ(file->find("c"), nullptr);
  std::vector<float> values(4);
  file->read_as_float(*file->find("b"), values);
  EXPECT_EQ(values, (std::vector<float>{1, 2, 3, 4}));
}

TEST_F(SafetensorsTest, AcceptsWhatTheFormatAllows) {
  EXPECT_TRUE(is_accepted("{}", 0));
  EXPECT_TRUE(is_accepted("{}   ", 0));
  EXPECT_TRUE(is_accepted(R"({"__metadata__":{}})", 0));
  EXPECT_TRUE(is_accepted(R"({"__metadata__":null})", 0));
  EXPECT_TRUE(is_accepted(one("F32", "[4]", "[0,16]")));
  EXPECT_TRUE(is_accepted(one("F32", "[0,5]", "[0,0]"), 0));
  EXPECT_TRUE(is_accepted(one("F4", "[32]", "[0,16]")));
  EXPECT_TRUE(is_accepted(one("C64", "[2]", "[0,16]")));
  EXPECT_TRUE(is_accepted(one("BOOL", "[1,16]", "[0,16]")));
  EXPECT_TRUE(
      is_accepted(R"({"t":{"dtype":"U8","x":[{"y":[1.5,null]}],"shape":[16],)"
                  R"("data_offsets":[0,16],"z":"?"}})"));
}

TEST_F(SafetensorsTest, RefusesImpossibleHeaderLengths) {
  for (const std::uint64_t length :
       {std::uint64_t{1} << 63, ~std::uint64_t{0} - 2, std::uint64_t{0},
        std::uint64_t{3}, std::uint64_t{100'000'001}}) {
    EXPECT_NE(refusal_of(bytes_of(length) + "{}"), "accepted") << length;
  }
  EXPECT_THAT(refusal_of(bytes_of(std::uint64_t{20}) + "{}"),
              HasSubstr("truncated"));
  EXPECT_THAT(refusal_of("{}"), HasSubstr("truncated"));
  EXPECT_THAT(refusal_of(""), HasSubstr("empty"));
}

TEST_F(SafetensorsTest, RefusesWhatIsNotJson) {
  const std::string good = one("U8", "[16]", "[0,16]");
  EXPECT_NE(refusal("[" + good + "]"), "accepted");
  EXPECT_NE(refusal(" " + good), "accepted");
  EXPECT_NE(refusal(good + "x"), "accepted");
  EXPECT_NE(refusal(good + good), "accepted");
  EXPECT_NE(refusal(good + std::string(3, '\0')), "accepted");
  EXPECT_NE(refusal(good + std::string(1, '\0') + "garbage"), "accepted");
  EXPECT_NE(refusal(good.substr(0, good.size() - 1)), "accepted");
  EXPECT_NE(refusal(std::string(100001, '{')), "accepted");
  EXPECT_NE(refusal(R"({"t":)" + std::string(100001, '[')), "accepted");
  EXPECT_NE(refusal(R"({"t":{"x":)" + std::string(100001, '[')), "accepted");
  EXPECT_NE(refusal("{\"a\xFF\":" + good.substr(5)), "accepted");
}

TEST_F(SafetensorsTest, RefusesWrongEntriesNamingTheTensor) {
  const std::vector<std::string> headers = {
      R"({"t":7})",
      R"({"t":null})",
      R"({"t":[]})",
      R"({"t":{"shape":[16],"data_offsets":[0,16]}})",
      R"({"t":{"dtype":"U8","data_offsets":[0,16]}})",
      R"({"t":{"dtype":"U8","shape":[16]}})",
      R"({"t":{"dtype":7,"shape":[16],"data_offsets":[0,16]}})",
      R"({"t":{"dtype":"U8","dtype":"U8","shape":[16],"data_offsets":[0,16]}})",
      R"({"t":{"dtype":"U8","shape":[16],"shape":[16],"data_offsets":[0,16]}})",
      one("F31", "[4]", "[0,16]"),
      one("F32", "[4]", "[0]"),
      one("F32", "[4]", "[0,8,16]"),
      one("F32", "[4]", "[0.0,16]"),
      one("F32", "[4]", "[-0,16]"),
      one("F32", "[4]", "[0,-16]"),
      one("F32", "[4]", "[0,1e1]"),
      one("F32", "[4]", "[0,99999999999999999999]"),
      one("F32", "[4]", R"(["0",16])"),
      one("F32", "[4]", "{}"),
      one("F32", "[4]", "[16,0]"),
      one("F32", "[4]", "[0,15]"),
      one("F32", "[4]", "[0,80]"),
      one("F32", "[-4]", "[0,16]"),
      one("F32", "[4.0]", "[0,16]"),
      one("F32", "4", "[0,16]"),
      one("F32", "[[4]]", "[0,16]"),
      one("F32", "[9223372036854775808,0]", "[0,0]"),
      one("F32", "[1099511627776,1099511627776]", "[0,16]"),
      one("F32", "[4294967296,4294967296,4]", "[0,16]"),
      one("F32", "[2305843009213693956]", "[0,16]"),
      one("F4", "[31]", "[0,15]"),
  };
  for (const std::string& header : headers) {
    EXPECT_THAT(refusal(header), HasSubstr("\"t\"")) << header;
  }
  EXPECT_THAT(refusal(one("F31", "[4]", "[0,16]")), HasSubstr("F31"));
}

TEST_F(SafetensorsTest, RefusesOverlapsHolesAndDuplicates) {
  const auto two = [](const std::string& second, const std::string& offsets) {
    return R"({"a":{"dtype":"U8","shape":[8],"data_offsets":[0,8]},")" +
           second + R"(":{"dtype":"U8","shape":[8],"data_offsets":)" + offsets +
           "}}";
  };
  EXPECT_TRUE(is_accepted(two("b", "[8,16]")));
  EXPECT_THAT(refusal(two("b", "[4,12]"), 12),
              AllOf(HasSubstr("\"b\""), HasSubstr("4 bytes before")));
  EXPECT_THAT(refusal(two("b", "[0,8]"), 8), HasSubstr("\"b\""));
  EXPECT_THAT(refusal(two("b", "[9,17]"), 17), HasSubstr("\"b\""));
  EXPECT_THAT(refusal(two("a", "[8,16]")),
              AllOf(HasSubstr("\"a\""), HasSubstr("twice")));
  EXPECT_NE(refusal(one("U8", "[8]", "[8,16]")), "accepted");
}

TEST_F(SafetensorsTest, RefusesWrongFileSizesSayingBoth) {
  const std::string header = one("U8", "[16]", "[0,16]");
  const std::string expected = std::to_string(8 + header.size() + 16);
  EXPECT_THAT(
      refusal(header, 15),
      AllOf(HasSubstr("expected"), HasSubstr("actual"), HasSubstr(expected),
            HasSubstr("truncated"), HasSubstr("\"t\"")));
  EXPECT_THAT(refusal(header, 17),
              AllOf(HasSubstr(expected), HasSubstr("appended")));
}

TEST_F(SafetensorsTest, RefusesWrongMetadata) {
  for (const char* metadata : {R"({"a":1})", R"({"a":["b"]})", R"({"a":{}})",
                               R"([])", R"("x")", R"({"a":null})"}) {
    EXPECT_NE(refusal(std::string(R"({"__metadata__":)") + metadata + "}", 0),
              "accepted")
        << metadata;
  }
  EXPECT_NE(refusal(R"({"__metadata__":{},"__metadata__":{}})", 0), "accepted");
}

TEST_F(SafetensorsTest, NamesCannotSteerTheTerminal) {
  const std::string message = refusal(R"({"\u001b[2J\nx":{"dtype":"?"}})");
  EXPECT_EQ(message.find('\x1b'), std::string::npos);
  EXPECT_THAT(message, HasSubstr("\\u001b"));
  EXPECT_LT(refusal("{\"" + std::string(100000, 'n') + "\":7}").size(), 1000U);
}

TEST_F(SafetensorsTest, ForeignFilesAreRecognised) {
  EXPECT_THAT(refusal_of("version https://git-lfs.github.com/spec/v1\noid"),
              HasSubstr("Git LFS"));
  EXPECT_THAT(refusal_of("\n<!DOCTYPE HTML><html>"), HasSubstr("HTML"));
  EXPECT_THAT(refusal_of("<?xml version='1.0'?><Error>"), HasSubstr("XML"));
  EXPECT_THAT(refusal_of("PK\x03\x04" + std::string(60, 'x')),
              HasSubstr("pickle or zip"));
  EXPECT_THAT(refusal_of("\x80\x02}." + std::string(60, 'x')),
              HasSubstr("pickle or zip"));
  EXPECT_THAT(refusal_of("\x1F\x8B\x08" + std::string(60, 'x')),
              HasSubstr("gzip"));
  EXPECT_THAT(
      refusal_of(std::string(257, 'x') + "ustar" + std::string(60, 'x')),
      HasSubstr("tar"));
}

TEST_F(SafetensorsTest, AHeaderLengthThatLooksLikeAPickleIsNoPickle) {
  // 640 = 0x280: the file starts with the bytes of pickle protocol 2.
  std::string header = one("U8", "[16]", "[0,16]");
  header.resize(640, ' ');
  EXPECT_TRUE(is_accepted(header));
}

TEST_F(SafetensorsTest, WidensHalfTypesExactlyAndRefusesIntegers) {
  std::string data;
  const std::vector<std::uint16_t> halves = {0x0001, 0x8001, 0x03FF,
                                             0x8000, 0x7BFF, 0x7C00};
  for (const std::uint16_t half : halves) data += bytes_of(half);
  const auto f16 = WeightFile::open(
      write(safetensors_bytes(one("F16", "[6]", "[0,12]"), data)));
  std::vector<float> values(6);
  std::vector<double> doubles(6);
  f16->read_as_float(f16->entries()[0], values);
  f16->read_as_double(f16->entries()[0], doubles);
  for (std::size_t i = 0; i < halves.size(); ++i) {
    EXPECT_EQ(std::bit_cast<std::uint32_t>(values[i]),
              std::bit_cast<std::uint32_t>(half_to_float(halves[i])));
    EXPECT_EQ(doubles[i], static_cast<double>(values[i]));
  }
  const auto bf16 = WeightFile::open(
      write(safetensors_bytes(one("BF16", "[6]", "[0,12]"), data)));
  bf16->read_as_float(bf16->entries()[0], values);
  for (std::size_t i = 0; i < halves.size(); ++i) {
    EXPECT_EQ(std::bit_cast<std::uint32_t>(values[i]), halves[i] << 16);
  }
  const auto i16 = WeightFile::open(
      write(safetensors_bytes(one("I16", "[6]", "[0,12]"), data)));
  try {
    i16->read_as_float(i16->entries()[0], values);
    FAIL() << "no error";
  } catch (const ModelError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("\"t\""), HasSubstr("I16"),
                                    HasSubstr("model.safetensors")));
  }
}

TEST_F(SafetensorsTest, LongTensorsAreWidenedInPlaceWithoutLoss) {
  const int count = 5000;  // More than one block, and not a multiple of it.
  std::string data;
  for (int i = 0; i < count; ++i) {
    data += bytes_of(static_cast<std::uint16_t>(i * 13 % 31744));
  }
  const auto file = WeightFile::open(
      write(safetensors_bytes(one("F16", "[5000]", "[0,10000]"), data)));
  std::vector<float> values(count);
  std::vector<double> doubles(count);
  file->read_as_float(file->entries()[0], values);
  file->read_as_double(file->entries()[0], doubles);
  for (int i = 0; i < count; ++i) {
    const float expected =
        half_to_float(static_cast<std::uint16_t>(i * 13 % 31744));
    ASSERT_EQ(values[i], expected) << i;
    ASSERT_EQ(doubles[i], static_cast<double>(expected)) << i;
  }
}

TEST_F(SafetensorsTest, ReadsPartsOfATensorAndNothingBesideIt) {
  std::string data;
  for (int i = 0; i < 10; ++i) data += bytes_of(static_cast<float>(i));
  const auto file = WeightFile::open(
      write(safetensors_bytes(one("F32", "[10]", "[0,40]"), data)));
  const WeightEntry& entry = file->entries()[0];
  ASSERT_TRUE(file->can_read_parts(entry));
  std::vector<float> values(3);
  const auto bytes = std::as_writable_bytes(std::span(values));
  file->read_part(entry, 28, bytes);
  EXPECT_EQ(values, (std::vector<float>{7, 8, 9}));
  EXPECT_THROW(file->read_part(entry, 32, bytes), std::invalid_argument);
  EXPECT_THROW(file->read_part(entry, -4, bytes), std::invalid_argument);
}

TEST_F(SafetensorsTest, DoublesBeyondFloatAreRefusedNotMadeInfinite) {
  const std::string data =
      bytes_of(0.1) + bytes_of(std::numeric_limits<double>::infinity());
  auto file = WeightFile::open(
      write(safetensors_bytes(one("F64", "[2]", "[0,16]"), data)));
  std::vector<float> values(2);
  file->read_as_float(file->entries()[0], values);
  EXPECT_EQ(values[0], 0.1F);
  EXPECT_TRUE(std::isinf(values[1]));
  file = WeightFile::open(write(safetensors_bytes(
      one("F64", "[2]", "[0,16]"), bytes_of(1e39) + bytes_of(1.0))));
  EXPECT_THROW(file->read_as_float(file->entries()[0], values), ModelError);
}

TEST_F(SafetensorsTest, AFileThatShrinksWhileItIsReadIsAnErrorAndNoCrash) {
  const std::string path = write(safetensors_bytes(
      one("U8", "[100000]", "[0,100000]"), std::string(100000, 'x')));
  const auto file = WeightFile::open(path);
  ASSERT_EQ(::truncate(path.c_str(), 5000), 0);
  std::vector<std::byte> bytes(100000);
  EXPECT_THROW(file->read(file->entries()[0], bytes), FileError);
}

TEST_F(SafetensorsTest, EntriesOfOtherFilesAreRefused) {
  const std::string content =
      safetensors_bytes(one("U8", "[16]", "[0,16]"), std::string(16, 'x'));
  const auto one_file = WeightFile::open(write(content));
  const auto other = WeightFile::open(write(content));
  std::vector<std::byte> bytes(16);
  EXPECT_THROW(one_file->read(other->entries()[0], bytes),
               std::invalid_argument);
  bytes.resize(15);
  EXPECT_THROW(other->read(other->entries()[0], bytes), std::invalid_argument);
}

TEST_F(SafetensorsTest, PathsThatAreNoFilesAreModelErrors) {
  EXPECT_THROW(WeightFile::open((dir_ / "none.bin").string()), ModelError);
  EXPECT_THROW(WeightFile::open(dir_.path().string()), ModelError);
  EXPECT_THROW(WeightFile::open("/dev/zero"), ModelError);
}

}  // namespace
}  // namespace longformer
