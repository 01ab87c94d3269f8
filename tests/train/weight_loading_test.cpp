// SPDX-License-Identifier: MIT
//
// Loading a model costs its own memory and little else, and looks at every
// value of it.
#include <cmath>
#include <fstream>
#include <limits>

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longformer/base/error.h"
#include "longformer/train/counting_allocator.h"
#include "longformer/train/pretrained.h"
#include "longformer/train/saved_tensors.h"

#include "support/temp_dir.h"
#include "tiny_model.h"

namespace longformer::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

const std::string kWords = "longformer.embeddings.word_embeddings.weight";

/// A model directory, some tensors of which can be changed or left out.
struct SavedModel {
  explicit SavedModel(const ModelConfig& wanted)
      : config(wanted), classifier(tiny_classifier(wanted)) {
    save_classifier(*classifier, directory.path().string());
  }
  std::vector<NamedParameter> tensors() const {
    return named_parameters(*classifier);
  }
  void save_again(const std::vector<NamedParameter>& tensors) const {
    save_tensors(tensors, (directory / "model.safetensors").string());
  }
  LoadedClassifier load(const LoadRules& rules = {},
                        at::ScalarType dtype = at::kFloat) const {
    return load_classifier(directory.path().string(), config, rules, dtype);
  }

  ModelConfig config;
  std::shared_ptr<LongformerClassifier> classifier;
  TempDir directory;
};

/// The one tensor of that name in `tensors`.
at::Tensor tensor_of(const std::vector<NamedParameter>& tensors,
                     const std::string& name) {
  for (const NamedParameter& p : tensors) {
    if (p.name == name) return p.tensor;
  }
  throw std::out_of_range(name);
}

/// Bytes of tensors while a model is loaded, in sizes of that model.
double relative_peak(const SavedModel& saved, const LoadRules& rules) {
  std::int64_t model_bytes = 0;
  for (const NamedParameter& p : saved.tensors()) {
    model_bytes += static_cast<std::int64_t>(p.tensor.nbytes());
  }
  const std::int64_t before = CountingAllocator::statistics().current_bytes;
  CountingAllocator::reset_peak();
  saved.load(rules);
  return static_cast<double>(CountingAllocator::statistics().peak_bytes -
                             before) /
         static_cast<double>(model_bytes);
}

TEST(WeightLoadingTest, TakesTheMemoryOfTheModelEvenIfItsHeadIsNew) {
  CountingAllocator::install();
  ModelConfig config = tiny_config();
  config.vocab_size = 50000;
  const SavedModel saved(config);
  // The allocator itself rounds up by at most an eighth.
  EXPECT_LE(relative_peak(saved, {}), 1.15);
  EXPECT_LE(relative_peak(saved, {.reinit_head = true}), 1.15);
}

LoadRules kept_mapped() {
  LoadRules rules;
  rules.only_answers = true;
  return rules;
}

TEST(WeightLoadingTest, MappedWeightsAreTheSameAndTakeNoMemory) {
  CountingAllocator::install();
  ModelConfig config = tiny_config();
  config.vocab_size = 50000;
  const SavedModel saved(config);
  const LoadedClassifier copied = saved.load();
  EXPECT_EQ(copied.mapped_files, nullptr);
  const std::int64_t before = CountingAllocator::statistics().current_bytes;
  const LoadedClassifier mapped = saved.load(kept_mapped());
  EXPECT_LT(CountingAllocator::statistics().current_bytes - before, 1 << 20);
  ASSERT_NE(mapped.mapped_files, nullptr);
  EXPECT_NO_THROW(mapped.mapped_files->check_unchanged());
  const auto expected = named_parameters(*copied.classifier);
  for (const NamedParameter& p : named_parameters(*mapped.classifier)) {
    EXPECT_TRUE(p.tensor.equal(tensor_of(expected, p.name))) << p.name;
  }
}

TEST(WeightLoadingTest, AChangeUnderMappedWeightsIsAnError) {
  const SavedModel saved(tiny_config());
  const LoadedClassifier mapped = saved.load(kept_mapped());
  // A new file in its place is no change.
  saved.save_again(saved.tensors());
  EXPECT_NO_THROW(mapped.mapped_files->check_unchanged());
  const LoadedClassifier second = saved.load(kept_mapped());
  std::ofstream((saved.directory / "model.safetensors").string(), std::ios::app)
      << "more";
  try {
    second.mapped_files->check_unchanged();
    FAIL() << "no error";
  } catch (const ModelError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("model.safetensors"),
                                    HasSubstr("changed while it was in use")));
  }
}

