// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "longformer/config/data_options.h"
#include "longformer/config/model_config.h"
#include "longformer/data/dataset.h"
#include "longformer/distributed/communicator.h"
#include "longformer/tokenizer/tokenizer.h"

namespace longformer {

/// The tokenizer of a command: in `tokenizer_dir` if given, else in `model_dir`
/// if it has one, else null (records must carry input_ids).
/// Throws ModelError, also if its ids do not fit the embedding table.
std::unique_ptr<Tokenizer> find_tokenizer(const std::string& tokenizer_dir,
                                          const std::string& model_dir,
                                          const ModelConfig& config);

/// What a model demands of its documents. `max_length` 0: all it can take, but
/// no more than the tokenizer's model_max_length (training stores there what it
/// cut documents to); `tokenizer` may be null.
/// Throws ConfigError naming the usable length when it is more than that.
EncodeOptions encode_options(const ModelConfig& config, std::int64_t max_length,
                             const Tokenizer* tokenizer = nullptr);

/// Where the labels of a data set stand.
struct LabelColumn {
  std::string name;
  /// An empty text means that none of several labels applies, instead of
  /// being an error.
  bool may_be_empty = false;
};

/// What the labelled data sets of a command have in common.
struct DatasetLoading {
  DataReadingOptions reading;
  LabelColumn label_column;
  const Tokenizer* tokenizer = nullptr;  ///< May be null; see build_dataset.
  EncodeOptions encode;
  int threads = 1;
  std::string cache_dir;  ///< Of the token cache; empty: there is none.
};

/// Reads and tokenises labelled files, or finds them in the token cache, and
/// logs how many documents, tokens and cuts there were. `purpose` names the
/// data in the log ("training").
///
/// `communicator`: the ranks that all want the data set, null if there are
/// none. Rank 0 reads and tokenises for all, so that a pipe is read once and no
/// work is done twice, and may use the threads of all ranks, which wait.
/// Afterwards the others map its token cache where they find it, and else get
/// the data set from it.
Dataset load_dataset(const std::string& purpose,
                     const std::vector<std::string>& inputs,
                     const DatasetLoading& loading,
                     Communicator* communicator = nullptr);

}  // namespace longformer
