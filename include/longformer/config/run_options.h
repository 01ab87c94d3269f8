// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "longformer/config/field.h"

namespace longformer {

/// Where and how the run is carried out, observed and saved.
struct RunOptions {
  std::string output_dir;
  std::string model_dir;
  std::string checkpoint_dir;
  std::int64_t seed = 42;
  bool shuffle = true;
  std::int64_t validate_every = 0;
  std::string best_metric = "auto";
  std::int64_t early_stopping_patience = 0;
  std::int64_t checkpoint_every = 0;
  std::int64_t keep_checkpoints = 2;
  std::string resume = "none";
  bool print_metrics = false;

  template <class Visit>
  static void describe(Visit&& visit) {
    visit(&RunOptions::output_dir,
          field("output_dir",
                "Directory for the model, checkpoints, metrics and the copy "
                "of these options.")
              .required());
    visit(&RunOptions::model_dir,
          field("model_dir",
                "Directory for the files of the model, which replace files of "
                "the same names; empty: model in output_dir."));
    visit(&RunOptions::checkpoint_dir,
          field("checkpoint_dir",
                "Directory for the checkpoints; empty: checkpoints in "
                "output_dir. Checkpoints in a directory of their own also hold "
                "the best model and the metrics so far, so that a run can "
                "continue from them when all else is lost."));
    visit(&RunOptions::seed,
          field("seed",
                "Any whole number; decides shuffling, dropout and new "
                "weights."));
    visit(&RunOptions::shuffle,
          field("shuffle",
                "Visit the documents of an epoch in a random order instead "
                "of the files'."));
    visit(&RunOptions::validate_every,
          field("validate_every",
                "Measure on the validation data after so many steps; 0: "
                "after every epoch.")
              .unit("steps")
              .at_least(0));
    visit(&RunOptions::best_metric,
          field("best_metric",
                "Metric of the validation data that chooses the best model; "
                "auto: the usual one for the kind of labels."));
    visit(&RunOptions::early_stopping_patience,
          field("early_stopping_patience",
                "Stop after so many validations without a better value of "
                "best_metric; 0: never.")
              .unit("validations")
              .at_least(0));
    visit(&RunOptions::checkpoint_every,
          field("checkpoint_every",
                "Save a checkpoint after so many steps; 0: after every "
                "epoch.")
              .unit("steps")
              .at_least(0));
    visit(&RunOptions::keep_checkpoints,
          field("keep_checkpoints",
                "Newest checkpoints that are kept; older ones are deleted.")
              .unit("checkpoints")
              .range(1, 1e6));
    visit(&RunOptions::resume,
          field("resume",
                "none, auto (continue from the newest complete checkpoint, or "
                "start if there is none; refused if all are damaged), "
                "auto_or_restart (the same, but starts again if all are "
                "damaged), or the directory of a checkpoint."));
    visit(&RunOptions::print_metrics,
          field("print_metrics",
                "Print lines such as \"metric train_loss=0.1234 step=100\" on "
                "standard output, for platforms that read metrics from "
                "there."));
  }
};

}  // namespace longformer
