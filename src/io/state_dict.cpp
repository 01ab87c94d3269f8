// SPDX-License-Identifier: MIT
#include "state_dict.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "longformer/base/utf8.h"

#include "format_error.h"
#include "weight_layout.h"

namespace longformer {
namespace {

constexpr std::array<std::string_view, 4> kNestedKeys = {
    "state_dict", "model_state_dict", "model", "module"};
constexpr int kMaxNestedKeys = 8;

/// True when no two positions of the view share an element, axes with stride 0
/// left aside. Sufficient, not necessary (LibTorch uses the same rule).
bool is_non_overlapping(const TorchTensor& tensor) {
  std::vector<std::pair<std::int64_t, std::int64_t>> axes;  // stride, size
  for (std::size_t i = 0; i < tensor.shape.size(); ++i) {
    if (tensor.shape[i] > 1 && tensor.strides[i] > 0) {
      axes.emplace_back(tensor.strides[i], tensor.shape[i]);
    }
  }
  std::sort(axes.begin(), axes.end());
  std::int64_t extent = 1;  // Of the axes so far; they fit into the storage.
  for (const auto& [stride, size] : axes) {
    if (stride < extent) return false;
    extent += (size - 1) * stride;
  }
  return true;
}

bool is_dense(const TorchTensor& tensor) {
  std::int64_t expected = 1;
  for (std::size_t i = tensor.shape.size(); i > 0; --i) {
    if (tensor.shape[i - 1] == 1) continue;
    if (tensor.strides[i - 1] != expected) return false;
    expected *= tensor.shape[i - 1];
  }
  return true;
}

/// Index behind the last element of a view that has elements; nothing on
/// overflow.
std::optional<std::int64_t> end_of_view(const TorchTensor& tensor) {
  std::int64_t end = 1;
  bool is_overflow = __builtin_add_overflow(end, tensor.offset, &end);
  for (std::size_t i = 0; i < tensor.shape.size(); ++i) {
    std::int64_t reach = 0;
    is_overflow |=
        __builtin_mul_overflow(tensor.shape[i] - 1, tensor.strides[i], &reach);
    is_overflow |= __builtin_add_overflow(end, reach, &end);
  }
  if (is_overflow) return std::nullopt;
  return end;
}

class StateDictReader {
 public:
  explicit StateDictReader(const PickleDocument& document)
      : document_(document) {}

  StateDict read();

 private:
  bool is_dict(PickleId id) const {
    const PickleKind kind = document_.at(id).kind;
    return kind == PickleKind::kDict || kind == PickleKind::kOrderedDict;
  }
  std::optional<PickleId> find_dict(PickleId dict, std::string_view key) const;
  bool has_tensors(PickleId dict) const;
  PickleId find_weights() const;
  std::string keys_text(PickleId dict) const;

  std::int64_t integer(PickleId id, const char* what) const;
  std::vector<std::int64_t> integers(PickleId id, const char* what) const;
  std::size_t add_storage(std::span<const PickleId> parts);
  /// Offset and length of what a tensor may use of its storage.
  std::pair<std::int64_t, std::int64_t> usable_part(
      std::span<const PickleId> parts, std::int64_t num_elements) const;
  void add_tensor(std::string_view name, PickleId id);
  void check_view(const TorchTensor& tensor, std::int64_t begin,
                  std::int64_t size) const;

  [[noreturn]] void fail(const std::string& reason) const {
    if (tensor_name_.empty()) throw FormatError(reason);
    fail_tensor(tensor_name_, reason);
  }

