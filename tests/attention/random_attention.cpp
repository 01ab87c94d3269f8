// SPDX-License-Identifier: MIT
#include "random_attention.h"

#include <ATen/CPUGeneratorImpl.h>

namespace longformer::test {

const std::vector<BatchShape>& batch_shapes() {
  static const std::vector<BatchShape> shapes{
      {"OneToken", {1}, {{0}}},
      {"OneTokenWithoutGlobals", {1}, {{}}},
      {"Prefixes", {17, 40, 5, 33}, {{0}, {0}, {0}, {0}}},
      {"NoGlobals", {23, 8}, {{}, {}}},
      {"LongPrefix", {30, 12}, {{0, 1, 2, 3, 4, 5, 6}, {0, 1}}},
      {"AllGlobal", {6, 9}, {{0, 1, 2, 3, 4, 5}, {0}}},
      {"Scattered", {29, 31, 14}, {{0, 9, 10, 28}, {30}, {}}},
      {"Long", {150, 97}, {{0}, {0, 50, 96}}},
  };
  return shapes;
}

PackedLayout make_layout(const BatchShape& shape, at::Device device) {
  std::vector<std::int64_t> offsets{0}, global_offsets{0};
  std::vector<std::int32_t> positions, index;
  for (std::size_t b = 0; b < shape.lengths.size(); ++b) {
    offsets.push_back(offsets.back() + shape.lengths[b]);
    positions.insert(positions.end(), shape.globals[b].begin(),
                     shape.globals[b].end());
    global_offsets.push_back(static_cast<std::int64_t>(positions.size()));
    index.push_back(static_cast<std::int32_t>(3 * b + 1));
  }
  return {offsets, positions, global_offsets, index, device};
}

std::vector<AttentionCase> attention_cases(
    const std::vector<std::int64_t>& windows) {
  std::vector<AttentionCase> cases;
  for (std::size_t shape = 0; shape < batch_shapes().size(); ++shape) {
    for (const std::int64_t window : windows) {
      for (const double dropout : {0.0, 0.3}) {
        for (const at::ScalarType dtype : {at::kDouble, at::kFloat}) {
          cases.push_back({shape, window, dropout, dtype});
        }
      }
    }
  }
  return cases;
}

std::string name_of_case(const testing::TestParamInfo<AttentionCase>& tested) {
  const AttentionCase& it = tested.param;
  return std::string(batch_shapes()[it.shape].name) + "Window" +
         std::to_string(it.window) + (it.dropout > 0 ? "Dropout" : "") +
         (it.dtype == at::kDouble ? "Fp64" : "Fp32");
}

void PrintTo(const AttentionCase& tested, std::ostream* out) {
  *out << tested.window << " " << tested.dtype;
}

at::Tensor random_rows(std::int64_t rows, std::int64_t columns,
                       std::uint64_t seed, at::ScalarType dtype) {
  const at::Generator generator = at::detail::createCPUGenerator(seed);
  return at::randn({rows, columns}, generator, at::TensorOptions(at::kDouble))
      .to(dtype);
}

AttentionInputs random_inputs(const PackedLayout& layout, std::int64_t hidden,
                              at::ScalarType dtype) {
  const std::int64_t tokens = layout.num_tokens();
  const std::int64_t globals = layout.num_global_tokens();
  AttentionInputs inputs;
  inputs.query = random_rows(tokens, hidden, 1, dtype);
  inputs.key = random_rows(tokens, hidden, 2, dtype);
  inputs.value = random_rows(tokens, hidden, 3, dtype);
  inputs.output_gradient = random_rows(tokens, hidden, 4, dtype);
  inputs.rows = {random_rows(tokens, hidden, 5, dtype),
                 random_rows(globals, hidden, 6, dtype),
                 random_rows(hidden, hidden, 7, dtype) * 0.3,
                 random_rows(hidden, hidden, 8, dtype) * 0.3,
                 random_rows(1, hidden, 9, dtype)[0]};
  inputs.rows_output_gradient = random_rows(globals, hidden, 10, dtype);
  return inputs;
}

double largest_difference(const at::Tensor& a, const at::Tensor& b) {
  if (a.numel() == 0) return 0;
  return (a.to(at::kDouble) - b.to(at::kDouble)).abs().max().item<double>();
}

}  // namespace longformer::test
