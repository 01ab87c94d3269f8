// SPDX-License-Identifier: MIT
#include "weight_builder.h"

#include <zlib.h>

namespace longformer::test {
namespace {

std::uint32_t crc_of(std::string_view data) {
  return static_cast<std::uint32_t>(
      ::crc32_z(0, reinterpret_cast<const Bytef*>(data.data()), data.size()));
}

}  // namespace

std::string counting_floats(int count) {
  std::string bytes;
  for (int i = 0; i < count; ++i) bytes += bytes_of(static_cast<float>(i));
  return bytes;
}

std::string safetensors_bytes(const std::string& header,
                              std::string_view data) {
  return bytes_of(std::uint64_t{header.size()}) + header + std::string(data);
}

ZipBuilder& ZipBuilder::add(const std::string& name, std::string_view data,
                            const ZipOptions& options) {
  const auto offset = static_cast<std::uint64_t>(content_.size());
  const std::uint32_t crc = crc_of(data) + options.crc_error;
  const std::uint64_t size =
      options.claimed_size != 0 ? options.claimed_size : data.size();
  const bool sizes_follow = (options.flags & 8) != 0;
  const std::string local =
      options.local_name.empty() ? name : options.local_name;
  content_ += "PK\x03\x04" + bytes_of(std::uint16_t{20}) +
              bytes_of(options.flags) + bytes_of(options.method) +
              bytes_of(std::uint32_t{0}) + bytes_of(sizes_follow ? 0U : crc) +
              bytes_of(sizes_follow ? 0U : static_cast<std::uint32_t>(size)) +
              bytes_of(sizes_follow ? 0U : static_cast<std::uint32_t>(size)) +
              bytes_of(static_cast<std::uint16_t>(local.size())) +
              bytes_of(std::uint16_t{0}) + local + std::string(data);

  std::string extra;
  auto size32 = static_cast<std::uint32_t>(size);
  auto offset32 = static_cast<std::uint32_t>(offset);
  if (options.with_64_bit_sizes) {
    extra = bytes_of(std::uint16_t{1}) + bytes_of(std::uint16_t{24}) +
            bytes_of(size) + bytes_of(size) + bytes_of(offset);
    size32 = offset32 = 0xFFFFFFFF;
  }
  directory_ += "PK\x01\x02" + bytes_of(std::uint32_t{0}) +
                bytes_of(options.flags) + bytes_of(options.method) +
                bytes_of(std::uint32_t{0}) + bytes_of(crc) + bytes_of(size32) +
                bytes_of(size32) +
                bytes_of(static_cast<std::uint16_t>(name.size())) +
                bytes_of(static_cast<std::uint16_t>(extra.size())) +
                std::string(10, '\0') + bytes_of(offset32) + name + extra;
  ++num_records_;
  return *this;
}

std::string ZipBuilder::finish(bool with_64_bit_end) const {
  const auto offset = static_cast<std::uint64_t>(content_.size());
  const auto size = static_cast<std::uint64_t>(directory_.size());
  const auto count = static_cast<std::uint64_t>(num_records_);
  std::string file = content_ + directory_;
  if (with_64_bit_end) {
    const auto end64 = static_cast<std::uint64_t>(file.size());
    file += "PK\x06\x06" + bytes_of(std::uint64_t{44}) + std::string(12, '\0') +
            bytes_of(count) + bytes_of(count) + bytes_of(size) +
            bytes_of(offset);
    file += "PK\x06\x07" + bytes_of(std::uint32_t{0}) + bytes_of(end64) +
            bytes_of(std::uint32_t{1});
  }
  return file + "PK\x05\x06" + std::string(4, '\0') +
         bytes_of(static_cast<std::uint16_t>(count)) +
         bytes_of(static_cast<std::uint16_t>(count)) +
         bytes_of(static_cast<std::uint32_t>(size)) +
         bytes_of(static_cast<std::uint32_t>(offset)) + std::string(2, '\0');
}

PickleBuilder::PickleBuilder(int protocol) {
  bytes_ = std::string("\x80") + static_cast<char>(protocol);
}

PickleBuilder& PickleBuilder::op(std::string_view bytes) {
  bytes_ += bytes;
  return *this;
}

PickleBuilder& PickleBuilder::global(std::string_view module,
                                     std::string_view name) {
  return op("c").op(module).op("\n").op(name).op("\n");
}

PickleBuilder& PickleBuilder::text(std::string_view value) {
  return op("X")
      .op(bytes_of(static_cast<std::uint32_t>(value.size())))
      .op(value);
}

PickleBuilder& PickleBuilder::integer(std::int64_t value) {
  return op("\x8a\x08").op(bytes_of(value));
}

PickleBuilder& PickleBuilder::integers(
    const std::vector<std::int64_t>& values) {
  op("(");
  for (const std::int64_t value : values) integer(value);
  return op("t");
}

PickleBuilder& PickleBuilder::ordered_dict() {
  return global("collections", "OrderedDict").op(")R");
}

PickleBuilder& PickleBuilder::storage(std::string_view type,
                                      std::string_view key,
                                      std::int64_t num_elements,
                                      bool is_legacy) {
  op("(").text("storage").global("torch", type).text(key).text("cpu");
  integer(num_elements);
  if (is_legacy) op("N");
  return op("tQ");
}

PickleBuilder& PickleBuilder::tensor(const View& view) {
  global("torch._utils", "_rebuild_tensor_v2").op("(");
  storage(view.type, view.key, view.storage_size, view.is_legacy);
  integer(view.offset).integers(view.shape).integers(view.strides);
  return op("\x89").ordered_dict().op("tR");
}

std::string state_dict_pickle(const std::string& name,
                              const PickleBuilder::View& view) {
  PickleBuilder pickle;
  return pickle.ordered_dict().op("(").text(name).tensor(view).op("u").stop();
}

std::string torch_zip(const std::string& pickle, std::string_view storage,
                      const std::string& byte_order) {
  ZipBuilder zip;
  zip.add("archive/data.pkl", pickle);
  zip.add("archive/byteorder", byte_order);
  zip.add("archive/data/0", storage);
  zip.add("archive/version", "3\n");
  return zip.finish();
}

std::string torch_legacy(const std::string& pickle, std::int64_t num_elements,
                         std::string_view storage) {
  PickleBuilder magic;
  magic.op(std::string("\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19", 12));
  PickleBuilder protocol;
  protocol.integer(1001);
  PickleBuilder system;
  system.op("}(").text("little_endian").op("\x88u");
  PickleBuilder keys;
  keys.op("](").text("0").op("e");
  return magic.stop() + protocol.stop() + system.stop() + pickle + keys.stop() +
         bytes_of(num_elements) + std::string(storage);
}

}  // namespace longformer::test
