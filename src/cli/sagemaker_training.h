// SPDX-License-Identifier: MIT
#pragma once

#include "longformer/base/error.h"
#include "longformer/config/train_options.h"
#include "longformer/launch/environment.h"
#include "longformer/launch/sagemaker_environment.h"

#include "commands.h"

namespace longformer {

/// Trains as one host of a SageMaker job: starts this host's processes, also if
/// it is only one, so that somebody is left to say why it ended. The reason of
/// a failure is for the caller to write (see tell_platform()).
///
/// Returns and throws as run_train_processes().
ExitCode train_on_sagemaker_host(const SageMakerEnvironment& job,
                                 const TrainOptions& options,
                                 const Arguments& arguments,
                                 const Environment& environment);

}  // namespace longformer
