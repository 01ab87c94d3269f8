// SPDX-License-Identifier: MIT
//
// Every row of golden/checkpoint/table.json that concerns containers of
// weights: what loads must hold exactly the tensors of base/, and what is
// refused must say why. Rows about config.json and about the model's names and
// shapes belong to the layers above; here their files must open.
#include <cmath>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longformer/base/error.h"
#include "longformer/base/strict_json.h"
#include "longformer/io/file_system.h"
#include "longformer/io/half.h"
#include "longformer/io/model_files.h"

#include "support/golden.h"

namespace longformer {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

using Tensors = std::map<std::string, std::vector<double>>;

std::string checkpoint(const std::string& path) {
  return (test::golden_dir() / "checkpoint" / path).string();
}

Json rows() {
  return parse_strict_json(read_file(checkpoint("table.json")))["rows"];
}

/// The name as the base model has it.
std::string base_name(std::string name) {
  for (const std::string prefix : {"module.", "model.", "roberta."}) {
    if (name.starts_with(prefix)) name = name.substr(prefix.size());
  }
  for (const auto& [old, now] :
       {std::pair{"LayerNorm.gamma", "LayerNorm.weight"},
        std::pair{"LayerNorm.beta", "LayerNorm.bias"}}) {
    const std::size_t at = name.find(old);
    if (at != std::string::npos) name.replace(at, std::strlen(old), now);
  }
  if (name.starts_with("embeddings.") || name.starts_with("encoder.")) {
    name = "longformer." + name;
  }
  return name;
}

/// All weights of a directory, or of a file; reads every byte of all tensors.
Tensors read_all(const std::string& path) {
  Tensors tensors;
  const ModelFiles files = ModelFiles::open(path);
  for (const ModelFiles::Tensor& tensor : files.tensors()) {
    std::vector<std::byte> bytes(
        static_cast<std::size_t>(tensor.entry->num_bytes));
    tensor.read(bytes);
    if (!is_weight_dtype(tensor.entry->dtype)) continue;
    std::vector<double> values(
        static_cast<std::size_t>(tensor.entry->num_elements));
    tensor.read_as_double(values);
    std::vector<float> narrow(values.size());
    tensor.read_as_float(narrow);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (narrow[i] != static_cast<float>(values[i]) &&
          !std::isnan(values[i])) {
        throw std::logic_error("float and double differ: " + tensor.name());
      }
    }
    tensors.emplace(base_name(tensor.name()), std::move(values));
  }
  return tensors;
}

/// What `tensors` lack or have different from `expected`, through `change`.
template <class Change>
void expect_equal(const Tensors& tensors, const Tensors& expected,
                  const Change& change, bool may_lack) {
  std::size_t num_equal = 0;
  for (const auto& [name, values] : expected) {
    const auto at = tensors.find(name);
    if (at == tensors.end()) {
      EXPECT_TRUE(may_lack) << "no tensor " << name;
      continue;
    }
    ASSERT_EQ(at->second.size(), values.size()) << name;
    for (std::size_t i = 0; i < values.size(); ++i) {
      ASSERT_EQ(at->second[i], change(values[i])) << name << " " << i;
    }
    ++num_equal;
  }
  EXPECT_GT(num_equal, 30U);
}

TEST(GoldenWeightsTest, EveryGoodContainerHoldsTheTensorsOfBase) {
  const Tensors base = read_all(checkpoint("base"));
  const auto same = [](double value) { return value; };
  const auto as_half = [](double value) {
    return double{half_to_float(double_to_half(value))};
  };
  const auto as_bfloat16 = [](double value) {
    return double{bfloat16_to_float(double_to_bfloat16(value))};
  };
  const std::set<std::string> incomplete = {"good/headless",
                                            "good/no_global_projections"};
  // Half types in one part of the file, or other values on purpose.
  const std::set<std::string> different = {
      "good/bin_mixed_dtypes", "good/st_fp16_subnormal_and_special"};
  int num_rows = 0;
  for (const Json& row : rows()) {
    const auto path = row["path"].get<std::string>();
    if (!path.starts_with("good/")) continue;
    SCOPED_TRACE(path);
    ++num_rows;
    const Tensors tensors = read_all(checkpoint(path));
    if (different.contains(path)) {
      EXPECT_EQ(tensors.size(), base.size());
    } else if (path.ends_with("_fp16")) {
      expect_equal(tensors, base, as_half, false);
    } else if (path.ends_with("_bf16")) {
      expect_equal(tensors, base, as_bfloat16, false);
    } else {
      expect_equal(tensors, base, same, incomplete.contains(path));
    }
  }
  EXPECT_GE(num_rows, 38);
}

