// SPDX-License-Identifier: MIT
#include "longformer/train/tensor_batch.h"

#include <ATen/Functions.h>

namespace longformer {
namespace {

template <class T>
at::Tensor tensor_of(const std::vector<T>& values, at::ScalarType type,
                     at::Device device) {
  const at::Tensor host = at::from_blob(
      const_cast<T*>(values.data()), {static_cast<std::int64_t>(values.size())},
      at::TensorOptions(c10::CppTypeToScalarType<T>()));
  // A copy always: the vector's memory is not the tensor's.
  return host.to(at::TensorOptions(type).device(device), false, /*copy=*/true);
}

PackedLayout to_layout(const PackedBatch& batch, at::Device device) {
  std::vector<std::int64_t> offsets(batch.document_offsets.begin(),
                                    batch.document_offsets.end());
  std::vector<std::int32_t> positions = batch.global_tokens;
  std::vector<std::int64_t> global_offsets(batch.global_offsets.begin(),
                                           batch.global_offsets.end());
  if (global_offsets.empty()) {
    global_offsets.push_back(0);
    for (const std::int32_t prefix : batch.global_prefix) {
      for (std::int32_t g = 0; g < prefix; ++g) positions.push_back(g);
      global_offsets.push_back(static_cast<std::int64_t>(positions.size()));
    }
  }
  return {std::move(offsets), std::move(positions), std::move(global_offsets),
          batch.document_index, device};
}

}  // namespace

PackedInput to_packed_input(const PackedBatch& batch, at::Device device) {
  PackedInput input;
  input.token_ids_T = tensor_of(batch.token_ids, at::kLong, device);
  input.position_ids_T = tensor_of(batch.position_ids, at::kLong, device);
  if (!batch.token_type_ids.empty()) {
    input.token_type_ids_T = tensor_of(batch.token_type_ids, at::kLong, device);
  }
  input.layout = to_layout(batch, device);
  return input;
}

Targets to_targets(const PackedBatch& batch, ProblemType problem_type,
                   std::int64_t num_labels, at::Device device) {
  Targets targets;
  targets.weights_B = tensor_of(batch.weights, at::kDouble, device);
  if (problem_type == ProblemType::kSingleLabel) {
    targets.class_ids_B = tensor_of(batch.class_ids, at::kLong, device);
  } else {
    targets.values_BL =
        tensor_of(batch.values, at::kFloat, device).view({-1, num_labels});
  }
  return targets;
}

}  // namespace longformer
