// SPDX-License-Identifier: MIT
#include "zip_archive.h"

#include <algorithm>

#include "byte_order.h"
#include "format_error.h"

namespace longformer {
namespace {

using std::string_view_literals::operator""sv;

// Names and layouts: PKWARE's APPNOTE.TXT 6.3, sections 4.3 and 4.5.3.
constexpr std::string_view kLocalHeader = "PK\x03\x04"sv;
constexpr std::string_view kCentralHeader = "PK\x01\x02"sv;
constexpr std::string_view kEndOfDirectory = "PK\x05\x06"sv;
constexpr std::string_view kEndOfDirectory64 = "PK\x06\x06"sv;
constexpr std::string_view kLocator64 = "PK\x06\x07"sv;
constexpr std::size_t kLocalHeaderBytes = 30;
constexpr std::size_t kCentralHeaderBytes = 46;
constexpr std::size_t kEndBytes = 22;
constexpr std::size_t kEnd64Bytes = 56;
constexpr std::size_t kLocatorBytes = 20;
constexpr std::size_t kMaxCommentBytes = 65535;
constexpr std::uint16_t kSizes64Field = 1;
constexpr std::uint32_t kIn64BitField = 0xFFFFFFFF;
constexpr std::uint16_t kEncryptedFlag = 1;
constexpr std::uint16_t kSizesFollowFlag = 8;

[[noreturn]] void fail(const std::string& reason) {
  throw FormatError("the zip archive is damaged: " + reason +
                    "; get the file again");
}

/// A number at `offset` of a piece that is known to hold it.
template <class Number>
Number number_at(std::string_view piece, std::size_t offset) {
  return read_little_endian<Number>(piece.substr(offset));
}

/// `size` bytes at `offset`, if the file has them.
std::string_view piece_at(std::string_view file, std::uint64_t offset,
                          std::uint64_t size, const char* what) {
  if (offset > file.size() || size > file.size() - offset) {
    fail(std::string(what) + " lies outside the file");
  }
  return file.substr(offset, size);
}

struct Directory {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  std::uint64_t num_records = 0;
};

/// Position of the record that ends every archive.
std::size_t find_end(std::string_view file) {
  const std::size_t window =
      std::min(file.size(), kEndBytes + kMaxCommentBytes);
  std::string_view tail = file.substr(file.size() - window);
  while (true) {
    const std::size_t at = tail.rfind(kEndOfDirectory);
    if (at == std::string_view::npos) {
      fail("its directory is missing at the end, the file is truncated");
    }
    const std::size_t position = file.size() - window + at;
    const std::string_view end = file.substr(position);
    if (end.size() >= kEndBytes &&
        end.size() == kEndBytes + number_at<std::uint16_t>(end, 20)) {
      return position;
    }
    tail = tail.substr(0, at);
  }
}

Directory find_directory(std::string_view file) {
  const std::size_t end_position = find_end(file);
  const std::string_view end = file.substr(end_position);
  Directory directory;
  directory.num_records = number_at<std::uint16_t>(end, 10);
  directory.size = number_at<std::uint32_t>(end, 12);
  directory.offset = number_at<std::uint32_t>(end, 16);
  std::uint64_t limit = end_position;
  const bool has_locator =
      end_position >= kLocatorBytes &&
      file.substr(end_position - kLocatorBytes).starts_with(kLocator64);
  if (has_locator) {
    const std::string_view locator = file.substr(end_position - kLocatorBytes);
    limit = number_at<std::uint64_t>(locator, 8);
    const std::string_view end64 =
        piece_at(file, limit, kEnd64Bytes, "its 64-bit end record");
    if (!end64.starts_with(kEndOfDirectory64)) {
      fail("its 64-bit end record is missing");
    }
    directory.num_records = number_at<std::uint64_t>(end64, 32);
    directory.size = number_at<std::uint64_t>(end64, 40);
    directory.offset = number_at<std::uint64_t>(end64, 48);
  }
  if (directory.offset > limit || directory.size > limit - directory.offset) {
    fail("its directory lies outside the file");
  }
  if (directory.num_records > directory.size / kCentralHeaderBytes) {
    fail("its directory is too small for " +
         std::to_string(directory.num_records) + " records");
  }
  return directory;
}

/// Sizes and offset that did not fit in 32 bits stand in an extra field, in
/// this order, each only if needed.
void read_sizes64(std::string_view extra, std::uint64_t& size,
                  std::uint64_t& stored_size, std::uint64_t& header_offset) {
  while (extra.size() >= 4) {
    const auto id = number_at<std::uint16_t>(extra, 0);
    const auto length = number_at<std::uint16_t>(extra, 2);
    extra.remove_prefix(4);
    if (length > extra.size()) fail("a record's extra field is cut");
    if (id == kSizes64Field) {
      std::string_view field = extra.substr(0, length);
      for (std::uint64_t* value : {&size, &stored_size, &header_offset}) {
        if (*value != kIn64BitField) continue;
        if (field.size() < 8) fail("a record's 64-bit sizes are missing");
        *value = number_at<std::uint64_t>(field, 0);
        field.remove_prefix(8);
      }
      return;
    }
    extra.remove_prefix(length);
  }
}

/// Checks the header in front of the data and finds where the data begin.
std::uint64_t data_offset(std::string_view file, std::uint64_t header_offset,
                          const ZipRecord& record, std::uint64_t limit) {
  const std::string_view header =
      piece_at(file, header_offset, kLocalHeaderBytes, "a record's header");
  const auto name_size = number_at<std::uint16_t>(header, 26);
  const auto extra_size = number_at<std::uint16_t>(header, 28);
  const std::uint64_t offset =
      header_offset + kLocalHeaderBytes + name_size + extra_size;
  const std::string who = "record " + in_quotes(record.name);
  if (!header.starts_with(kLocalHeader) || offset > limit ||
      file.substr(header_offset + kLocalHeaderBytes, name_size) !=
          record.name ||
      number_at<std::uint16_t>(header, 8) != record.method) {
    fail(who + " is not where the directory says");
  }
  if (record.stored_size > limit - offset) {
    fail(who + " of " + std::to_string(record.stored_size) +
         " bytes does not fit into the file");
  }
  const bool has_sizes =
      (number_at<std::uint16_t>(header, 6) & kSizesFollowFlag) == 0;
  const auto stored_size = number_at<std::uint32_t>(header, 18);
  if (has_sizes &&
      (number_at<std::uint32_t>(header, 14) != record.crc ||
       (stored_size != kIn64BitField && stored_size != record.stored_size))) {
    fail(who + " has another size or checksum in the directory");
  }
  return offset;
}

}  // namespace

ZipArchive::ZipArchive(std::string_view file) {
  const Directory directory = find_directory(file);
  std::string_view rest = file.substr(directory.offset, directory.size);
  records_.reserve(directory.num_records);
  for (std::uint64_t i = 0; i < directory.num_records; ++i) {
    if (rest.size() < kCentralHeaderBytes ||
        !rest.starts_with(kCentralHeader)) {
      fail("record " + std::to_string(i) + " of its directory is damaged");
    }
    const std::size_t name_size = number_at<std::uint16_t>(rest, 28);
    const std::size_t extra_size = number_at<std::uint16_t>(rest, 30);
    const std::size_t comment_size = number_at<std::uint16_t>(rest, 32);
    const std::size_t entry_size =
        kCentralHeaderBytes + name_size + extra_size + comment_size;
    if (entry_size > rest.size()) fail("its directory is cut");
    ZipRecord record;
    record.name = rest.substr(kCentralHeaderBytes, name_size);
    record.method = number_at<std::uint16_t>(rest, 10);
    record.crc = number_at<std::uint32_t>(rest, 16);
    record.stored_size = number_at<std::uint32_t>(rest, 20);
    record.size = number_at<std::uint32_t>(rest, 24);
    std::uint64_t header_offset = number_at<std::uint32_t>(rest, 42);
    read_sizes64(rest.substr(kCentralHeaderBytes + name_size, extra_size),
                 record.size, record.stored_size, header_offset);
    if ((number_at<std::uint16_t>(rest, 8) & kEncryptedFlag) != 0) {
      throw FormatError("the zip archive is encrypted; unpack it first");
    }
    record.offset = data_offset(file, header_offset, record, directory.offset);
    records_.push_back(std::move(record));
    rest.remove_prefix(entry_size);
  }
  if (!rest.empty()) fail("its directory has more bytes than records");
  for (std::size_t i = 0; i < records_.size(); ++i) {
    if (!by_name_.emplace(records_[i].name, i).second) {
      fail("record " + in_quotes(records_[i].name) + " appears twice");
    }
  }
}

const ZipRecord* ZipArchive::find(std::string_view name) const {
  const auto at = by_name_.find(name);
  return at == by_name_.end() ? nullptr : &records_[at->second];
}

}  // namespace longformer
