// SPDX-License-Identifier: MIT
#pragma once

#include "longformer/config/field.h"
#include "longformer/config/precision.h"
#include "longformer/config/train_options.h"

namespace longformer {

struct DoctorTask {
  bool json = false;
  Precision precision = Precision::kAuto;

  template <class Visit>
  static void describe(Visit&& visit) {
    visit(&DoctorTask::json,
          field("json", "Print JSON, for programs, instead of text."));
    visit(&DoctorTask::precision,
          field("precision",
                "Say whether the devices suit this precision; auto: bf16 or "
                "fp16 where the GPUs have it, fp32 on the CPU."));
  }
};

/// Every option of `longformer doctor`: its own and, so that a training's
/// arguments and config file can be given as they are, those of `train`.
struct DoctorOptions : TrainOptions {
  static constexpr bool kNothingIsRequired = true;  ///< See bind_fields().
  static constexpr std::string_view kOwnGroup = "Check";

  DoctorTask doctor;

  template <class Visit>
  static void describe(Visit&& group) {
    group(&DoctorOptions::doctor, kOwnGroup);
    TrainOptions::describe(group);
  }
};

}  // namespace longformer
