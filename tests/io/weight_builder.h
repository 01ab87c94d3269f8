// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace longformer::test {

/// Little-endian bytes of a number.
template <class Number>
std::string bytes_of(Number value) {
  return std::string(reinterpret_cast<const char*>(&value), sizeof(value));
}

/// Little-endian bytes of 0, 1, 2, ... as float.
std::string counting_floats(int count);

/// A safetensors file out of its JSON text and its data.
std::string safetensors_bytes(const std::string& header, std::string_view data);

/// How a record of a zip archive deviates from what torch.save writes.
struct ZipOptions {
  std::uint16_t method = 0;
  std::uint16_t flags = 0x0808;    ///< Sizes follow the data; UTF-8 names.
  std::uint32_t crc_error = 0;     ///< Added to the checksum.
  std::uint64_t claimed_size = 0;  ///< If not 0, in the directory.
  std::string local_name{};        ///< If not empty, in the local header.
  bool with_64_bit_sizes = false;  ///< Sizes and offset in the extra field.
};

/// Writes zip archives, right and wrong ones.
class ZipBuilder {
 public:
  ZipBuilder& add(const std::string& name, std::string_view data,
                  const ZipOptions& options = {});
  /// The archive; with the 64-bit end records, as PyTorch writes them.
  std::string finish(bool with_64_bit_end = true) const;

 private:
  std::string content_;
  std::string directory_;
  int num_records_ = 0;
};

/// Writes pickles instruction by instruction; names as in Python's pickletools.
class PickleBuilder {
 public:
  explicit PickleBuilder(int protocol = 2);

  PickleBuilder& op(std::string_view bytes);
  PickleBuilder& global(std::string_view module, std::string_view name);
  PickleBuilder& text(std::string_view value);
  PickleBuilder& integer(std::int64_t value);
  PickleBuilder& integers(const std::vector<std::int64_t>& values);
  /// collections.OrderedDict()
  PickleBuilder& ordered_dict();
  /// A storage as a persistent id.
  PickleBuilder& storage(std::string_view type, std::string_view key,
                         std::int64_t num_elements, bool is_legacy = false);
  /// torch._utils._rebuild_tensor_v2(...)
  struct View {
    std::string_view type = "FloatStorage";
    std::string_view key = "0";
    std::int64_t storage_size = 0;
    std::int64_t offset = 0;
    std::vector<std::int64_t> shape{};
    std::vector<std::int64_t> strides{};
    bool is_legacy = false;
  };
  PickleBuilder& tensor(const View& view);
  /// Ends the pickle and returns it.
  std::string stop() const { return bytes_ + "."; }

 private:
  std::string bytes_;
};

/// {name: view} as a pickle.
std::string state_dict_pickle(const std::string& name,
                              const PickleBuilder::View& view);

/// An archive as torch.save writes it: data.pkl, byteorder, one storage "0".
std::string torch_zip(const std::string& pickle, std::string_view storage,
                      const std::string& byte_order = "little");

/// The stream before PyTorch 1.6, with one storage "0".
std::string torch_legacy(const std::string& pickle, std::int64_t num_elements,
                         std::string_view storage);

}  // namespace longformer::test
