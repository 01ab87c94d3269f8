// SPDX-License-Identifier: MIT
#include "cache_entry.h"

#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "longformer/io/atomic_write.h"
#include "longformer/io/digest.h"
#include "longformer/io/file_system.h"
#include "longformer/io/mapped_file.h"

namespace longformer {
namespace {

constexpr std::array<char, 8> kMagic{'L', 'F', 'T', 'O', 'K', 'E', 'N', '2'};
constexpr std::uint64_t kAlignment = 64;
constexpr std::size_t kDigestBytes = 32;
constexpr std::size_t kNumArrays = 10;

struct ArrayPlace {
  std::uint64_t offset = 0;
  std::uint64_t count = 0;
};

struct Header {
  std::array<char, 8> magic = kMagic;
  /// Also tells a machine of the other byte order.
  std::uint64_t header_bytes = sizeof(Header);
  std::int64_t bad_rows = 0;
  std::int64_t replaced_sequences = 0;
  LostGlobals lost_globals;
  std::array<ArrayPlace, kNumArrays> arrays{};
};

/// Calls visit(column) for every array, always in the same order.
template <class Columns, class Visit>
void for_each_array(Columns& columns, Visit visit) {
  visit(columns.tokens);
  visit(columns.token_offsets);
  visit(columns.token_types);
  visit(columns.global_prefix);
  visit(columns.global_tokens);
  visit(columns.global_offsets);
  visit(columns.cut_tokens);
  visit(columns.positions);
  visit(columns.label_bytes);
  visit(columns.label_offsets);
}

std::uint64_t aligned(std::uint64_t offset) {
  return (offset + kAlignment - 1) / kAlignment * kAlignment;
}

template <class T>
constexpr std::uint64_t element_bytes(const Column<T>&) {
  return sizeof(T);
}

/// Everything that Dataset relies on.
bool is_consistent(const DatasetColumns& c) {
  const std::size_t n = c.global_prefix.size();
  const auto ragged = [&](const Column<std::int64_t>& offsets,
                          std::size_t total) {
    if (offsets.size() != n + 1 || offsets[0] != 0 ||
        offsets[n] != static_cast<std::int64_t>(total)) {
      return false;
    }
    for (std::size_t i = 0; i < n; ++i) {
      if (offsets[i] > offsets[i + 1]) return false;
    }
    return true;
  };
  return ragged(c.token_offsets, c.tokens.size()) &&
         ragged(c.label_offsets, c.label_bytes.size()) &&
         (c.token_types.empty() || c.token_types.size() == c.tokens.size()) &&
         (c.global_offsets.empty() ||
          ragged(c.global_offsets, c.global_tokens.size())) &&
         c.cut_tokens.size() == n && c.positions.size() == n;
}

std::optional<CacheEntry> parse(const std::shared_ptr<const MappedFile>& file,
                                std::string& problem) {
  const std::string_view text = file->text();
  Header header;
  if (text.size() < sizeof(Header) + kDigestBytes) {
    problem = "it is too short";
    return std::nullopt;
  }
  std::memcpy(&header, text.data(), sizeof(Header));
  if (header.magic != kMagic || header.header_bytes != sizeof(Header)) {
    problem = "it is of another version";
    return std::nullopt;
  }
  const std::string_view body = text.substr(0, text.size() - kDigestBytes);
  if (digest_of(body) != text.substr(body.size())) {
    problem = "its digest does not match its content";
    return std::nullopt;
  }
  CacheEntry entry;
  entry.bad_rows = header.bad_rows;
  entry.replaced_sequences = header.replaced_sequences;
  entry.columns.lost_globals = header.lost_globals;
  std::size_t index = 0;
  bool in_range = true;
  for_each_array(entry.columns, [&]<class T>(Column<T>& column) {
    const ArrayPlace& place = header.arrays[index++];
    if (place.offset % kAlignment != 0 || place.offset > body.size() ||
        place.count > (body.size() - place.offset) / sizeof(T)) {
      in_range = false;
      return;
    }
    const auto* first =
        reinterpret_cast<const T*>(file->bytes().data() + place.offset);
    column = Column<T>(file, {first, static_cast<std::size_t>(place.count)});
  });
  if (!in_range || !is_consistent(entry.columns)) {
    problem = "its arrays do not fit together";
    return std::nullopt;
  }
  return entry;
}

}  // namespace

void write_cache_entry(const std::string& path, const CacheEntry& entry) {
  Header header;
  header.bad_rows = entry.bad_rows;
  header.replaced_sequences = entry.replaced_sequences;
  header.lost_globals = entry.columns.lost_globals;
  std::uint64_t end = sizeof(Header);
  std::size_t index = 0;
  for_each_array(entry.columns, [&](const auto& column) {
    header.arrays[index].offset = aligned(end);
    header.arrays[index].count = column.size();
    end = aligned(end) + column.size() * element_bytes(column);
    ++index;
  });
  AtomicFile file(path);
  Digest digest;
  const auto write = [&](std::span<const std::byte> bytes) {
    digest.update(bytes);
    file.write(bytes);
  };
  write(std::as_bytes(std::span<const Header>(&header, 1)));
  for_each_array(entry.columns, [&](const auto& column) {
    const std::array<std::byte, kAlignment> zeros{};
    const std::uint64_t at = file.bytes_written();
    write(std::span<const std::byte>(zeros).first(aligned(at) - at));
    write(std::as_bytes(column.view()));
  });
  file.write(digest.hex());
  file.commit();
}

std::optional<CacheEntry> read_cache_entry(const std::string& path,
                                           std::string& problem) {
  problem.clear();
  if (!exists(path)) return std::nullopt;
  try {
    return parse(std::make_shared<const MappedFile>(path), problem);
  } catch (const FileError& error) {
    problem = error.what();
    return std::nullopt;
  }
}

}  // namespace longformer
