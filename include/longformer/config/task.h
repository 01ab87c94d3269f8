// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "longformer/config/field.h"

namespace longformer {

/// What a label is, and with it the loss; spelt as in Hugging Face's
/// `problem_type`.
enum class ProblemType { kSingleLabel, kMultiLabel, kRegression };

template <>
struct EnumNames<ProblemType> {
  static constexpr std::array<std::string_view, 3> kNames{
      "single_label_classification", "multi_label_classification",
      "regression"};
};

/// The option: kAuto is decided once, from the training file or the model.
enum class ProblemTypeChoice { kAuto, kSingleLabel, kMultiLabel, kRegression };

template <>
struct EnumNames<ProblemTypeChoice> {
  static constexpr std::array<std::string_view, 4> kNames{
      "auto", "single_label_classification", "multi_label_classification",
      "regression"};
};

/// The problem type that was chosen, or nothing for kAuto.
constexpr std::optional<ProblemType> chosen(ProblemTypeChoice choice) {
  if (choice == ProblemTypeChoice::kAuto) return std::nullopt;
  return static_cast<ProblemType>(static_cast<int>(choice) - 1);
}

/// Which hidden states the classification head reads: the first token's (the
/// published head) or the mean over the document.
enum class Pooling { kCls, kMean };

template <>
struct EnumNames<Pooling> {
  static constexpr std::array<std::string_view, 2> kNames{"cls", "mean"};
};

/// The option: kAuto is the model's own.
enum class PoolingChoice { kAuto, kCls, kMean };

template <>
struct EnumNames<PoolingChoice> {
  static constexpr std::array<std::string_view, 3> kNames{"auto", "cls",
                                                          "mean"};
};

/// The pooling that was chosen, or nothing for kAuto.
constexpr std::optional<Pooling> chosen(PoolingChoice choice) {
  if (choice == PoolingChoice::kAuto) return std::nullopt;
  return static_cast<Pooling>(static_cast<int>(choice) - 1);
}

}  // namespace longformer
