// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pickle.h"

namespace longformer {

/// A flat array of elements that tensors are views of.
struct TorchStorage {
  std::string key;
  DType dtype = DType::kF32;
  std::int64_t num_elements = 0;  ///< As claimed; nothing is known of the file.
  std::string first_tensor;       ///< For messages; empty if unused.
};

/// A tensor as a strided view, in elements of its storage's dtype.
struct TorchTensor {
  std::string name;
  std::size_t storage = 0;  ///< Into StateDict::storages.
  std::int64_t offset = 0;
  std::vector<std::int64_t> shape;
  /// Empty when the elements are dense and in row-major order.
  std::vector<std::int64_t> strides;
};

struct StateDict {
  std::vector<TorchStorage> storages;  ///< Also of tensors beside the weights.
  std::vector<TorchTensor> tensors;    ///< In the order of the dictionary.
};

/// Finds the weights in a pickle: the outermost dictionary, or the one below
/// its key "state_dict" (then "model_state_dict", "model", "module" if there
/// are no tensors beside it). Other values are ignored. Every view is checked
/// to lie inside its storage's claimed size and not to overlap itself. Throws
/// FormatError naming the tensor.
StateDict read_state_dict(const PickleDocument& document);

}  // namespace longformer
