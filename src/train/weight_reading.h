// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "longformer/io/model_files.h"

namespace longformer {

/// One tensor of a file, and the tensor of the model that takes its values.
struct WeightRead {
  const ModelFiles::Tensor* source;
  at::Tensor destination;
  bool is_mapped = false;  ///< `destination` is the file itself.
};

/// Throws ModelError naming file and tensor if the shapes differ.
void check_shape(const ModelFiles::Tensor& source, const at::Tensor& wanted,
                 const std::string& advice);

/// Whether the file can be read piece by piece straight into the destination.
bool is_read_in_parts(const WeightRead& read);

/// The values of a float tensor inside its file, which lives as long as the
/// tensor; undefined where they can only be copied.
at::Tensor mapped_tensor(const ModelFiles::Tensor& source,
                         const std::shared_ptr<const ModelFiles>& files);

/// Reads tensors whose shapes have been checked (mapped ones are only checked),
/// on all threads. Throws ModelError if a value is not finite.
void read_all(const std::vector<WeightRead>& reads);

}  // namespace longformer
