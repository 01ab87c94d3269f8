// SPDX-License-Identifier: MIT
#include "longformer/io/model_files.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longformer/base/error.h"

#include "io/weight_builder.h"
#include "support/temp_dir.h"

namespace longformer {
namespace {

using test::counting_floats;
using ::testing::AllOf;
using ::testing::HasSubstr;

std::string one_tensor(const std::string& name, int count) {
  return test::safetensors_bytes(
      "{\"" + name + "\":{\"dtype\":\"F32\",\"shape\":[" +
          std::to_string(count) + "],\"data_offsets\":[0," +
          std::to_string(4 * count) + "]}}",
      counting_floats(count));
}

class ModelFilesTest : public ::testing::Test {
 protected:
  std::string refusal() {
    try {
      ModelFiles::open(dir_.path().string());
    } catch (const ModelError& error) {
      return error.what();
    }
    return "accepted";
  }

  void write_index(const std::string& weight_map) {
    dir_.write(
        "model.safetensors.index.json",
        R"({"metadata":{"total_size":1},"weight_map":)" + weight_map + "}");
  }

  test::TempDir dir_;
};

TEST_F(ModelFilesTest, OpensAFolderAFileAndAnIndex) {
  dir_.write("model.safetensors", one_tensor("a", 3));
  EXPECT_EQ(ModelFiles::open(dir_.path().string()).tensors().size(), 1U);
  const std::string file = (dir_ / "model.safetensors").string();
  const ModelFiles files = ModelFiles::open(file);
  EXPECT_EQ(files.path(), file);
  EXPECT_TRUE(files.notes().empty());
  ASSERT_NE(files.find("a"), nullptr);
  EXPECT_EQ(files.find("b"), nullptr);

  dir_.write("1.safetensors", one_tensor("x", 2));
  write_index(R"({"x":"1.safetensors"})");
  EXPECT_NE(ModelFiles::open((dir_ / "model.safetensors.index.json").string())
                .find("x"),
            nullptr);
  EXPECT_EQ(ModelFiles::open(dir_.path().string()).notes().size(), 1U);
}

TEST_F(ModelFilesTest, ListsTensorsOnceInTheOrderOfTheFiles) {
  dir_.write("1.safetensors", one_tensor("b", 2));
  dir_.write("2.safetensors", one_tensor("a", 3));
  write_index(R"({"b":"1.safetensors","a":"2.safetensors"})");
  const ModelFiles files = ModelFiles::open(dir_.path().string());
  ASSERT_EQ(files.tensors().size(), 2U);
  EXPECT_EQ(files.tensors()[0].name(), "b");
  EXPECT_EQ(files.tensors()[1].name(), "a");
  std::vector<float> values(3);
  files.find("a")->read_as_float(values);
  EXPECT_EQ(values, (std::vector<float>{0, 1, 2}));
}

TEST_F(ModelFilesTest, ATensorInTwoShardsIsReadWhereTheIndexSays) {
  dir_.write("1.safetensors", one_tensor("a", 2));
  dir_.write("2.safetensors",
             test::safetensors_bytes(
                 R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
                 R"("b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
                 counting_floats(2)));
  write_index(R"({"a":"1.safetensors","b":"2.safetensors"})");
  const ModelFiles files = ModelFiles::open(dir_.path().string());
  ASSERT_EQ(files.tensors().size(), 2U);
  EXPECT_EQ(files.find("a")->entry->num_elements, 2);
}

TEST_F(ModelFilesTest, AFolderWithoutWeightsSaysWhatIsThere) {
  EXPECT_THAT(refusal(), HasSubstr("no model.safetensors"));
  dir_.write("tf_model.h5", "x");
  EXPECT_THAT(refusal(), HasSubstr("tf_model.h5"));
}

TEST_F(ModelFilesTest, ShardNamesCannotLeaveTheFolder) {
  dir_.write("1.safetensors", one_tensor("a", 2));
  const std::vector<std::string> names = {"../1.safetensors",
                                          "/etc/passwd",
                                          "sub/1.safetensors",
                                          "..",
                                          ".",
                                          "",
                                          "sub\\\\1",
                                          "1\\u0000.safetensors"};
  for (const std::string& name : names) {
    write_index("{\"a\":\"" + name + "\"}");
    EXPECT_THAT(refusal(),
                AllOf(HasSubstr("index.json"), HasSubstr("in its own folder")))
        << name;
  }
}

TEST_F(ModelFilesTest, IndicesThatDoNotFitTheirShardsAreRefused) {
  dir_.write("1.safetensors", one_tensor("a", 2));
  write_index(R"({"a":"1.safetensors","b":"1.safetensors"})");
  EXPECT_THAT(refusal(), AllOf(HasSubstr("\"b\""), HasSubstr("1.safetensors")));
  write_index(R"({"a":"2.safetensors"})");
  EXPECT_THAT(refusal(), HasSubstr("2.safetensors"));
  dir_.write("2.safetensors", one_tensor("c", 2));
  write_index(R"({"c":"2.safetensors","a":"1.safetensors"})");
  EXPECT_EQ(refusal(), "accepted");
  dir_.write("1.safetensors",
             test::safetensors_bytes(
                 R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
                 R"("d":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
                 counting_floats(2)));
  EXPECT_THAT(refusal(), AllOf(HasSubstr("\"d\""), HasSubstr("does not list")));
}

TEST_F(ModelFilesTest, IndicesOfAnotherFormAreRefused) {
  for (const char* index :
       {"", "[]", "{}", "{\"weight_map\":[]}", "{\"weight_map\":{\"a\":1}}",
        "{\"weight_map\":{\"a\":\"1\",\"a\":\"2\"}}", "{\"weight_map\":", "7",
        "{\"weight_map\":null}"}) {
    dir_.write("model.safetensors.index.json", index);
    EXPECT_THAT(refusal(), HasSubstr("model.safetensors.index.json")) << index;
  }
}

TEST_F(ModelFilesTest, AnEmptyIndexHasNoTensors) {
  write_index("{}");
  EXPECT_TRUE(ModelFiles::open(dir_.path().string()).tensors().empty());
}

}  // namespace
}  // namespace longformer
