// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "longformer/launch/sagemaker_environment.h"

/// One reader for each of the platform's files; a file that does not exist
/// says nothing.
namespace longformer {

/// Hosts, this host's index and the network interface, from
/// resourceconfig.json or the toolkit's variables.
void read_resources(const Environment& environment, const std::string& file,
                    SageMakerEnvironment& sagemaker);

/// The channels, from inputdataconfig.json, else from the folders in
/// `data_dir`, with the toolkit's SM_CHANNEL_... on top.
void read_channels(const Environment& environment, const std::string& file,
                   const std::string& data_dir,
                   SageMakerEnvironment& sagemaker);

/// Whether `one` comes before `other` with numbers compared as numbers.
bool natural_less(std::string_view one, std::string_view other);

}  // namespace longformer
