// SPDX-License-Identifier: MIT
// The generated files are complete and fresh; the examples can be read.
#include "longformer/config/option_documents.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longformer/config/model_config.h"
#include "longformer/config/option_checks.h"
#include "longformer/config/option_reader.h"

#include "support/paths.h"
#include "support/temp_dir.h"

namespace longformer {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr char kHowTo[] =
    "is out of date; write it again with `longformer options --write configs/`";

std::string config_file(const std::string& name) {
  return test::read_file(test::source_dir() / "configs" / name);
}

TEST(OptionDocumentsTest, TheCommittedReferenceIsFresh) {
  EXPECT_EQ(config_file("README.md"), option_reference())
      << "configs/README.md " << kHowTo;
}

TEST(OptionDocumentsTest, TheCommittedSchemaIsFresh) {
  EXPECT_EQ(config_file("schema.json"), train_schema())
      << "configs/schema.json " << kHowTo;
}

TEST(OptionDocumentsTest, TheReferenceHasEveryOptionOfEveryCommand) {
  const std::string reference = option_reference();
  for (const char* command :
       {"train", "evaluate", "predict", "tokenizer train", "tokenizer encode",
        "tokenizer decode", "inspect", "convert", "doctor"}) {
    EXPECT_THAT(reference,
                HasSubstr("\n## longformer " + std::string(command) + "\n"));
  }
  for (const char* name :
       {"`learning_rate`", "`logits`", "`vocab_size`", "`stride`",
        "`skip_special_tokens`", "`path`", "`shard_size`"}) {
    EXPECT_THAT(reference, HasSubstr(name));
  }
}

TEST(OptionDocumentsTest, ABarInATextDoesNotEndTheCell) {
  EXPECT_THAT(option_reference(), testing::Not(HasSubstr("||")));
}

TEST(OptionDocumentsTest, TheSchemaDescribesTypesAndRanges) {
  const Json schema = Json::parse(train_schema());
  EXPECT_EQ(schema["additionalProperties"], false);
  const Json& options = schema["properties"];
  TrainOptions defaults;
  EXPECT_EQ(options.size(), bind_fields(defaults).size() + 1);
  EXPECT_EQ(options["batch_size"]["type"], "integer");
  EXPECT_EQ(options["batch_size"]["minimum"], 1);
  EXPECT_TRUE(options["batch_size"]["minimum"].is_number_integer());
  EXPECT_EQ(options["adam_beta1"]["exclusiveMaximum"], 1);
  EXPECT_EQ(options["shuffle"]["type"], "boolean");
  EXPECT_EQ(options["shuffle"]["default"], true);
  EXPECT_THAT(options["pooling"]["enum"],
              testing::ElementsAre("auto", "cls", "mean"));
  EXPECT_EQ(options["dropout"]["default"], nullptr);
  EXPECT_FALSE(options["seed"].contains("minimum"));
}

class ExampleConfigTest : public testing::TestWithParam<const char*> {};

TEST_P(ExampleConfigTest, IsCompleteAndWithoutContradiction) {
  TrainOptions options;
  OptionReader reader(bind_fields(options));
  reader.read_config(config_file(GetParam()), GetParam());
  if (std::string(GetParam()) == "sagemaker.json") {
    // There the platform says where things are.
    reader.read_platform(
        R"({"model": "m", "train_data": "t", "validation_data": "v",
            "output_dir": "o"})",
        "channels");
  }
  reader.check_required();
  reader.add_checks(validate(options));
  EXPECT_NO_THROW(reader.throw_problems());
  EXPECT_THAT(warnings(options, reader.sources()), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(All, ExampleConfigTest,
                         testing::Values("quickstart.json",
                                         "finetune_base_4096.json",
                                         "p3_8xlarge.json", "sagemaker.json"));

TEST(ExampleArchitectureTest, IsAModelWithoutVocabularyAndLabels) {
  const ModelConfig config = parse_model_config_text(
      config_file("quickstart_architecture.json"),
      "quickstart_architecture.json", {.use = ConfigUse::kArchitecture});
  EXPECT_EQ(config.vocab_size, 0);
  EXPECT_THAT(config.labels, IsEmpty());
  EXPECT_EQ(config.pooling, Pooling::kMean);
  EXPECT_GE(config.usable_length(), 4096);
}

}  // namespace
}  // namespace longformer
