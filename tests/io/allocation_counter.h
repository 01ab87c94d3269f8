// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace longformer::test {

/// Bytes that operator new has handed out and not got back, in the programs
/// that link allocation_counter.cpp, and the most since reset_peak().
std::int64_t allocated_bytes();
std::int64_t peak_allocated_bytes();
void reset_peak_allocated_bytes();

}  // namespace longformer::test
