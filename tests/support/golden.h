// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

namespace longformer::test {

/// The folder with the unpacked archives of tests/golden: model, trajectory,
/// metrics, checkpoint and tokenizer (see tests/golden/README.md). Throws
/// std::runtime_error when it is not there.
std::filesystem::path golden_dir();

}  // namespace longformer::test
