// SPDX-License-Identifier: MIT
#include "longformer/io/weight_file.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include <zlib.h>

#include "longformer/base/error.h"
#include "longformer/io/file_system.h"
#include "longformer/io/half.h"
#include "longformer/io/mapped_file.h"

#include "file_kind.h"
#include "format_error.h"
#include "safetensors_header.h"
#include "torch_file.h"
#include "view_reader.h"
#include "weight_layout.h"

namespace longformer {
namespace {

constexpr std::size_t kChunkBytes = std::size_t{1} << 20;

struct Parsed {
  WeightFormat format;
  WeightLayout layout;
};

Parsed parse(const MappedFile& file) {
  const bool is_named_safetensors = file.path().ends_with(".safetensors");
  const RecognisedFile recognised = recognise_file(file.text());
  switch (recognised.kind) {
    case FileKind::kForeign:
      throw FormatError(recognised.advice);
    case FileKind::kZip:
    case FileKind::kPickle:
      if (is_named_safetensors) {
        throw FormatError(
            "is a pickle or zip archive (as torch.save writes) and not a "
            "safetensors file; rename it to pytorch_model.bin if you trust "
            "where it comes from");
      }
      if (recognised.kind == FileKind::kZip) {
        return {WeightFormat::kTorchZip, read_torch_zip(file)};
      }
      return {WeightFormat::kTorchLegacy, read_torch_legacy(file)};
    case FileKind::kUnknown:
      if (!is_named_safetensors) {
        throw FormatError(
            "is neither a safetensors file nor one that torch.save wrote");
      }
      [[fallthrough]];
    case FileKind::kSafetensors:
      return {WeightFormat::kSafetensors, read_safetensors_header(file.text())};
  }
  throw std::logic_error("unknown kind of file");
}

/// Values of a narrower type, at the end of `target`'s memory, to `target`.
/// Going upward, no value is overwritten before it was read.
template <class Stored, class Value, class Widen>
void widen_from_end(std::span<Value> target, const Widen& widen) {
  static_assert(sizeof(Stored) < sizeof(Value));
  const std::byte* stored =
      std::as_bytes(target).last(target.size() * sizeof(Stored)).data();
  Stored block[1024];
  for (std::size_t i = 0; i < target.size(); i += std::size(block)) {
    const std::size_t count = std::min(std::size(block), target.size() - i);
    std::memcpy(block, stored + i * sizeof(Stored), count * sizeof(Stored));
    for (std::size_t j = 0; j < count; ++j) target[i + j] = widen(block[j]);
  }
}

MappedFile map_weights(const std::string& path) {
  try {
    return MappedFile(path);
  } catch (const FileError& error) {
    // A wrong path or a wrong kind of file, rather than a failing system.
    const int number = error.error_number();
    if (number == ENOENT || number == ENOTDIR || number == EISDIR ||
        number == EINVAL) {
      throw ModelError(error.what());
    }
    throw;
  }
}

}  // namespace

std::string_view weight_format_name(WeightFormat format) {
  switch (format) {
    case WeightFormat::kSafetensors:
      return "safetensors";
    case WeightFormat::kTorchZip:
      return "PyTorch archive";
    case WeightFormat::kTorchLegacy:
      return "PyTorch archive (before 1.6)";
  }
  return "";
}

struct WeightFile::Contents {
  explicit Contents(const std::string& path) : file(map_weights(path)) {
    try {
      Parsed parsed = parse(file);
      format = parsed.format;
      layout = std::move(parsed.layout);
    } catch (const FormatError& error) {
      throw ModelError(path + ": " + error.what());
    }
    verified = std::vector<std::atomic<bool>>(layout.records.size());
    for (const WeightEntry& entry : layout.entries) {
      by_name.emplace(entry.name, entry.index);
      total_bytes += entry.num_bytes;
    }
    file.release(0, file.size());
  }

  [[noreturn]] void fail(const WeightEntry& entry,
                         const std::string& reason) const {
    throw ModelError(file.path() + ": tensor " + in_quotes(entry.name) + ": " +
                     reason);
  }

