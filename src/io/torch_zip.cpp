// SPDX-License-Identifier: MIT
#include <algorithm>
#include <utility>

#include <zlib.h>

#include "format_error.h"
#include "pickle.h"
#include "state_dict.h"
#include "torch_file.h"
#include "zip_archive.h"

namespace longformer {
namespace {

constexpr std::string_view kPickleName = "/data.pkl";

/// The folder inside the archive that holds everything, named after the file
/// when it was saved.
std::string find_top_folder(const ZipArchive& archive) {
  for (const ZipRecord& record : archive.records()) {
    const std::string_view name = record.name;
    if (name.ends_with(kPickleName) &&
        name.find('/') == name.size() - kPickleName.size()) {
      return record.name.substr(0, name.size() - kPickleName.size());
    }
  }
  throw FormatError(
      "is a zip archive without data.pkl, so not one that torch.save wrote");
}

void refuse_torchscript(const ZipArchive& archive, const std::string& top) {
  const bool has_code =
      std::any_of(archive.records().begin(), archive.records().end(),
                  [&](const ZipRecord& record) {
                    return record.name.starts_with(top + "/code/");
                  });
  if (has_code || archive.find(top + "/constants.pkl") != nullptr) {
    throw FormatError(
        "is a TorchScript archive, which holds a program and not only "
        "weights; save model.state_dict() instead");
  }
}

void check_stored(const ZipRecord& record) {
  if (!record.is_stored()) {
    throw FormatError("its record " + in_quotes(record.name) +
                      " is compressed, which torch.save never does; it is not "
                      "unpacked, write the file again");
  }
}

/// A small record as text, with its checksum compared.
std::string read_record(const MappedFile& file, const ZipRecord& record) {
  check_stored(record);
  if (record.size > kMaxPickleBytes) {
    throw FormatError("its record " + in_quotes(record.name) + " of " +
                      std::to_string(record.size) + " bytes is too large");
  }
  std::string text(record.size, '\0');
  file.read_at(record.offset, std::as_writable_bytes(std::span(text)));
  const auto* data = reinterpret_cast<const Bytef*>(text.data());
  if (::crc32_z(0, data, text.size()) != record.crc) {
    throw FormatError("the checksum (CRC) of its record " +
                      in_quotes(record.name) +
                      " is wrong; the file is damaged, get it again");
  }
  return text;
}

bool is_big_endian(const MappedFile& file, const ZipArchive& archive,
                   const std::string& top) {
  const ZipRecord* record = archive.find(top + "/byteorder");
  if (record == nullptr) return false;
  const std::string order = read_record(file, *record);
  if (order != "little" && order != "big") {
    throw FormatError("its byte order " + in_quotes(order) + " is unknown");
  }
  return order == "big";
}

/// The record that holds a storage, with its size checked.
const ZipRecord& find_storage(const ZipArchive& archive, const std::string& top,
                              const TorchStorage& storage) {
  const auto refuse = [&](const std::string& reason) {
    fail_tensor(storage.first_tensor, reason);
  };
  if (storage.key.find_first_of("/\\") != std::string::npos) {
    refuse("its storage key " + in_quotes(storage.key) +
           " is not a plain name");
  }
  const std::string name = "data/" + storage.key;
  const ZipRecord* record = archive.find(top + "/" + name);
  if (record == nullptr) {
    refuse("its record " + in_quotes(name) + " is missing");
  }
  if (!record->is_stored()) {
    refuse("its record " + in_quotes(name) +
           " is compressed, which torch.save never does; it is not unpacked, "
           "write the file again");
  }
  const auto bytes = dtype_bytes(storage.dtype, storage.num_elements);
  if (!bytes || static_cast<std::uint64_t>(*bytes) != record->size) {
    refuse("its storage of " + std::to_string(storage.num_elements) + " " +
           std::string(dtype_name(storage.dtype)) +
           " elements does not have the size of its record " + in_quotes(name) +
           ", " + std::to_string(record->size) + " bytes");
  }
  return *record;
}

}  // namespace

WeightLayout read_torch_zip(const MappedFile& file) {
  const ZipArchive archive(file.text());
  const std::string top = find_top_folder(archive);
  refuse_torchscript(archive, top);
  const std::string pickle =
      read_record(file, *archive.find(top + std::string(kPickleName)));
  StateDict state = read_state_dict(read_pickle(pickle));
  const bool swap_bytes = is_big_endian(file, archive, top);

  WeightLayout layout;
  std::vector<const ZipRecord*> records(state.storages.size());
  std::vector<std::size_t> record_indices(state.storages.size());
  for (TorchTensor& tensor : state.tensors) {
    const TorchStorage& storage = state.storages[tensor.storage];
    const ZipRecord*& record = records[tensor.storage];
    if (record == nullptr) {
      record = &find_storage(archive, top, storage);
      record_indices[tensor.storage] = layout.records.size();
      layout.records.push_back({record->offset, record->size, record->crc});
    }
    StoredTensor where;
    where.offset =
        record->offset + static_cast<std::uint64_t>(
                             tensor.offset * (dtype_bits(storage.dtype) / 8));
    where.strides = std::move(tensor.strides);
    where.swap_bytes = swap_bytes;
    where.record = record_indices[tensor.storage];
    layout.add(std::move(tensor.name), storage.dtype, std::move(tensor.shape),
               std::move(where));
  }
  check_names_unique(layout.entries);
  return layout;
}

}  // namespace longformer