TEST(WeightLoadingTest, AdviceNamesOptionsOnlyWhereTheyAre) {
  const SavedModel saved(tiny_config());
  std::vector<NamedParameter> tensors = saved.tensors();
  tensors.erase(tensors.begin());
  saved.save_again(tensors);
  for (const bool is_for_training : {true, false}) {
    LoadRules rules;
    rules.only_answers = !is_for_training;
    try {
      saved.load(rules);
      FAIL() << "no error";
    } catch (const ModelError& error) {
      const std::string message = error.what();
      EXPECT_THAT(message, HasSubstr("is missing"));
      EXPECT_EQ(message.find("--allow-missing") != std::string::npos,
                is_for_training);
    }
  }
}

TEST(WeightLoadingTest, AValueThatIsNotFiniteIsFoundWhereverItIs) {
  const SavedModel saved(tiny_config());
  const at::NoGradGuard no_gradients;
  const at::Tensor words = tensor_of(saved.tensors(), kWords).view(-1);
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double bad : {infinity, -infinity, std::nan("")}) {
    for (const std::int64_t at :
         {std::int64_t{0}, std::int64_t{1000}, words.numel() - 1}) {
      const at::Tensor good = words[at].clone();
      words[at] = bad;
      saved.save_again(saved.tensors());
      words[at] = good;
      for (const at::ScalarType dtype : {at::kFloat, at::kDouble}) {
        try {
          saved.load({}, dtype);
          ADD_FAILURE() << "no error for " << bad << " at " << at;
        } catch (const ModelError& error) {
          EXPECT_THAT(error.what(),
                      AllOf(HasSubstr("model.safetensors"), HasSubstr(kWords),
                            HasSubstr("not finite")));
        }
      }
      EXPECT_THROW(saved.load(kept_mapped()), ModelError);
    }
  }
}

TEST(WeightLoadingTest, OddSizesAreLookedAtToTheEnd) {
  const TempDir directory;
  const std::string path = (directory / "state.safetensors").string();
  // The last two are read in several blocks and in several parts.
  for (const std::int64_t size :
       {1, 63, 64, 65, 129, (1 << 16) + 1, (1 << 20) + 1}) {
    at::Tensor values = at::arange(size).to(at::kFloat);
    const at::Tensor read = at::zeros({size});
    save_tensors({{"a", values}}, path);
    load_tensors({{"a", read}}, path);
    EXPECT_TRUE(read.equal(values)) << size;
    values[size - 1] = std::numeric_limits<float>::infinity();
    save_tensors({{"a", values}}, path);
    EXPECT_THROW(load_tensors({{"a", at::zeros({size})}}, path), ModelError)
        << size;
  }
}

TEST(WeightLoadingTest, TheLargestAndSmallestFiniteValuesAreRead) {
  const TempDir directory;
  const std::string path = (directory / "state.safetensors").string();
  const float largest = std::numeric_limits<float>::max();
  const float smallest = std::numeric_limits<float>::denorm_min();
  const at::Tensor values =
      at::tensor({largest, -largest, smallest, -smallest, 0.0F, -0.0F})
          .repeat({20});
  save_tensors({{"a", values}}, path);
  for (const at::ScalarType dtype : {at::kFloat, at::kDouble}) {
    const at::Tensor read = at::ones({values.numel()}, dtype);
    load_tensors({{"a", read}}, path);
    EXPECT_TRUE(at::equal(read, values.to(dtype)));
  }
}

TEST(WeightLoadingTest, WhatIsMissingGetsTheValuesOfANewModel) {
  const SavedModel saved(tiny_config());
  const std::string missing = "longformer.encoder.layer.0.output.dense.weight";
  std::vector<NamedParameter> tensors = saved.tensors();
  std::erase_if(tensors,
                [&](const NamedParameter& p) { return p.name == missing; });
  saved.save_again(tensors);
  const LoadedClassifier loaded =
      saved.load({.allow_missing_weights = true, .seed = 9});
  const auto fresh = tiny_classifier(tiny_config(), 9);
  for (const NamedParameter& p : named_parameters(*loaded.classifier)) {
    const LongformerClassifier& expected =
        p.name == missing ? *fresh : *saved.classifier;
    EXPECT_TRUE(
        at::equal(p.tensor, tensor_of(named_parameters(expected), p.name)))
        << p.name;
  }
}

}  // namespace
}  // namespace longformer::test