TEST(GoldenWeightsTest, HalfBitsOfSpecialValuesAreWidenedExactly) {
  const Tensors tensors =
      read_all(checkpoint("good/st_fp16_subnormal_and_special"));
  const auto& words =
      tensors.at("longformer.embeddings.word_embeddings.weight");
  const std::vector<std::uint16_t> bits = {0x0001, 0x8001, 0x03FF,
                                           0x8000, 0x7BFF, 0x0400};
  for (std::size_t i = 0; i < bits.size(); ++i) {
    EXPECT_EQ(words.at(5 * 16 + i), half_to_float(bits[i]));
    EXPECT_EQ(std::signbit(words.at(5 * 16 + i)),
              std::signbit(half_to_float(bits[i])));
  }
}

/// Rows whose container is right; the layers above must refuse them.
bool is_for_other_layers(const Json& row) {
  return row["file"] == "config.json" ||
         row["path"] == "bad/both_and_different" ||
         (row.value("well_formed_container", false) &&
          row["path"] != "bad/pickle_not_a_dictionary");
}

/// The words that a message must hold for this phrase of the table.
std::vector<std::string> words_of(const std::string& phrase) {
  if (phrase == "expected and actual size") return {"expected", "actual"};
  return {phrase};
}

TEST(GoldenWeightsTest, EveryBadContainerIsRefusedWithItsWords) {
  int num_refused = 0;
  for (const Json& row : rows()) {
    const auto path = row["path"].get<std::string>();
    if (!path.starts_with("bad/") || is_for_other_layers(row)) continue;
    SCOPED_TRACE(path);
    const auto file = row["file"].get<std::string>();
    const std::clock_t start = std::clock();
    std::string message = "no error";
    try {
      read_all(checkpoint(file == "optimizer.pt" ? path + "/" + file : path));
    } catch (const ModelError& error) {
      message = error.what();
      ++num_refused;
    }
    for (const Json& phrase : row["message_must_name"]) {
      for (const std::string& word : words_of(phrase.get<std::string>())) {
        EXPECT_THAT(message, HasSubstr(word));
      }
    }
    EXPECT_EQ(message.find('\n'), std::string::npos);
    // Processor time: other tests may be running.
    EXPECT_LT(std::clock() - start, 1 * CLOCKS_PER_SEC);
    if (row.contains("canary")) {
      EXPECT_FALSE(std::filesystem::exists(row["canary"].get<std::string>()));
    }
  }
  EXPECT_GE(num_refused, 65);
}

TEST(GoldenWeightsTest, RightContainersOfWrongModelsOpenHere) {
  int num_rows = 0;
  for (const Json& row : rows()) {
    const auto path = row["path"].get<std::string>();
    if (!path.starts_with("bad/") || !is_for_other_layers(row)) continue;
    SCOPED_TRACE(path);
    EXPECT_NO_THROW(read_all(checkpoint(path)));
    ++num_rows;
  }
  EXPECT_GE(num_rows, 14);
}

TEST(GoldenWeightsTest, IntegerWeightsAreRefusedNamingTensorAndDtype) {
  const ModelFiles files =
      ModelFiles::open(checkpoint("bad/st_integer_weight"));
  const ModelFiles::Tensor* tensor = files.find("classifier.dense.weight");
  ASSERT_NE(tensor, nullptr);
  std::vector<float> values(
      static_cast<std::size_t>(tensor->entry->num_elements));
  try {
    tensor->read_as_float(values);
    FAIL() << "no error";
  } catch (const ModelError& error) {
    EXPECT_THAT(error.what(),
                AllOf(HasSubstr("model.safetensors"),
                      HasSubstr("classifier.dense.weight"), HasSubstr("I32")));
  }
}

TEST(GoldenWeightsTest, NotANumberIsFound) {
  const ModelFiles files = ModelFiles::open(checkpoint("bad/st_nan_weight"));
  const ModelFiles::Tensor* tensor = files.find("classifier.dense.weight");
  std::vector<float> values(
      static_cast<std::size_t>(tensor->entry->num_elements));
  tensor->read_as_float(values);
  EXPECT_TRUE(find_non_finite(values).has_value());
}

TEST(GoldenWeightsTest, SafetensorsWinsOverAPickleBesideIt) {
  const ModelFiles files =
      ModelFiles::open(checkpoint("bad/both_and_different"));
  EXPECT_THAT(files.path(), HasSubstr("model.safetensors"));
  ASSERT_EQ(files.notes().size(), 1U);
  EXPECT_THAT(files.notes()[0], AllOf(HasSubstr("model.safetensors"),
                                      HasSubstr("pytorch_model.bin")));
  EXPECT_EQ(read_all(checkpoint("bad/both_and_different")),
            read_all(checkpoint("base")));
}

}  // namespace
}  // namespace longformer