  const PickleDocument& document_;
  StateDict result_;
  std::unordered_map<std::string_view, std::size_t> storage_by_key_;
  std::string tensor_name_;  ///< The one being read, for messages.
};

std::optional<PickleId> StateDictReader::find_dict(PickleId dict,
                                                   std::string_view key) const {
  for (const auto& [key_id, value_id] : document_.pairs(dict)) {
    const PickleValue& found = document_.at(key_id);
    if (found.kind == PickleKind::kText && found.text == key &&
        is_dict(value_id)) {
      return value_id;
    }
  }
  return std::nullopt;
}

bool StateDictReader::has_tensors(PickleId dict) const {
  const auto pairs = document_.pairs(dict);
  return std::any_of(pairs.begin(), pairs.end(), [&](const auto& pair) {
    return document_.at(pair.second).kind == PickleKind::kTensor;
  });
}

std::string StateDictReader::keys_text(PickleId dict) const {
  std::string text;
  int num_keys = 0;
  for (const auto& pair : document_.pairs(dict)) {
    const PickleValue& key = document_.at(pair.first);
    if (key.kind != PickleKind::kText) continue;
    if (++num_keys > 5) return text + ", ...";
    text += (num_keys > 1 ? ", " : "") + in_quotes(key.text);
  }
  return num_keys > 0 ? text : "none";
}

PickleId StateDictReader::find_weights() const {
  PickleId dict = document_.root();
  if (!is_dict(dict)) {
    fail("its pickle holds no dictionary of tensors; save model.state_dict()");
  }
  for (int level = 0; level < kMaxNestedKeys; ++level) {
    std::optional<PickleId> nested = find_dict(dict, kNestedKeys[0]);
    for (const std::string_view key : kNestedKeys) {
      if (!nested && !has_tensors(dict)) nested = find_dict(dict, key);
    }
    if (!nested) break;
    dict = *nested;
  }
  if (!has_tensors(dict)) {
    fail("its dictionary holds no tensors (keys: " + keys_text(dict) +
         "); save model.state_dict()");
  }
  return dict;
}

std::int64_t StateDictReader::integer(PickleId id, const char* what) const {
  const PickleValue& value = document_.at(id);
  if (value.kind != PickleKind::kInteger) {
    fail(std::string("its ") + what + " is no integer in range");
  }
  if (value.integer < 0) {
    fail(std::string("its ") + what + " is negative (" +
         std::to_string(value.integer) + ")");
  }
  return value.integer;
}

std::vector<std::int64_t> StateDictReader::integers(PickleId id,
                                                    const char* what) const {
  const PickleKind kind = document_.at(id).kind;
  if (kind != PickleKind::kTuple && kind != PickleKind::kList) {
    fail(std::string("its ") + what + " is no tuple");
  }
  const auto items = document_.items(id);
  if (items.size() > kMaxDimensions) {
    fail("it has more than " + std::to_string(kMaxDimensions) + " dimensions");
  }
  std::vector<std::int64_t> values;
  for (const PickleId item : items) values.push_back(integer(item, what));
  return values;
}

std::size_t StateDictReader::add_storage(std::span<const PickleId> parts) {
  const PickleValue& type = document_.at(parts[1]);
  const PickleValue& key = document_.at(parts[2]);
  if (type.kind != PickleKind::kGlobal ||
      type.global != PickleGlobal::kStorageType) {
    fail("its storage has no type");
  }
  if (key.kind != PickleKind::kText) fail("its storage's key is no text");
  const std::int64_t num_elements = integer(parts[4], "storage size");
  const auto [at, is_new] =
      storage_by_key_.emplace(key.text, result_.storages.size());
  if (is_new) {
    result_.storages.push_back(
        {std::string(key.text), type.dtype, num_elements, tensor_name_});
  } else if (result_.storages[at->second].dtype != type.dtype ||
             result_.storages[at->second].num_elements != num_elements) {
    fail("its storage " + in_quotes(key.text) +
         " is described with two types or sizes");
  }
  return at->second;
}

std::pair<std::int64_t, std::int64_t> StateDictReader::usable_part(
    std::span<const PickleId> parts, std::int64_t num_elements) const {
  // Before PyTorch 1.6 a storage could be a part of another: (key, offset,
  // size).
  if (parts.size() < 6 || document_.at(parts[5]).kind == PickleKind::kNone) {
    return {0, num_elements};
  }
  if (document_.at(parts[5]).kind != PickleKind::kTuple ||
      document_.items(parts[5]).size() != 3) {
    fail("the part of its storage is not described by three values");
  }
  const auto view = document_.items(parts[5]);
  const std::int64_t offset = integer(view[1], "storage part's offset");
  const std::int64_t size = integer(view[2], "storage part's size");
  if (offset > num_elements || size > num_elements - offset) {
    fail("the part of its storage lies outside of it");
  }
  return {offset, size};
}

void StateDictReader::check_view(const TorchTensor& tensor, std::int64_t begin,
                                 std::int64_t size) const {
  const std::string what = "its view of shape " + shape_text(tensor.shape) +
                           " with strides " + shape_text(tensor.strides) +
                           " at offset " +
                           std::to_string(tensor.offset - begin);
  const auto num_elements = product(tensor.shape);
  const DType dtype = result_.storages[tensor.storage].dtype;
  if (!num_elements || !dtype_bytes(dtype, *num_elements)) {
    fail(what + " has more elements than can be counted");
  }
  if (*num_elements == 0) return;
  const auto end = end_of_view(tensor);
  if (!end || *end > begin + size) {
    fail(what + " leaves its storage of " + std::to_string(size) + " elements");
  }
  // Views that repeat elements could be larger than the file by any factor;
  // expanded ones are taken as long as they are not.
  if (*num_elements > size || !is_non_overlapping(tensor)) {
    fail(what + " repeats elements; save the tensor with .contiguous()");
  }
}

void StateDictReader::add_tensor(std::string_view name, PickleId id) {
  // torch._utils._rebuild_tensor_v2(storage, offset, size, stride, ...)
  const auto arguments = document_.items(id);
  if (document_.at(arguments[0]).kind != PickleKind::kStorage) {
    fail("it has no storage");
  }
  const auto parts = document_.items(arguments[0]);
  TorchTensor tensor;
  tensor.name = name;
  tensor.storage = add_storage(parts);
  const auto [begin, size] =
      usable_part(parts, result_.storages[tensor.storage].num_elements);
  if (__builtin_add_overflow(integer(arguments[1], "offset"), begin,
                             &tensor.offset)) {
    fail("its offset is out of range");
  }
  tensor.shape = integers(arguments[2], "size");
  tensor.strides = integers(arguments[3], "stride");
  if (tensor.strides.size() != tensor.shape.size()) {
    fail("it has " + std::to_string(tensor.shape.size()) + " dimensions but " +
         std::to_string(tensor.strides.size()) + " strides");
  }
  check_view(tensor, begin, size);
  if (product(tensor.shape) == 0 || is_dense(tensor)) tensor.strides.clear();
  result_.tensors.push_back(std::move(tensor));
}

StateDict StateDictReader::read() {
  for (const auto& [key_id, value_id] : document_.pairs(find_weights())) {
    if (document_.at(value_id).kind != PickleKind::kTensor) continue;
    const PickleValue& key = document_.at(key_id);
    if (key.kind != PickleKind::kText ||
        find_invalid_utf8(key.text) != std::string_view::npos) {
      fail("its dictionary holds a tensor whose key is no valid text");
    }
    tensor_name_ = key.text;
    add_tensor(key.text, value_id);
    tensor_name_.clear();
  }
  for (PickleId id = 0; id < document_.num_values(); ++id) {
    if (document_.at(id).kind == PickleKind::kStorage) {
      add_storage(document_.items(id));
    }
  }
  return std::move(result_);
}

}  // namespace

StateDict read_state_dict(const PickleDocument& document) {
  return StateDictReader(document).read();
}

}  // namespace longformer
