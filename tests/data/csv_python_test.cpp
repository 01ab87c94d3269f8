// SPDX-License-Identifier: MIT
//
// Generated files, read here and by Python's csv module in strict mode.
#include <algorithm>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "longformer/base/log.h"
#include "longformer/base/strict_json.h"

#include "reader_testing.h"
#include "support/paths.h"
#include "support/run_program.h"

namespace longformer::test {
namespace {

constexpr int kNumFiles = 2000;

using Pairs = std::vector<std::pair<std::string, std::string>>;

/// What the reader must hand out; nothing if it must refuse the file.
std::optional<Pairs> expected_pairs(const Json& oracle) {
  if (oracle.contains("error")) return std::nullopt;
  const auto rows =
      oracle.at("rows").get<std::vector<std::vector<std::string>>>();
  const auto& header = rows.at(0);
  const auto column = [&](const char* name) {
    return static_cast<std::size_t>(
        std::find(header.begin(), header.end(), name) - header.begin());
  };
  Pairs pairs;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    // Stricter than the module: a row has as many fields as the header, but
    // for empty ones behind the last column.
    const auto& row = rows[i];
    if (row.size() < header.size()) return std::nullopt;
    for (std::size_t j = header.size(); j < row.size(); ++j) {
      if (!row[j].empty()) return std::nullopt;
    }
    pairs.emplace_back(row[column("text")], row[column("label")]);
  }
  return pairs;
}

std::optional<Pairs> read_pairs(const std::string& path,
                                const ReaderSettings& settings) {
  try {
    return pairs_of(read_files({path}, settings));
  } catch (const DataError&) {
    return std::nullopt;
  }
}

TEST(CsvReaderTest, ReadsWhatPythonReads) {
  const TempDir dir;
  const RunResult made = run_program(
      "python3", {(source_dir() / "tests/data/csv_oracle.py").string(),
                  dir.path().string(), std::to_string(kNumFiles), "20240607"});
  ASSERT_EQ(made.exit_code, 0) << made.standard_error;
  set_log_level(LogLevel::kWarning);
  std::ifstream expected((dir / "expected.jsonl").string());
  std::string line;
  int number = 0;
  int num_refused = 0;
  for (; std::getline(expected, line); ++number) {
    const Json oracle = parse_strict_json(line);
    ReaderSettings settings;
    settings.allow_empty_label = true;
    const auto delimiter = oracle.at("delimiter").get<std::string>();
    // Every second file tells its delimiter by itself.
    if (number % 2 == 0) settings.reading.csv_delimiter = delimiter;
    settings.reading.csv_quote = "\"";
    const auto wanted = expected_pairs(oracle);
    num_refused += wanted ? 0 : 1;
    const std::string path = (dir / (std::to_string(number) + ".csv")).string();
    EXPECT_EQ(read_pairs(path, settings), wanted)
        << "file " << number << ": " << Json(read_file(path)).dump();
  }
  EXPECT_EQ(number, kNumFiles);
  EXPECT_GT(num_refused, kNumFiles / 5);
  EXPECT_LT(num_refused, kNumFiles / 2);
}

}  // namespace
}  // namespace longformer::test
