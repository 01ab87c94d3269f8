// SPDX-License-Identifier: MIT
#include "golden_case.h"

#include <filesystem>
#include <stdexcept>

#include "longformer/io/file_system.h"
#include "longformer/io/weight_file.h"

#include "support/golden.h"

namespace longformer::test {
namespace {

at::ScalarType scalar_type(DType dtype) {
  switch (dtype) {
    case DType::kF32:
      return at::kFloat;
    case DType::kF64:
      return at::kDouble;
    case DType::kI64:
      return at::kLong;
    default:
      throw std::runtime_error("unexpected type in golden data");
  }
}

std::vector<std::int64_t> row_values(const at::Tensor& tensor,
                                     std::int64_t row) {
  const at::Tensor values = tensor[row].to(at::kLong).contiguous();
  const auto* data = values.const_data_ptr<std::int64_t>();
  return {data, data + values.numel()};
}

at::Tensor long_tensor(const std::vector<std::int64_t>& values) {
  return at::tensor(values, at::kLong);
}

std::vector<std::int64_t> at_columns(const at::Tensor& tensor,
                                     const GoldenDocument& document) {
  std::vector<std::int64_t> values;
  for (const std::int64_t column : document.columns) {
    values.push_back(
        tensor[document.row][column].to(at::kLong).item<std::int64_t>());
  }
  return values;
}

}  // namespace

std::string GoldenCase::text(const char* key) const {
  return description.at(key).get<std::string>();
}

const at::Tensor& GoldenCase::expect(const std::string& key) const {
  const auto found = expected.find(key);
  if (found == expected.end()) {
    throw std::runtime_error(name + " has no " + key);
  }
  return found->second;
}

std::map<std::string, at::Tensor> read_tensors(const std::string& path) {
  std::map<std::string, at::Tensor> tensors;
  const auto file = WeightFile::open(path);
  for (const WeightEntry& entry : file->entries()) {
    at::Tensor tensor =
        at::empty(entry.shape, at::TensorOptions(scalar_type(entry.dtype)));
    file->read(entry, {static_cast<std::byte*>(tensor.data_ptr()),
                       static_cast<std::size_t>(tensor.nbytes())});
    tensors[entry.name] = tensor;
  }
  return tensors;
}

std::vector<std::string> classification_cases() {
  std::vector<std::string> names;
  const std::string root = (golden_dir() / "model").string();
  for (const DirectoryEntry& entry : list_directory(root)) {
    if (!entry.is_directory) continue;
    const std::string path = root + "/" + entry.name + "/case.json";
    if (parse_strict_json(read_file(path)).at("head") ==
        "sequence_classification") {
      names.push_back(entry.name);
    }
  }
  return names;
}

GoldenCase load_golden_case(const std::string& name) {
  GoldenCase golden;
  golden.name = name;
  golden.directory = (golden_dir() / "model" / name).string();
  golden.description =
      parse_strict_json(read_file(golden.directory + "/case.json"));
  golden.inputs = read_tensors(golden.directory + "/inputs.safetensors");
  golden.expected = read_tensors(golden.directory + "/expected.safetensors");
  return golden;
}

std::vector<GoldenDocument> live_documents(const GoldenCase& golden) {
  std::vector<GoldenDocument> documents;
  const at::Tensor& mask = golden.inputs.at("attention_mask");
  for (std::int64_t row = 0; row < mask.size(0); ++row) {
    GoldenDocument document{row, {}};
    const std::vector<std::int64_t> live = row_values(mask, row);
    for (std::size_t i = 0; i < live.size(); ++i) {
      if (live[i] != 0) {
        document.columns.push_back(static_cast<std::int64_t>(i));
      }
    }
    if (!document.columns.empty()) documents.push_back(document);
  }
  return documents;
}

bool has_hole(const GoldenDocument& document) {
  return document.columns.back() + 1 !=
         static_cast<std::int64_t>(document.columns.size());
}

PackedInput pack_golden(const GoldenCase& golden,
                        const std::vector<GoldenDocument>& documents,
                        std::int64_t pad_token_id) {
  std::vector<std::int64_t> ids, positions, types, offsets{0}, globals{0};
  std::vector<std::int32_t> global_positions, index;
  const auto types_found = golden.inputs.find("token_type_ids");
  for (const GoldenDocument& document : documents) {
    const auto row_ids =
        row_values(golden.inputs.at("input_ids"), document.row);
    const auto row_globals =
        row_values(golden.inputs.at("global_attention_mask"), document.row);
    std::int64_t count = 0;
    for (const std::int64_t column : document.columns) {
      const auto c = static_cast<std::size_t>(column);
      ids.push_back(row_ids[c]);
      if (row_ids[c] != pad_token_id) ++count;
      positions.push_back(row_ids[c] == pad_token_id ? pad_token_id
                                                     : pad_token_id + count);
      if (types_found != golden.inputs.end()) {
        types.push_back(row_values(types_found->second, document.row)[c]);
      }
      if (row_globals[c] != 0) {
        global_positions.push_back(static_cast<std::int32_t>(column));
      }
    }
    offsets.push_back(static_cast<std::int64_t>(ids.size()));
    globals.push_back(static_cast<std::int64_t>(global_positions.size()));
    index.push_back(static_cast<std::int32_t>(document.row));
  }
  PackedInput input;
  input.token_ids_T = long_tensor(ids);
  input.position_ids_T = long_tensor(positions);
  if (!types.empty()) input.token_type_ids_T = long_tensor(types);
  input.layout =
      PackedLayout(offsets, global_positions, globals, index, at::kCPU);
  return input;
}

Targets golden_targets(const GoldenCase& golden,
                       const std::vector<GoldenDocument>& documents) {
  std::vector<std::int64_t> rows;
  for (const GoldenDocument& document : documents) rows.push_back(document.row);
  at::Tensor labels =
      golden.inputs.at("labels").index_select(0, long_tensor(rows));
  Targets targets;
  targets.weights_B =
      at::ones({labels.size(0)}, at::TensorOptions(at::kDouble));
  if (labels.scalar_type() == at::kLong) {
    targets.class_ids_B = labels;
  } else {
    targets.values_BL = labels.dim() == 1 ? labels.unsqueeze(1) : labels;
  }
  return targets;
}

std::string golden_records(const GoldenCase& golden,
                           const std::vector<GoldenDocument>& documents) {
  std::string lines;
  for (const GoldenDocument& document : documents) {
    Json record;
    record["input_ids"] = at_columns(golden.inputs.at("input_ids"), document);
    Json globals = Json::array();
    const auto mask =
        at_columns(golden.inputs.at("global_attention_mask"), document);
    for (std::size_t i = 0; i < mask.size(); ++i) {
      if (mask[i] != 0) globals.push_back(i);
    }
    record["global_attention"] = globals;
    if (golden.inputs.contains("token_type_ids")) {
      record["token_type_ids"] =
          at_columns(golden.inputs.at("token_type_ids"), document);
    }
    lines += record.dump() + "\n";
  }
  return lines;
}

}  // namespace longformer::test
