// SPDX-License-Identifier: MIT
#include <numeric>
#include <utility>

#include "longformer/data/dataset.h"

#include "stored_label.h"

namespace longformer {

struct DatasetBuilder::Columns {
  std::vector<std::int32_t> tokens;
  std::vector<std::int64_t> token_offsets{0};
  std::vector<std::int32_t> token_types;  // Empty until a document has some.
  std::vector<std::int32_t> global_prefix;
  std::vector<std::int32_t> global_tokens;  // Empty until one is scattered.
  std::vector<std::int64_t> global_offsets;
  std::vector<std::int64_t> cut_tokens;
  std::vector<SourcePosition> positions;
  std::vector<char> label_bytes;
  std::vector<std::int64_t> label_offsets{0};
  LostGlobals lost_globals;
  std::vector<std::string> files;
  EncodeOptions options;

  void append_prefix(std::int32_t prefix) {
    const std::size_t at = global_tokens.size();
    global_tokens.resize(at + static_cast<std::size_t>(prefix));
    std::iota(global_tokens.begin() + static_cast<std::ptrdiff_t>(at),
              global_tokens.end(), 0);
    global_offsets.push_back(static_cast<std::int64_t>(global_tokens.size()));
  }

  void append_globals(const EncodedDocument& document) {
    if (document.global_positions && global_offsets.empty()) {
      global_offsets.push_back(0);
      for (const std::int32_t prefix : global_prefix) append_prefix(prefix);
    }
    if (document.global_positions) {
      global_tokens.insert(global_tokens.end(),
                           document.global_positions->begin(),
                           document.global_positions->end());
      global_offsets.push_back(static_cast<std::int64_t>(global_tokens.size()));
      global_prefix.push_back(0);
    } else {
      if (!global_offsets.empty()) append_prefix(document.global_prefix);
      global_prefix.push_back(document.global_prefix);
    }
  }
};

DatasetBuilder::DatasetBuilder(std::vector<std::string> files,
                               EncodeOptions options)
    : columns_(std::make_unique<Columns>()) {
  columns_->files = std::move(files);
  columns_->options = options;
}

DatasetBuilder::~DatasetBuilder() = default;
DatasetBuilder::DatasetBuilder(DatasetBuilder&&) noexcept = default;

std::int64_t DatasetBuilder::size() const {
  return static_cast<std::int64_t>(columns_->global_prefix.size());
}

void DatasetBuilder::add(const EncodedDocument& document, const RawLabel& label,
                         const SourcePosition& position) {
  Columns& c = *columns_;
  const std::size_t before = c.tokens.size();
  c.tokens.insert(c.tokens.end(), document.ids.begin(), document.ids.end());
  c.token_offsets.push_back(static_cast<std::int64_t>(c.tokens.size()));
  if (!document.token_types.empty()) {
    c.token_types.resize(before);
    c.token_types.insert(c.token_types.end(), document.token_types.begin(),
                         document.token_types.end());
  } else if (!c.token_types.empty()) {
    c.token_types.resize(c.tokens.size());
  }
  c.append_globals(document);
  c.lost_globals.add(document);
  c.cut_tokens.push_back(document.cut_tokens);
  c.positions.push_back(position);
  append_stored_label(label, c.label_bytes);
  c.label_offsets.push_back(static_cast<std::int64_t>(c.label_bytes.size()));
}

Dataset DatasetBuilder::finish() {
  Columns c = std::move(*columns_);
  *columns_ = Columns();
  columns_->files = c.files;
  columns_->options = c.options;
  DatasetColumns columns;
  c.tokens.shrink_to_fit();  // Growing by doubling leaves up to half unused.
  columns.tokens = Column(std::move(c.tokens));
  columns.token_offsets = Column(std::move(c.token_offsets));
  columns.token_types = Column(std::move(c.token_types));
  columns.global_prefix = Column(std::move(c.global_prefix));
  columns.global_tokens = Column(std::move(c.global_tokens));
  columns.global_offsets = Column(std::move(c.global_offsets));
  columns.cut_tokens = Column(std::move(c.cut_tokens));
  columns.positions = Column(std::move(c.positions));
  columns.label_bytes = Column(std::move(c.label_bytes));
  columns.label_offsets = Column(std::move(c.label_offsets));
  columns.lost_globals = c.lost_globals;
  columns.files = std::move(c.files);
  columns.options = c.options;
  return Dataset(std::move(columns));
}

}  // namespace longformer
