// SPDX-License-Identifier: MIT
//
// The precompiled header of the tests with tensors. The library's own cannot
// serve them: it belongs to code that is optimized.
#pragma once

#include "../../cmake/torch_pch.h"
#include "test_pch.h"
