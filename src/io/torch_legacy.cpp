// SPDX-License-Identifier: MIT
#include <string_view>
#include <unordered_map>
#include <utility>

#include "byte_order.h"
#include "format_error.h"
#include "pickle.h"
#include "state_dict.h"
#include "torch_file.h"

namespace longformer {
namespace {

using std::string_view_literals::operator""sv;

/// 0x1950a86a20f9469cfc6c, as LONG1 stores it.
constexpr std::string_view kMagic =
    "\x6C\xFC\x9C\x46\xF9\x20\x6A\xA8\x50\x19"sv;
constexpr std::int64_t kProtocol = 1001;

/// Reads the pickles and arrays that follow each other in the file.
class LegacyReader {
 public:
  explicit LegacyReader(std::string_view content) : rest_(content) {}

  PickleDocument read_next_pickle() {
    PickleDocument document = read_pickle(rest_.substr(0, kMaxPickleBytes));
    rest_.remove_prefix(document.num_bytes());
    return document;
  }

  /// Skips the array of one storage; returns the bytes in front of its data
  /// that were left, counted from the end of the file.
  std::uint64_t skip_storage(const TorchStorage& storage) {
    const std::string who =
        "storage " + in_quotes(storage.key) +
        (storage.first_tensor.empty()
             ? ""
             : " of tensor " + in_quotes(storage.first_tensor));
    if (rest_.size() < 8) {
      throw FormatError("ends before " + who + "; it is truncated");
    }
    const auto stored = read_little_endian<std::int64_t>(rest_);
    rest_.remove_prefix(8);
    if (stored != storage.num_elements) {
      throw FormatError(who + " has " + std::to_string(stored) +
                        " elements where " +
                        std::to_string(storage.num_elements) +
                        " were announced; the file is damaged");
    }
    const std::int64_t bytes = dtype_bytes(storage.dtype, stored).value_or(-1);
    if (bytes < 0 || static_cast<std::uint64_t>(bytes) > rest_.size()) {
      throw FormatError(who + " of " + std::to_string(stored) + " " +
                        std::string(dtype_name(storage.dtype)) +
                        " elements does not fit into the " +
                        std::to_string(rest_.size()) +
                        " bytes that are left; the file is truncated");
    }
    const std::uint64_t left = rest_.size();
    rest_.remove_prefix(static_cast<std::size_t>(bytes));
    return left;
  }

  std::size_t num_left() const { return rest_.size(); }

 private:
  std::string_view rest_;
};

void check_magic(const PickleDocument& document) {
  const PickleValue& magic = document.at(document.root());
  if (magic.kind != PickleKind::kBigInteger || magic.text != kMagic) {
    throw FormatError(
        "is a pickle, but does not start with the number that torch.save "
        "writes; save model.state_dict() with torch.save");
  }
}

void check_protocol(const PickleDocument& document) {
  const PickleValue& protocol = document.at(document.root());
  if (protocol.kind != PickleKind::kInteger || protocol.integer != kProtocol) {
    throw FormatError("its version of the format before PyTorch 1.6 is not " +
                      std::to_string(kProtocol));
  }
}

/// The data are little-endian whatever the machine was, but no such file was
/// ever seen: better refused than read wrongly.
void check_byte_order(const PickleDocument& document) {
  const PickleId root = document.root();
  if (document.at(root).kind != PickleKind::kDict) {
    throw FormatError("its description of the system is no dictionary");
  }
  for (const auto& [key, value] : document.pairs(root)) {
    if (document.at(key).text == "little_endian" &&
        document.at(value).integer == 0) {
      throw FormatError(
          "was written on a machine with big-endian byte order, which is not "
          "supported for files of PyTorch before 1.6; save it again with a "
          "newer version");
    }
  }
}

/// Which storage stands where, from the list of their keys.
std::vector<std::uint64_t> place_storages(LegacyReader& reader,
                                          const StateDict& state,
                                          std::uint64_t file_bytes) {
  std::unordered_map<std::string_view, std::size_t> by_key;
  for (std::size_t i = 0; i < state.storages.size(); ++i) {
    by_key.emplace(state.storages[i].key, i);
  }
  const PickleDocument keys = reader.read_next_pickle();
  if (keys.at(keys.root()).kind != PickleKind::kList) {
    throw FormatError("its list of storages is no list");
  }
  std::vector<std::uint64_t> offsets(state.storages.size(), 0);
  for (const PickleId id : keys.items(keys.root())) {
    const auto at = by_key.find(keys.at(id).text);
    if (at == by_key.end() || offsets[at->second] != 0) {
      throw FormatError("its list of storages names " +
                        in_quotes(keys.at(id).text) +
                        ", which is unknown or was named before");
    }
    offsets[at->second] =
        file_bytes - reader.skip_storage(state.storages[at->second]);
  }
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    if (offsets[i] == 0) {
      fail_tensor(state.storages[i].first_tensor,
                  "its storage " + in_quotes(state.storages[i].key) +
                      " is missing from the file");
    }
  }
  return offsets;
}

}  // namespace

WeightLayout read_torch_legacy(const MappedFile& file) {
  LegacyReader reader(file.text());
  check_magic(reader.read_next_pickle());
  check_protocol(reader.read_next_pickle());
  check_byte_order(reader.read_next_pickle());
  StateDict state = read_state_dict(reader.read_next_pickle());
  const std::vector<std::uint64_t> offsets =
      place_storages(reader, state, file.size());
  if (reader.num_left() != 0) {
    throw FormatError("has " + std::to_string(reader.num_left()) +
                      " bytes behind its last storage; it is damaged or "
                      "something was appended");
  }

  WeightLayout layout;
  for (TorchTensor& tensor : state.tensors) {
    const DType dtype = state.storages[tensor.storage].dtype;
    StoredTensor where;
    where.offset =
        offsets[tensor.storage] +
        static_cast<std::uint64_t>(tensor.offset * (dtype_bits(dtype) / 8));
    where.strides = std::move(tensor.strides);
    layout.add(std::move(tensor.name), dtype, std::move(tensor.shape),
               std::move(where));
  }
  check_names_unique(layout.entries);
  return layout;
}

}  // namespace longformer