  void check_crc(const WeightEntry& entry, std::size_t record,
                 std::uint32_t crc) const {
    if (crc != layout.records[record].crc) {
      fail(entry,
           "the checksum (CRC) of its data is wrong; the file is damaged, get "
           "it again");
    }
    verified[record].store(true, std::memory_order_relaxed);
  }

  void verify_record(const WeightEntry& entry, std::size_t index) const;
  void copy(const WeightEntry& entry, std::span<std::byte> destination) const;

  MappedFile file;
  WeightFormat format = WeightFormat::kSafetensors;
  WeightLayout layout;
  std::unordered_map<std::string_view, std::size_t> by_name;
  std::int64_t total_bytes = 0;
  /// Records whose checksum was compared. Two threads may both do it.
  mutable std::vector<std::atomic<bool>> verified;
};

void WeightFile::Contents::verify_record(const WeightEntry& entry,
                                         std::size_t index) const {
  const ChecksumRecord& record = layout.records[index];
  std::vector<std::byte> chunk(
      std::min<std::uint64_t>(kChunkBytes, record.size));
  uLong crc = 0;
  for (std::uint64_t done = 0; done < record.size; done += chunk.size()) {
    chunk.resize(std::min<std::uint64_t>(chunk.size(), record.size - done));
    file.read_at(record.offset + done, chunk);
    crc = ::crc32_z(crc, reinterpret_cast<const Bytef*>(chunk.data()),
                    chunk.size());
  }
  check_crc(entry, index, static_cast<std::uint32_t>(crc));
}

void WeightFile::Contents::copy(const WeightEntry& entry,
                                std::span<std::byte> destination) const {
  if (entry.index >= layout.entries.size() ||
      &layout.entries[entry.index] != &entry ||
      destination.size() != static_cast<std::size_t>(entry.num_bytes)) {
    throw std::invalid_argument(
        "WeightFile: an entry of another file, or a "
        "destination of the wrong size");
  }
  if (destination.empty()) return;
  const StoredTensor& stored = layout.stored[entry.index];
  const bool must_verify = stored.record && !verified[*stored.record].load(
                                                std::memory_order_relaxed);
  // The common case of one tensor a record needs no second reading.
  const bool is_whole_record =
      stored.record && stored.strides.empty() &&
      layout.records[*stored.record].size == destination.size();
  if (must_verify && !is_whole_record) verify_record(entry, *stored.record);
  if (stored.strides.empty()) {
    file.read_at(stored.offset, destination);
  } else {
    read_view(file, stored.offset, entry.shape, stored.strides,
              dtype_bits(entry.dtype) / 8, destination);
  }
  if (must_verify && is_whole_record) {
    const auto* data = reinterpret_cast<const Bytef*>(destination.data());
    check_crc(
        entry, *stored.record,
        static_cast<std::uint32_t>(::crc32_z(0, data, destination.size())));
  }
  if (stored.swap_bytes) {
    swap_byte_order(destination, dtype_bits(entry.dtype) / 8);
  }
}

WeightFile::WeightFile(std::unique_ptr<Contents> contents)
    : contents_(std::move(contents)) {}
WeightFile::~WeightFile() = default;

std::unique_ptr<WeightFile> WeightFile::open(const std::string& path) {
  return std::unique_ptr<WeightFile>(
      new WeightFile(std::make_unique<Contents>(path)));
}

const std::string& WeightFile::path() const { return contents_->file.path(); }
WeightFormat WeightFile::format() const { return contents_->format; }
std::int64_t WeightFile::total_bytes() const { return contents_->total_bytes; }

const std::vector<WeightEntry>& WeightFile::entries() const {
  return contents_->layout.entries;
}

const WeightEntry* WeightFile::find(std::string_view name) const {
  const auto at = contents_->by_name.find(name);
  return at == contents_->by_name.end() ? nullptr : &entries()[at->second];
}

void WeightFile::read(const WeightEntry& entry,
                      std::span<std::byte> destination) const {
  contents_->copy(entry, destination);
}

bool WeightFile::can_read_parts(const WeightEntry& entry) const {
  const StoredTensor& stored = contents_->layout.stored.at(entry.index);
  return stored.strides.empty() && !stored.record && !stored.swap_bytes;
}

void WeightFile::read_part(const WeightEntry& entry, std::int64_t first_byte,
                           std::span<std::byte> destination) const {
  const auto size = static_cast<std::int64_t>(destination.size());
  if (!can_read_parts(entry) || first_byte < 0 ||
      first_byte > entry.num_bytes - size) {
    throw std::invalid_argument("WeightFile: not a part of the tensor");
  }
  contents_->file.read_at(contents_->layout.stored[entry.index].offset +
                              static_cast<std::uint64_t>(first_byte),
                          destination);
}

std::span<const std::byte> WeightFile::mapped(const WeightEntry& entry) const {
  const std::uint64_t offset = contents_->layout.stored.at(entry.index).offset;
  const auto alignment =
      static_cast<std::uint64_t>(std::max(1, dtype_bits(entry.dtype) / 8));
  if (!can_read_parts(entry) || offset % alignment != 0) return {};
  return contents_->file.bytes().subspan(
      offset, static_cast<std::size_t>(entry.num_bytes));
}

bool WeightFile::present_part(const WeightEntry& entry, std::int64_t first_byte,
                              std::int64_t num_bytes) const {
  return contents_->file.make_present(
      contents_->layout.stored.at(entry.index).offset +
          static_cast<std::uint64_t>(first_byte),
      static_cast<std::uint64_t>(num_bytes));
}

bool WeightFile::is_unchanged() const { return contents_->file.is_unchanged(); }

void WeightFile::read_as_float(const WeightEntry& entry,
                               std::span<float> destination) const {
  const auto bytes = std::as_writable_bytes(destination);
  const auto half_bytes = bytes.last(destination.size() * 2);
  switch (entry.dtype) {
    case DType::kF32:
      return read(entry, bytes);
    case DType::kF16:
      read(entry, half_bytes);
      return widen_from_end<std::uint16_t>(destination, half_to_float);
    case DType::kBF16:
      read(entry, half_bytes);
      return widen_from_end<std::uint16_t>(destination, bfloat16_to_float);
    case DType::kF64:
      break;
    default:
      contents_->fail(entry, "its dtype is " +
                                 std::string(dtype_name(entry.dtype)) +
                                 ", weights must be F16, BF16, F32 or F64");
  }
  std::vector<double> wide(destination.size());
  read(entry, std::as_writable_bytes(std::span(wide)));
  for (std::size_t i = 0; i < wide.size(); ++i) {
    destination[i] = static_cast<float>(wide[i]);
    if (std::isinf(destination[i]) && std::isfinite(wide[i])) {
      contents_->fail(entry, "element " + std::to_string(i) +
                                 " is beyond the range of float32");
    }
  }
}

void WeightFile::read_as_double(const WeightEntry& entry,
                                std::span<double> destination) const {
  const auto bytes = std::as_writable_bytes(destination);
  const auto half_bytes = bytes.last(destination.size() * 2);
  switch (entry.dtype) {
    case DType::kF64:
      return read(entry, bytes);
    case DType::kF32:
      read(entry, bytes.last(destination.size() * 4));
      return widen_from_end<float>(destination,
                                   [](float value) { return double{value}; });
    case DType::kF16:
      read(entry, half_bytes);
      return widen_from_end<std::uint16_t>(destination, half_to_float);
    case DType::kBF16:
      read(entry, half_bytes);
      return widen_from_end<std::uint16_t>(destination, bfloat16_to_float);
    default:
      contents_->fail(entry, "its dtype is " +
                                 std::string(dtype_name(entry.dtype)) +
                                 ", weights must be F16, BF16, F32 or F64");
  }
}

}  // namespace longformer
