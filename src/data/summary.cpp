// SPDX-License-Identifier: MIT
#include "longformer/data/summary.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "longformer/base/error.h"
#include "longformer/base/threads.h"
#include "longformer/data/label_map.h"

#include "label_text.h"

namespace longformer {
namespace {

constexpr std::int64_t kBlockBytes = 16 << 20;
constexpr std::array<int, 8> kPercents{1, 5, 25, 50, 75, 90, 95, 99};
constexpr std::size_t kMostDistinctLabels = 100000;
constexpr std::size_t kLabelsShown = 30;
constexpr std::size_t kLabelsInJson = 1000;

std::int64_t code_points(std::string_view text) {
  return std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  });
}

std::int64_t length_of(const Record& record, const Tokenizer* tokenizer) {
  if (record.input_ids) {
    return static_cast<std::int64_t>(record.input_ids->size());
  }
  if (tokenizer != nullptr) {
    std::optional<std::string_view> pair;
    if (record.text_pair) pair = *record.text_pair;
    return tokenizer->encode(record.text, pair, {}).total_tokens;
  }
  return code_points(record.text) +
         (record.text_pair ? code_points(*record.text_pair) : 0);
}

/// Counts labels, and describes them as training would.
class LabelSummary {
 public:
  explicit LabelSummary(const RecordReader& reader)
      : reader_(reader), collector_(LabelOptions{}) {}

  void add(const Record& record, DataSummary& summary) {
    if (std::holds_alternative<std::monostate>(record.label)) {
      ++summary.unlabelled;
      return;
    }
    try {
      collector_.add(record.label,
                     [&] { return reader_.describe(record.position); });
    } catch (const DataError& error) {
      if (problem_.empty()) {
        problem_ = reader_.describe(record.position) + ": " + error.what();
      }
    }
    count(record.label);
  }

  void finish(DataSummary& summary) const {
    if (counts_.empty() && !any_number_ && problem_.empty()) return;
    summary.label_description = problem_;
    bool are_classes = true;
    if (problem_.empty()) {
      try {
        const LabelMap map = collector_.decide();
        summary.label_description = map.description();
        are_classes = map.problem_type() != ProblemType::kRegression;
      } catch (const DataError& error) {
        summary.label_description = error.what();
      }
    }
    if (!are_classes || counts_.size() >= kMostDistinctLabels) return;
    summary.label_counts.assign(counts_.begin(), counts_.end());
    std::stable_sort(
        summary.label_counts.begin(), summary.label_counts.end(),
        [](const auto& a, const auto& b) { return a.second > b.second; });
  }

 private:
  void count(const RawLabel& label) {
    if (const auto* list = std::get_if<std::vector<LabelScalar>>(&label)) {
      for (const LabelScalar& scalar : *list) count_scalar(scalar);
    } else {
      std::visit(
          [&](const auto& value) {
            if constexpr (std::is_constructible_v<LabelScalar,
                                                  decltype(value)>) {
              count_scalar(LabelScalar(value));
            }
          },
          label);
    }
  }

  void count_scalar(const LabelScalar& scalar) {
    if (std::holds_alternative<double>(scalar)) {
      any_number_ = true;
    } else if (counts_.size() < kMostDistinctLabels) {
      ++counts_[label_name(scalar)];
    }
  }

  const RecordReader& reader_;
  LabelCollector collector_;
  std::map<std::string, std::int64_t> counts_;
  bool any_number_ = false;
  std::string problem_;
};

void set_lengths(std::vector<std::int64_t> lengths, DataSummary& summary) {
  if (lengths.empty()) return;
  std::sort(lengths.begin(), lengths.end());
  summary.shortest = lengths.front();
  summary.longest = lengths.back();
  for (const std::int64_t length : lengths) summary.total_length += length;
  for (const int percent : kPercents) {
    // The smallest length that covers so many documents ("nearest rank").
    const std::size_t rank =
        (lengths.size() * static_cast<std::size_t>(percent) + 99) / 100;
    summary.percentiles.emplace_back(
        percent, lengths[std::max<std::size_t>(rank, 1) - 1]);
  }
}

}  // namespace

