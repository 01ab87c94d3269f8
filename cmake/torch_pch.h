// SPDX-License-Identifier: MIT
//
// The one precompiled header: longformer_core and the tests that link it.
//
// Compiling it takes most of a minute once; without it each source file that
// sees tensors would pay 15 to 25 seconds. torch/torch.h stays out: it
// instantiates templates at the end of every file, which a precompiled header
// cannot save.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include <torch/csrc/autograd/custom_function.h>
#include <torch/nn/module.h>
#include <torch/types.h>
