// SPDX-License-Identifier: MIT
#pragma once

#include "longformer/io/mapped_file.h"

#include "weight_layout.h"

namespace longformer {

/// Largest pickle that is read: a state dictionary takes some 200 bytes a
/// tensor.
inline constexpr std::uint64_t kMaxPickleBytes = std::uint64_t{64} << 20;

/// Finds the tensors of a file that torch.save wrote: the zip archive of
/// PyTorch 1.6 and later, or the stream of pickles before.
///
/// Refused, beyond what pickle.h and state_dict.h refuse: TorchScript,
/// compressed or missing records, records whose size is not that of their
/// storage, unknown byte order. Throws FormatError and FileError.
WeightLayout read_torch_zip(const MappedFile& file);
WeightLayout read_torch_legacy(const MappedFile& file);

}  // namespace longformer
