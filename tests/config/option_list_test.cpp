// SPDX-License-Identifier: MIT
// The list of options itself, for every command.
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "longformer/config/command_options.h"
#include "longformer/config/option_fields.h"
#include "longformer/config/option_reader.h"
#include "longformer/config/option_values.h"
#include "longformer/config/train_options.h"

#include "arity.h"

namespace longformer {
namespace {

template <class Options>
class OptionListTest : public testing::Test {};

using Commands =
    testing::Types<TrainOptions, EvaluateOptions, PredictOptions,
                   TokenizerTrainOptions, TokenizerEncodeOptions,
                   TokenizerDecodeOptions, InspectOptions, ConvertOptions>;
TYPED_TEST_SUITE(OptionListTest, Commands);

TYPED_TEST(OptionListTest, NamesAreUniqueAndSnakeCase) {
  TypeParam options;
  std::set<std::string> seen;
  for (const OptionField& field : bind_fields(options)) {
    const std::string name(field.info.name);
    EXPECT_TRUE(seen.insert(name).second) << name;
    EXPECT_EQ(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_"),
              std::string::npos)
        << name;
    EXPECT_NE(name, "config") << "taken by --config FILE";
    EXPECT_NE(name, "help") << "taken by --help";
  }
}

TYPED_TEST(OptionListTest, HelpIsAFullSentence) {
  TypeParam options;
  for (const OptionField& field : bind_fields(options)) {
    const std::string help(field.info.help);
    ASSERT_GT(help.size(), 10u) << field.info.name;
    EXPECT_EQ(help.back(), '.') << field.info.name;
    EXPECT_EQ(help.find('\n'), std::string::npos) << field.info.name;
    EXPECT_EQ(help.find("  "), std::string::npos) << field.info.name;
  }
}

TYPED_TEST(OptionListTest, DefaultsLieWithinTheirOwnRange) {
  TypeParam options;
  for (const OptionField& field : bind_fields(options)) {
    const auto problem = set_value(field, value_to_json(field));
    EXPECT_FALSE(problem.has_value()) << field.info.name << ": " << *problem;
  }
}

TYPED_TEST(OptionListTest, PlatformsTakeAtMostAHundred) {
  TypeParam options;
  EXPECT_LE(bind_fields(options).size(), 100u);
}

// A member that is added to a struct but not to its describe() would be
// neither a flag nor saved with a run.
TYPED_TEST(OptionListTest, EveryMemberIsDescribed) {
  std::size_t groups = 0;
  TypeParam::describe([&](auto group_member, std::string_view) {
    ++groups;
    using Group = std::remove_reference_t<decltype(TypeParam().*group_member)>;
    std::size_t described = 0;
    Group::describe([&](auto, const FieldInfo&) { ++described; });
    EXPECT_EQ(described, test::member_count<Group>());
  });
  EXPECT_EQ(groups, test::member_count<TypeParam>());
}

TYPED_TEST(OptionListTest, WritingAndReadingDefaultsIsTheIdentity) {
  const Json written = options_to_json(TypeParam());
  const auto read = options_from_json<TypeParam>(written.dump(), "saved.json");
  EXPECT_EQ(options_to_json(read), written);
}

TEST(TrainOptionListTest, HoldsEveryPromisedName) {
  TrainOptions options;
  const auto fields = bind_fields(options);
  for (const char* name : {"train_data",
                           "validation_data",
                           "test_data",
                           "text_column",
                           "text_pair_column",
                           "label_column",
                           "problem_type",
                           "model",
                           "architecture",
                           "tokenizer",
                           "output_dir",
                           "max_length",
                           "attention_window",
                           "pooling",
                           "dropout",
                           "initializer_range",
                           "epochs",
                           "max_steps",
                           "batch_size",
                           "micro_batch_tokens",
                           "learning_rate",
                           "embedding_learning_rate",
                           "adam_beta1",
                           "adam_beta2",
                           "adam_epsilon",
                           "schedule",
                           "warmup_steps",
                           "warmup_ratio",
                           "weight_decay",
                           "max_grad_norm",
                           "label_smoothing",
                           "class_weights",
                           "ema_decay",
                           "labels",
                           "reinit_head",
                           "max_bad_rows",
                           "allow_missing_weights",
                           "shuffle",
                           "seed",
                           "threads",
                           "devices",
                           "validate_every",
                           "checkpoint_every",
                           "keep_checkpoints",
                           "best_metric",
                           "resume",
                           "early_stopping_patience"}) {
    EXPECT_NE(find_field(fields, name), nullptr) << name;
  }
}

TEST(TrainOptionListTest, WritingAndReadingKeepsEveryKindOfValue) {
  TrainOptions options;
  options.data.train_data = {"a.jsonl", "b \"c\".csv", "ü/*.tsv"};
  options.data.problem_type = ProblemTypeChoice::kRegression;
  options.reading.csv_delimiter = "\t";
  options.model.dropout = 0.1 + 0.2;
  options.optimizer.learning_rate = 1.0 / 3;
  options.optimizer.epochs = 7;
  options.optimizer.class_weights = {ClassWeights::Kind::kList, {0.1, 2}};
  options.run.seed = std::numeric_limits<std::int64_t>::min();
  options.run.shuffle = false;
  const std::string written = options_to_json(options).dump(2);
  const auto read = options_from_json<TrainOptions>(written, "run.json");
  EXPECT_EQ(options_to_json(read), options_to_json(options));
  EXPECT_EQ(read.data.train_data, options.data.train_data);
  EXPECT_EQ(read.model.dropout, 0.1 + 0.2);
  EXPECT_EQ(read.optimizer.learning_rate, 1.0 / 3);
  EXPECT_EQ(read.optimizer.class_weights, options.optimizer.class_weights);
  EXPECT_EQ(read.run.seed, options.run.seed);
}

TEST(EpochLimitTest, IsThreeUnlessEpochsOrMaxStepsSaysOtherwise) {
  OptimizerOptions options;
  EXPECT_EQ(epoch_limit(options), 3);
  options.max_steps = 100;
  EXPECT_EQ(epoch_limit(options), std::nullopt);
  options.epochs = 2;
  EXPECT_EQ(epoch_limit(options), 2);
}

}  // namespace
}  // namespace longformer