DataSummary summarize(RecordReader& reader, const Tokenizer* tokenizer,
                      int threads) {
  DataSummary summary;
  LabelSummary labels(reader);
  std::vector<std::int64_t> lengths;
  std::vector<Record> records;
  bool any_text = false;
  while (reader.next_block(records, kBlockBytes, threads)) {
    std::erase_if(records,
                  [](const Record& record) { return !record.error.empty(); });
    const std::size_t before = lengths.size();
    lengths.resize(before + records.size());
    parallel_parts(static_cast<std::int64_t>(records.size()), /*grain=*/1,
                   threads, [&](std::int64_t begin, std::int64_t end) {
                     for (auto i = static_cast<std::size_t>(begin);
                          i < static_cast<std::size_t>(end); ++i) {
                       lengths[before + i] = length_of(records[i], tokenizer);
                     }
                   });
    for (std::size_t i = 0; i < records.size(); ++i) {
      labels.add(records[i], summary);
      any_text = any_text || !records[i].input_ids;
      if (summary.longest_at.empty() || lengths[before + i] > summary.longest) {
        summary.longest = lengths[before + i];
        summary.longest_at = reader.describe(records[i].position);
      }
    }
  }
  summary.documents = static_cast<std::int64_t>(lengths.size());
  summary.bad_rows = reader.bad_rows();
  summary.replaced_sequences = reader.replaced_sequences();
  summary.unit = any_text && tokenizer == nullptr ? "characters" : "tokens";
  set_lengths(std::move(lengths), summary);
  labels.finish(summary);
  return summary;
}

Json to_json(const DataSummary& summary) {
  Json json;
  json["documents"] = summary.documents;
  json["bad_rows"] = summary.bad_rows;
  json["replaced_sequences"] = summary.replaced_sequences;
  Json& length = json["length"];
  length["unit"] = summary.unit;
  length["total"] = summary.total_length;
  length["shortest"] = summary.shortest;
  length["longest"] = summary.longest;
  length["longest_at"] = summary.longest_at;
  Json& percentiles = length["percentiles"] = Json::object();
  for (const auto& [percent, value] : summary.percentiles) {
    percentiles[std::to_string(percent)] = value;
  }
  Json& labels = json["labels"];
  labels["description"] = summary.label_description;
  labels["unlabelled"] = summary.unlabelled;
  Json& counts = labels["counts"] = Json::object();
  const std::size_t shown =
      std::min(summary.label_counts.size(), kLabelsInJson);
  for (std::size_t i = 0; i < shown; ++i) {
    counts[summary.label_counts[i].first] = summary.label_counts[i].second;
  }
  labels["more_labels"] = summary.label_counts.size() - shown;
  return json;
}

std::string to_text(const DataSummary& summary) {
  std::string text = std::to_string(summary.documents) + " documents, " +
                     std::to_string(summary.total_length) + " " + summary.unit +
                     "\n";
  if (summary.bad_rows > 0) {
    text += std::to_string(summary.bad_rows) + " unusable rows skipped\n";
  }
  if (summary.replaced_sequences > 0) {
    text += std::to_string(summary.replaced_sequences) +
            " ill-formed characters read as U+FFFD\n";
  }
  if (summary.documents > 0) {
    text += "length in " + summary.unit + ": shortest " +
            std::to_string(summary.shortest);
    for (const auto& [percent, value] : summary.percentiles) {
      text += ", " + std::to_string(percent) + "% " + std::to_string(value);
    }
    text += ", longest " + std::to_string(summary.longest) + " (" +
            summary.longest_at + ")\n";
  }
  text += "labels: " + (summary.label_description.empty()
                            ? std::string("none")
                            : summary.label_description);
  if (summary.unlabelled > 0 && !summary.label_description.empty()) {
    text += "; " + std::to_string(summary.unlabelled) + " documents without";
  }
  text += "\n";
  for (std::size_t i = 0; i < summary.label_counts.size(); ++i) {
    if (i == kLabelsShown) {
      text += "  ... and " + std::to_string(summary.label_counts.size() - i) +
              " more\n";
      break;
    }
    const auto& [name, count] = summary.label_counts[i];
    text += "  " + std::to_string(count) + "  " + name + "\n";
  }
  return text;
}

}  // namespace longformer
