// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "longformer/config/model_config.h"
#include "longformer/data/dataset.h"
#include "longformer/data/label_map.h"

namespace longformer {

/// Problem type of a model: what its config says, else regression for one
/// output and single-label classification for more.
ProblemType problem_type_of(const ModelConfig& config);

/// The labels of a trained model, for printing answers: names of its config in
/// their order, written as in the data it was trained on.
LabelMap labels_of_model(const ModelConfig& config);

/// The labels of a trained model for reading the labels of `dataset`. Names
/// must be the model's; a model whose labels have no names of their own
/// (LABEL_0, ...) reads the numbers 0 ... L - 1 as well.
LabelMap match_labels(const ModelConfig& config, const Dataset& dataset);

/// Labels, problem type and their spelling of a new head.
void set_labels(ModelConfig& config, const LabelMap& labels);

}  // namespace longformer
