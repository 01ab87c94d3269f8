// SPDX-License-Identifier: MIT
#include "longformer/train/data_loading.h"

#include <algorithm>

#include "longformer/base/error.h"
#include "longformer/base/fault_point.h"
#include "longformer/base/log.h"
#include "longformer/base/threads.h"
#include "longformer/data/build_dataset.h"
#include "longformer/data/input_files.h"
#include "longformer/data/token_cache.h"

#include "dataset_sharing.h"

namespace longformer {

std::unique_ptr<Tokenizer> find_tokenizer(const std::string& tokenizer_dir,
                                          const std::string& model_dir,
                                          const ModelConfig& config) {
  std::unique_ptr<Tokenizer> tokenizer;
  if (!tokenizer_dir.empty()) {
    tokenizer = load_tokenizer(tokenizer_dir);
  } else if (!model_dir.empty() && has_tokenizer(model_dir)) {
    tokenizer = load_tokenizer(model_dir);
  }
  if (tokenizer != nullptr) {
    log_info("tokenizer: " + tokenizer->description());
    if (config.vocab_size > 0) {
      check_embedding_rows(*tokenizer, config.vocab_size,
                           model_dir.empty() ? "config.json" : model_dir);
    }
  }
  return tokenizer;
}

EncodeOptions encode_options(const ModelConfig& config, std::int64_t max_length,
                             const Tokenizer* tokenizer) {
  EncodeOptions options;
  options.max_length = max_length > 0 ? max_length : config.usable_length();
  const std::int64_t limit =
      tokenizer == nullptr ? 0 : tokenizer->model_max_length();
  if (max_length == 0 && limit > 0 && limit < options.max_length) {
    options.max_length = limit;
    log_info("documents are cut to " + std::to_string(limit) +
             " tokens, the tokenizer's model_max_length; max_length changes "
             "that");
  }
  options.vocab_size = config.vocab_size;
  options.type_vocab_size = config.type_vocab_size;
  options.max_position_embeddings = config.max_position_embeddings;
  options.pad_token_id = static_cast<std::int32_t>(config.pad_token_id);
  options.global_policy = GlobalPolicy::kFirstToken;
  check_encode_options(options);
  return options;
}

namespace {

std::string counts_of(const std::string& purpose, const Dataset& dataset) {
  return purpose + " data: " + std::to_string(dataset.size()) + " documents, " +
         std::to_string(dataset.num_tokens()) + " tokens";
}

void log_result(const std::string& purpose, const Dataset& dataset,
                const RecordReader& reader, bool from_cache) {
  std::string line = counts_of(purpose, dataset) +
                     (from_cache ? " (from the token cache)" : "");
  if (dataset.num_truncated() > 0) {
    line += "; " + std::to_string(dataset.num_truncated()) +
            " documents were cut to " +
            std::to_string(dataset.columns().options.max_length) + " tokens (" +
            std::to_string(dataset.num_cut_tokens()) + " tokens lost)";
  }
  if (reader.bad_rows() > 0) {
    line += "; " + std::to_string(reader.bad_rows()) + " bad rows skipped";
  }
  if (reader.replaced_sequences() > 0) {
    line += "; " + std::to_string(reader.replaced_sequences()) +
            " ill-formed byte sequences became U+FFFD";
  }
  log_info(line);
  dataset.columns().lost_globals.warn();
}

/// Returns the entry of the token cache in `entry`, "" if there is none.
Dataset load_alone(const std::string& purpose,
                   const std::vector<std::string>& inputs,
                   const DatasetLoading& loading, int threads,
                   std::string& entry) {
  ReaderSettings settings;
  settings.reading = loading.reading;
  settings.label_column = loading.label_column.name;
  settings.allow_empty_label = loading.label_column.may_be_empty;
  settings.require_label = true;
  RecordReader reader(expand_inputs(inputs), settings);
  TokenCacheUse use;
  Dataset dataset =
      loading.cache_dir.empty()
          ? build_dataset(reader, loading.tokenizer, loading.encode, threads)
          : TokenCache(loading.cache_dir)
                .load_or_build(reader, loading.tokenizer, loading.encode,
                               threads, {}, &use);
  log_result(purpose, dataset, reader, use.hit);
  entry = use.entry;
  return dataset;
}

}  // namespace

Dataset load_dataset(const std::string& purpose,
                     const std::vector<std::string>& inputs,
                     const DatasetLoading& loading,
                     Communicator* communicator) {
  Dataset dataset;
  std::string entry;
  if (communicator == nullptr) {
    return load_alone(purpose, inputs, loading, loading.threads, entry);
  }
  communicator->set_activity("reading the " + purpose + " data");
  if (communicator->rank() == 0) {
    fault_point("reading");
    const int threads = std::max(
        loading.threads,
        std::min(available_threads(), loading.threads * communicator->size()));
    dataset = load_alone(purpose, inputs, loading, threads, entry);
  }
  communicator->await_all();
  share_dataset(*communicator, entry, loading.encode, dataset);
  if (communicator->rank() != 0) {
    log_info(counts_of(purpose, dataset) + " (read by rank 0)");
  }
  return dataset;
}

}  // namespace longformer
