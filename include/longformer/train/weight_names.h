// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace longformer {

/// What a tensor of a weight file is to a classifier.
enum class WeightRole {
  kParameter,  ///< Possibly a parameter: `name` is its published name.
  kIgnored,    ///< Known and not needed: buffers, pooler, other heads.
};

struct PublishedName {
  WeightRole role = WeightRole::kParameter;
  std::string name;
};

/// The published name behind the spellings in use: `module.` (data parallel)
/// and `model.` (Lightning) in front, encoder names behind `longformer.`,
/// `roberta.`, `xlm_roberta.`, `xlm-roberta.` or nothing, LayerNorm `gamma`
/// and `beta`. An unknown prefix stays and is nobody's parameter.
PublishedName published_name(std::string_view name_in_file);

/// "key_global" projections of a model that has none (RoBERTa) are copies of
/// the local ones: the name of the local tensor, or empty if `name` is not a
/// global projection.
std::string local_counterpart(std::string_view name);

}  // namespace longformer
