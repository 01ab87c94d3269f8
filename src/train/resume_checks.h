// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "longformer/config/model_config.h"
#include "longformer/config/train_options.h"

namespace longformer {

/// Compares what a run is to continue with what it was, before anything that
/// takes time. `checkpoint` is the directory of a complete one, `config` the
/// model that `options` describe.
///
/// Throws ConfigError that names each option which cannot change on the way:
/// the model's shape and pooling, the length of documents, class weights. Warns
/// of the others.
void check_resumed_options(const std::string& checkpoint,
                           const TrainOptions& options,
                           const ModelConfig& config);

/// Throws ConfigError if the training data has other labels than the model of
/// the checkpoint.
void check_resumed_labels(const std::string& checkpoint,
                          const std::vector<std::string>& labels);

/// Throws ConfigError: the documents are not those of the checkpoint; names the
/// options that may be why.
[[noreturn]] void refuse_other_data(const std::string& checkpoint,
                                    const TrainOptions& options);

/// Whether the processes of a job may have different values of an option:
/// those that say where a host keeps its files. What is in these is compared
/// instead.
bool may_differ_between_ranks(std::string_view option);

}  // namespace longformer
