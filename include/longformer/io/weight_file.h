// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "longformer/io/dtype.h"

namespace longformer {

/// One tensor of a weight file.
struct WeightEntry {
  std::string name;
  DType dtype = DType::kF32;
  std::vector<std::int64_t> shape;  ///< Empty for a scalar.
  std::int64_t num_elements = 0;    ///< Product of the shape.
  std::int64_t num_bytes = 0;       ///< Of the elements, densely packed.
  std::size_t index = 0;            ///< Position in WeightFile::entries().
};

/// "[30, 16]".
std::string shape_text(const std::vector<std::int64_t>& shape);

enum class WeightFormat { kSafetensors, kTorchZip, kTorchLegacy };

/// "safetensors", "PyTorch archive", "PyTorch archive (before 1.6)".
std::string_view weight_format_name(WeightFormat format);

/// Tensors of one weight file: safetensors, or a state dictionary written by
/// torch.save in its zip or legacy form. The form is recognised by content,
/// but a file called *.safetensors must be one.
///
/// Nothing in a file is executed or believed: sizes, offsets, shapes, strides,
/// duplicates and checksums are checked, and memory stays below a few times
/// the file's size, whatever it claims. Everything wrong is a ModelError that
/// names the file and, where there is one, the tensor; a file that cannot be
/// read is a FileError.
///
/// Threads: const members may be called from several threads.
class WeightFile {
 public:
  /// Reads and checks the structure; tensor data stays on disk.
  static std::unique_ptr<WeightFile> open(const std::string& path);
  ~WeightFile();
  WeightFile(const WeightFile&) = delete;
  WeightFile& operator=(const WeightFile&) = delete;

  const std::string& path() const;
  WeightFormat format() const;

  /// In the order of the data (safetensors) or of the dictionary (PyTorch).
  const std::vector<WeightEntry>& entries() const;
  /// Nothing if there is no tensor of that name.
  const WeightEntry* find(std::string_view name) const;
  /// Sum of num_bytes.
  std::int64_t total_bytes() const;

  /// Copies a tensor of this file, densely packed in row-major order in its own
  /// dtype, into exactly num_bytes bytes (little-endian). Views are gathered.
  /// The checksum of a zip record is compared at its first use. Memory: about
  /// 1 MiB besides the destination.
  void read(const WeightEntry& entry, std::span<std::byte> destination) const;

  /// Whether parts of a tensor can be read alone: it lies densely in the file
  /// and no checksum covers it.
  bool can_read_parts(const WeightEntry& entry) const;
  /// Copies the bytes from `first_byte` of a tensor that can be read in parts.
  void read_part(const WeightEntry& entry, std::int64_t first_byte,
                 std::span<std::byte> destination) const;

  /// The tensor inside the mapped file, as long as this object lives; empty
  /// unless can_read_parts() and the data are aligned for their dtype. Touching
  /// it needs MappedFile's care: present_part() first, is_unchanged() later.
  std::span<const std::byte> mapped(const WeightEntry& entry) const;
  /// Makes some bytes of a mapped tensor present; see MappedFile.
  bool present_part(const WeightEntry& entry, std::int64_t first_byte,
                    std::int64_t num_bytes) const;
  bool is_unchanged() const;

  /// Copies num_elements values as float: F16 and BF16 exactly, F64 rounded to
  /// nearest. Other dtypes, and F64 values beyond float's range, are a
  /// ModelError naming tensor and dtype. NaN passes (find_non_finite()).
  void read_as_float(const WeightEntry& entry,
                     std::span<float> destination) const;

  /// The same for double, exact from all four types.
  void read_as_double(const WeightEntry& entry,
                      std::span<double> destination) const;

 private:
  struct Contents;
  explicit WeightFile(std::unique_ptr<Contents> contents);
  std::unique_ptr<Contents> contents_;
};

}  // namespace longformer
