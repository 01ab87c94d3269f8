// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "longformer/config/field.h"

namespace longformer {

/// Where and how the run is carried out, observed and saved.
struct RunOptions {
  std::string output_dir;
  std::int64_t seed = 42;
  bool shuffle = true;
  std::int64_t validate_every = 0;
  std::string best_metric = "auto";
  std::int64_t early_stopping_patience = 0;
  std::int64_t checkpoint_every = 0;
  std::int64_t keep_checkpoints = 2;
  std::string resume = "none";

  template <class Visit>
  static void describe(Visit&& visit) {
    visit(&RunOptions::output_dir,
          field("output_dir",
                "Directory for the model, checkpoints, metrics and the copy "
                "of these options.")
              .required());
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
                "none, auto (continue from the newest complete checkpoint in "
                "output_dir, or start if there is none), or the directory of "
                "a checkpoint."));
  }
};

}  // namespace longformer
