// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>

#include "longformer/config/train_options.h"
#include "longformer/data/dataset.h"
#include "longformer/data/label_map.h"
#include "longformer/distributed/communicator.h"
#include "longformer/io/file_lock.h"
#include "longformer/model/classifier.h"
#include "longformer/tokenizer/tokenizer.h"
#include "longformer/train/checkpoint_store.h"
#include "longformer/train/trainer.h"

namespace longformer {

/// Everything a training run works with, checked against each other.
struct TrainingSetup {
  /// Nobody else trains there meanwhile. Of rank 0; the others have none.
  std::optional<FileLock> output_dir;
  std::optional<Checkpoint> checkpoint;  ///< To continue from, if any.
  TrainOptions options;
  int threads = 1;
  std::unique_ptr<Tokenizer> tokenizer;  ///< Null: rows carry input_ids.
  std::optional<LabelMap> labels;
  Dataset train_data;
  std::optional<Dataset> validation_data;
  std::optional<Dataset> test_data;
  std::shared_ptr<LongformerClassifier> classifier;
  TrainerSettings trainer;
  std::int64_t total_steps = 0;
  std::string best_metric;
  std::shared_ptr<Communicator> communicator;  ///< Null: one process.

  /// Whether this process writes output_dir.
  bool is_main() const { return !communicator || communicator->rank() == 0; }
};

/// What prepare_training() refuses at once; for who starts the processes of a
/// job, so that none is started in vain. Throws as that does.
void check_training(const TrainOptions& options);

/// Reads data, tokenizer and model as `options` say. Logs what was decided:
/// problem type, labels, lengths, cuts, loaded and new weights.
///
/// Makes output_dir and takes it for this run, tidies up what a killed run left
/// there, and fills its token cache unless another folder or none was chosen;
/// nothing else is written.
/// `communicator`: the other ranks, null if there are none. Rank 0 checks,
/// writes, reads and tokenises for all (see load_dataset).
/// `device`: where the model is to be.
/// Throws ConfigError, DataError, ModelError, SystemError; as far as it can be
/// known before anything that takes time, then. PeerError if another rank did.
TrainingSetup prepare_training(
    const TrainOptions& options,
    std::shared_ptr<Communicator> communicator = nullptr,
    at::Device device = at::kCPU);

}  // namespace longformer
