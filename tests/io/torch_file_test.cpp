// SPDX-License-Identifier: MIT
#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longformer/io/weight_file.h"

#include "io/torch_file_fixture.h"
#include "io/weight_builder.h"

namespace longformer {
namespace {

using test::bytes_of;
using test::counting_floats;
using test::PickleBuilder;
using test::state_dict_pickle;
using test::torch_legacy;
using test::torch_zip;
using test::ZipBuilder;
using test::ZipOptions;
using ::testing::AllOf;
using ::testing::HasSubstr;

using Shape = std::vector<std::int64_t>;

class TorchFileTest : public test::TorchFileFixture {};

/// A state dictionary of one view "w" of 12 counting floats.
std::string view_file(std::int64_t offset, const Shape& shape,
                      const Shape& strides) {
  return torch_zip(state_dict_pickle("w", {.storage_size = 12,
                                           .offset = offset,
                                           .shape = shape,
                                           .strides = strides}),
                   counting_floats(12));
}

const std::string kOneTensor =
    state_dict_pickle("w", {.storage_size = 4, .shape = {4}, .strides = {1}});

TEST_F(TorchFileTest, ReadsViewsOfAStorage) {
  EXPECT_EQ(values(view_file(0, {3, 4}, {4, 1})).at(11), 11.0F);
  EXPECT_EQ(values(view_file(5, {2, 3}, {3, 1})),
            (std::vector<float>{5, 6, 7, 8, 9, 10}));
  EXPECT_EQ(values(view_file(0, {4, 3}, {1, 4})),
            (std::vector<float>{0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11}));
  EXPECT_EQ(values(view_file(1, {2, 2}, {6, 2})),
            (std::vector<float>{1, 3, 7, 9}));
  EXPECT_EQ(values(view_file(3, {1, 1, 4}, {99, 0, 1})),
            (std::vector<float>{3, 4, 5, 6}));
  EXPECT_EQ(values(view_file(11, {}, {})), (std::vector<float>{11}));
  EXPECT_EQ(values(view_file(2, {2, 3}, {0, 1})),
            (std::vector<float>{2, 3, 4, 2, 3, 4}));
  EXPECT_EQ(values(view_file(12, {0, 5}, {5, 1})), std::vector<float>{});
}

TEST_F(TorchFileTest, ReadsLargePermutedViewsInBlocks) {
  // Several MiB, so that every branch of the blockwise copy is taken.
  const Shape sizes = {7, 300, 5, 130};
  const std::int64_t count = 7 * 300 * 5 * 130;
  std::string storage;
  for (std::int64_t i = 0; i < count; ++i) {
    storage += bytes_of(static_cast<std::int32_t>(i));
  }
  const Shape strides = {300 * 5 * 130, 5 * 130, 130, 1};
  for (const auto& order : {std::vector<int>{3, 2, 1, 0},
                            {1, 0, 3, 2},
                            {0, 2, 1, 3},
                            {2, 3, 0, 1}}) {
    Shape shape(4);
    Shape view_strides(4);
    for (std::size_t i = 0; i < 4; ++i) {
      shape[i] = sizes[static_cast<std::size_t>(order[i])];
      view_strides[i] = strides[static_cast<std::size_t>(order[i])];
    }
    const auto file =
        open(torch_zip(state_dict_pickle("w", {.type = "IntStorage",
                                               .storage_size = count,
                                               .shape = shape,
                                               .strides = view_strides}),
                       storage));
    std::vector<std::int32_t> found(static_cast<std::size_t>(count));
    file->read(file->entries()[0], std::as_writable_bytes(std::span(found)));
    std::size_t at = 0;
    for (std::int64_t a = 0; a < shape[0]; ++a) {
      for (std::int64_t b = 0; b < shape[1]; ++b) {
        for (std::int64_t c = 0; c < shape[2]; ++c) {
          for (std::int64_t d = 0; d < shape[3]; ++d, ++at) {
            ASSERT_EQ(found[at], a * view_strides[0] + b * view_strides[1] +
                                     c * view_strides[2] + d * view_strides[3]);
          }
        }
      }
    }
  }
}

TEST_F(TorchFileTest, RefusesViewsThatLeaveTheirStorage) {
  for (const std::string& file :
       {view_file(1, {3, 4}, {4, 1}), view_file(12, {1}, {1}),
        view_file(0, {3, 4}, {5, 1}), view_file(-1, {2}, {1}),
        view_file(0, {2}, {-1}), view_file(0, {-2}, {1}),
        view_file(0, {2}, {1, 1}), view_file(0, {2, 2}, {1}),
        view_file(0, {std::int64_t{1} << 62, 8}, {1, 1}),
        view_file(0, {2}, {std::int64_t{1} << 62}),
        view_file(0, {std::int64_t{1} << 40}, {std::int64_t{1} << 40}),
        view_file(INT64_MAX, {2}, {1}),
        view_file(0, Shape(65, 1), Shape(65, 1))}) {
    EXPECT_THAT(refusal(file), HasSubstr("\"w\""));
  }
}

TEST_F(TorchFileTest, RefusesViewsThatRepeatElements) {
  // What is larger than the storage could be larger than any memory.
  EXPECT_THAT(refusal(view_file(0, {std::int64_t{1} << 40}, {0})),
              HasSubstr("repeats"));
  EXPECT_THAT(refusal(view_file(0, {5, 3}, {0, 1})), HasSubstr("repeats"));
  EXPECT_THAT(refusal(view_file(0, {3, 4}, {1, 1})), HasSubstr("repeats"));
}

TEST_F(TorchFileTest, ReadsAllStorageTypes) {
  const std::vector<std::pair<std::string, DType>> types = {
      {"FloatStorage", DType::kF32},     {"HalfStorage", DType::kF16},
      {"BFloat16Storage", DType::kBF16}, {"DoubleStorage", DType::kF64},
      {"LongStorage", DType::kI64},      {"IntStorage", DType::kI32},
      {"ShortStorage", DType::kI16},     {"CharStorage", DType::kI8},
      {"ByteStorage", DType::kU8},       {"BoolStorage", DType::kBool}};
  for (const auto& [type, dtype] : types) {
    const std::int64_t count = 64 / dtype_bits(dtype);
    const auto file =
        open(torch_zip(state_dict_pickle("w", {.type = type,
                                               .storage_size = count,
                                               .shape = {count},
                                               .strides = {1}}),
                       "abcdefgh"));
    EXPECT_EQ(file->entries()[0].dtype, dtype);
    std::string bytes(8, '\0');
    file->read(file->entries()[0], std::as_writable_bytes(std::span(bytes)));
    EXPECT_EQ(bytes, "abcdefgh");
  }
}

TEST_F(TorchFileTest, SwapsBytesOfBigEndianArchives) {
  std::string swapped = counting_floats(4);
  for (std::size_t i = 0; i < swapped.size(); i += 4) {
    std::reverse(swapped.begin() + static_cast<std::ptrdiff_t>(i),
                 swapped.begin() + static_cast<std::ptrdiff_t>(i) + 4);
  }
  EXPECT_EQ(values(torch_zip(kOneTensor, swapped, "big")),
            (std::vector<float>{0, 1, 2, 3}));
  EXPECT_THAT(refusal(torch_zip(kOneTensor, swapped, "middle")),
              HasSubstr("byte order"));
}

TEST_F(TorchFileTest, ReadsZipWithAndWithout64BitSizes) {
  for (const bool is_64 : {false, true}) {
    for (const std::uint16_t flags : {0, 0x0808}) {
      ZipOptions options;
      options.flags = flags;
      options.with_64_bit_sizes = is_64;
      const std::string file = ZipBuilder()
                                   .add("a/data.pkl", kOneTensor, options)
                                   .add("a/data/0", counting_floats(4), options)
                                   .finish(is_64);
      EXPECT_EQ(values(file).at(3), 3.0F);
    }
  }
}

TEST_F(TorchFileTest, RefusesDamagedZipArchives) {
  const auto with = [](const ZipOptions& options) {
    return ZipBuilder()
        .add("a/data.pkl", kOneTensor)
        .add("a/data/0", counting_floats(4), options)
        .finish();
  };
  EXPECT_EQ(refusal(with({})), "accepted");
  EXPECT_THAT(refusal(with({.method = 8})), HasSubstr("compressed"));
  EXPECT_THAT(refusal(with({.flags = 1})), HasSubstr("encrypted"));
  EXPECT_THAT(refusal(with({.crc_error = 1})),
              AllOf(HasSubstr("CRC"), HasSubstr("\"w\"")));
  EXPECT_THAT(refusal(with({.claimed_size = 12})), HasSubstr("\"w\""));
  EXPECT_THAT(refusal(with({.claimed_size = 20})), HasSubstr("data/0"));
  EXPECT_THAT(refusal(with({.claimed_size = std::uint64_t{1} << 50,
                            .with_64_bit_sizes = true})),
              HasSubstr("does not fit"));
  EXPECT_THAT(refusal(with({.local_name = "a/data/1"})),
              HasSubstr("directory"));
  EXPECT_THAT(refusal(ZipBuilder()
                          .add("a/data.pkl", kOneTensor)
                          .add("a/data/0", counting_floats(4))
                          .add("a/data/0", counting_floats(4))
                          .finish()),
              HasSubstr("twice"));
  EXPECT_THAT(refusal(ZipBuilder().add("a/data.pkl", kOneTensor).finish()),
              HasSubstr("data/0"));
  EXPECT_THAT(refusal(ZipBuilder().add("x.csv", "a,b").finish()),
              HasSubstr("data.pkl"));
  EXPECT_THAT(refusal(ZipBuilder()
                          .add("a/data.pkl", kOneTensor)
                          .add("a/constants.pkl", "")
                          .finish()),
              HasSubstr("TorchScript"));
  EXPECT_THAT(refusal(ZipBuilder()
                          .add("a/data.pkl", kOneTensor, {.crc_error = 1})
                          .add("a/data/0", counting_floats(4))
                          .finish()),
              HasSubstr("CRC"));
}

TEST_F(TorchFileTest, AChecksumCoversTensorsThatShareARecord) {
  PickleBuilder pickle;
  pickle.ordered_dict().op("(");
  pickle.text("a").tensor({.storage_size = 4, .shape = {2}, .strides = {1}});
  pickle.text("b").tensor(
      {.storage_size = 4, .offset = 2, .shape = {2}, .strides = {1}});
  const std::string file =
      ZipBuilder()
          .add("a/data.pkl", pickle.op("u").stop())
          .add("a/data/0", counting_floats(4), {.crc_error = 1})
          .finish();
  EXPECT_THAT(refusal(file), AllOf(HasSubstr("CRC"), HasSubstr("\"a\"")));
}

TEST_F(TorchFileTest, ReadsTheFormatBefore16) {
  const std::string pickle = state_dict_pickle("w", {.storage_size = 4,
                                                     .shape = {2, 2},
                                                     .strides = {1, 2},
                                                     .is_legacy = true});
  const std::string good = torch_legacy(pickle, 4, counting_floats(4));
  EXPECT_EQ(values(good), (std::vector<float>{0, 2, 1, 3}));
  EXPECT_EQ(open(good)->format(), WeightFormat::kTorchLegacy);
  EXPECT_THAT(refusal(torch_legacy(pickle, 5, counting_floats(5))),
              HasSubstr("\"w\""));
  EXPECT_THAT(refusal(torch_legacy(pickle, 4, counting_floats(3))),
              HasSubstr("truncated"));
  EXPECT_THAT(refusal(torch_legacy(pickle, 4, counting_floats(5))),
              HasSubstr("behind its last storage"));
  for (std::size_t size = 1; size < good.size(); ++size) {
    ASSERT_NE(refusal(good.substr(0, size)), "accepted") << size;
  }
}

TEST_F(TorchFileTest, ReadsPartsOfStoragesInTheFormatBefore16) {
  PickleBuilder pickle;
  pickle.ordered_dict().op("(").text("w");
  pickle.global("torch._utils", "_rebuild_tensor_v2").op("((");
  pickle.text("storage").global("torch", "FloatStorage").text("0");
  pickle.text("cpu").integer(8).op("(").text("v").integer(2).integer(4);
  pickle.op("ttQ").integer(1).integers({3}).integers({1}).op("\x89");
  pickle.ordered_dict().op("tRu");
  EXPECT_EQ(values(torch_legacy(pickle.stop(), 8, counting_floats(8))),
            (std::vector<float>{3, 4, 5}));
}

TEST_F(TorchFileTest, RefusesStoragesThatDoNotFitTheirRecord) {
  for (const std::int64_t claimed :
       {std::int64_t{3}, std::int64_t{5}, std::int64_t{1} << 60, INT64_MAX,
        std::int64_t{-4}, (std::int64_t{1} << 62) + 4}) {
    EXPECT_THAT(
        refusal(torch_zip(
            state_dict_pickle(
                "w", {.storage_size = claimed, .shape = {3}, .strides = {1}}),
            counting_floats(4))),
        HasSubstr("\"w\""))
        << claimed;
  }
  EXPECT_THAT(refusal(torch_zip(state_dict_pickle("w", {.key = "../../xy",
                                                        .storage_size = 4,
                                                        .shape = {4},
                                                        .strides = {1}}),
                                counting_floats(4))),
              AllOf(HasSubstr("../../xy"), HasSubstr("\"w\"")));
}

TEST_F(TorchFileTest, RefusesOneNameTwiceAndOneStorageOfTwoTypes) {
  const PickleBuilder::View view = {
      .storage_size = 4, .shape = {4}, .strides = {1}};
  PickleBuilder::View other = view;
  other.type = "IntStorage";
  PickleBuilder twice;
  twice.op("}(").text("w").tensor(view).text("w").tensor(view).op("u");
  EXPECT_THAT(refusal(torch_zip(twice.stop(), counting_floats(4))),
              HasSubstr("twice"));
  PickleBuilder types;
  types.op("}(").text("w").tensor(view).text("v").tensor(other).op("u");
  EXPECT_THAT(refusal(torch_zip(types.stop(), counting_floats(4))),
              HasSubstr("two types"));
  PickleBuilder invalid;
  invalid.op("}(").text("w\xFF").tensor(view).op("u");
  EXPECT_NE(refusal(torch_zip(invalid.stop(), counting_floats(4))), "accepted");
}

TEST_F(TorchFileTest, SafetensorsUnderAnotherNameAreRecognised) {
  const std::string file = test::safetensors_bytes(
      R"({"t":{"dtype":"F32","shape":[4],"data_offsets":[0,16]}})",
      counting_floats(4));
  EXPECT_EQ(open(file)->format(), WeightFormat::kSafetensors);
}

TEST_F(TorchFileTest, FilesOfOtherKindsAreRefused) {
  EXPECT_NE(refusal("(S'touch x'\nios\nsystem\n."), "accepted");
  EXPECT_THAT(refusal("\x80\x02}."), HasSubstr("torch.save"));
  EXPECT_NE(refusal(std::string(1000, 'x')), "accepted");
  EXPECT_THAT(refusal("version https://git-lfs.github.com/spec/v1\n"),
              HasSubstr("Git LFS"));
}

}  // namespace
}  // namespace longformer
