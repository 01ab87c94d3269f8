// SPDX-License-Identifier: MIT
#include "dataset_sharing.h"

#include <array>
#include <cstring>

#include "longformer/base/strict_json.h"
#include "longformer/data/token_cache.h"

namespace longformer {
namespace {

/// Replaces a column by rank 0's.
template <class T>
void share_column(Communicator& communicator, Column<T>& column) {
  static_assert(std::is_trivially_copyable_v<T>);
  auto size = static_cast<std::int64_t>(column.size());
  communicator.broadcast(std::as_writable_bytes(std::span(&size, 1)), 0);
  std::vector<T> values(column.view().begin(), column.view().end());
  values.resize(static_cast<std::size_t>(size));
  communicator.broadcast(std::as_writable_bytes(std::span(values)), 0);
  column = Column<T>(std::move(values));
}

void share_columns(Communicator& communicator, DatasetColumns& columns) {
  share_column(communicator, columns.tokens);
  share_column(communicator, columns.token_offsets);
  share_column(communicator, columns.token_types);
  share_column(communicator, columns.global_prefix);
  share_column(communicator, columns.global_tokens);
  share_column(communicator, columns.global_offsets);
  share_column(communicator, columns.cut_tokens);
  share_column(communicator, columns.positions);
  share_column(communicator, columns.label_bytes);
  share_column(communicator, columns.label_offsets);
  static_assert(std::is_trivially_copyable_v<LostGlobals>);
  communicator.broadcast(
      std::as_writable_bytes(std::span(&columns.lost_globals, 1)), 0);
}

}  // namespace

void share_dataset(Communicator& communicator, const std::string& entry,
                   const EncodeOptions& options, Dataset& dataset) {
  const Json mine = {{"entry", entry}, {"files", dataset.columns().files}};
  const Json of_main = Json::parse(communicator.broadcast(mine.dump(), 0));
  const auto files = of_main["files"].get<std::vector<std::string>>();
  bool is_missing = false;
  if (communicator.rank() != 0) {
    const auto path = of_main["entry"].get<std::string>();
    auto found = path.empty() ? std::optional<Dataset>()
                              : load_cached(path, files, options);
    is_missing = !found;
    if (found) dataset = *std::move(found);
  }
  communicator.await_all();  // To check an entry is to read it.
  std::array<double, 1> missing{is_missing ? 1.0 : 0.0};
  communicator.reduce(missing, Reduction::kMaximum);
  if (missing[0] == 0) return;
  DatasetColumns columns;
  if (communicator.rank() == 0) columns = dataset.columns();
  share_columns(communicator, columns);
  if (!is_missing) return;
  columns.files = files;
  columns.options = options;
  dataset = Dataset(std::move(columns));
}

}  // namespace longformer
