// SPDX-License-Identifier: MIT
#include "config_labels.h"

#include <charconv>
#include <cstdint>
#include <optional>
#include <set>

#include "longformer/config/option_values.h"

namespace longformer {
namespace {

constexpr std::int64_t kMostLabels = 1'000'000;

/// "12" as a number; ids are written without sign, blanks or leading zeros.
std::optional<std::size_t> id_of(const std::string& key) {
  std::size_t id = 0;
  const char* end = key.data() + key.size();
  const auto [stop, error] = std::from_chars(key.data(), end, id);
  if (error != std::errc() || stop != end) return std::nullopt;
  if (std::to_string(id) != key) return std::nullopt;
  return id;
}

/// Collects (id, name) pairs in any order and checks that they are numbered
/// from 0 without gaps and that no name stands twice.
class LabelTable {
 public:
  LabelTable(ConfigReader& reader, std::string key, std::size_t count)
      : reader_(reader), key_(std::move(key)), names_(count), given_(count) {}

  void set(std::optional<std::size_t> id, const Json& name,
           const std::string& shown_entry) {
    if (!id || *id >= names_.size() || given_[*id]) {
      reader_.add(key_, "the ids have to be 0 to " +
                            std::to_string(names_.size() - 1) +
                            ", each once; got " + shown_entry);
    } else if (!name.is_string()) {
      reader_.add(key_, "a name has to be a text; got " + shown_entry);
    } else if (!seen_.insert(name.get<std::string>()).second) {
      reader_.add(key_, "the name " + shown(name) +
                            " stands for two ids; names have to differ");
    } else {
      given_[*id] = true;
      names_[*id] = name.get<std::string>();
    }
  }

  std::vector<std::string> take() { return std::move(names_); }

 private:
  ConfigReader& reader_;
  std::string key_;
  std::vector<std::string> names_;
  std::vector<bool> given_;
  std::set<std::string> seen_;
};

bool check_object(ConfigReader& reader, const std::string& key,
                  const Json& map) {
  if (map.is_object() && !map.empty() &&
      map.size() <= static_cast<std::size_t>(kMostLabels)) {
    return true;
  }
  reader.add(key, "expected an object with 1 to " +
                      std::to_string(kMostLabels) + " labels, got " +
                      shown(map));
  return false;
}

std::vector<std::string> from_id2label(ConfigReader& reader, const Json& map) {
  if (!check_object(reader, "id2label", map)) return {};
  LabelTable table(reader, "id2label", map.size());
  for (const auto& [id, name] : map.items()) {
    table.set(id_of(id), name, shown(id) + ": " + shown(name));
  }
  return table.take();
}

std::vector<std::string> from_label2id(ConfigReader& reader, const Json& map) {
  if (!check_object(reader, "label2id", map)) return {};
  LabelTable table(reader, "label2id", map.size());
  for (const auto& [name, id] : map.items()) {
    std::optional<std::size_t> number;
    if (is_whole(id, 0, kMostLabels)) number = id.get<std::size_t>();
    table.set(number, name, shown(name) + ": " + shown(id));
  }
  return table.take();
}

}  // namespace

std::vector<std::string> default_labels(std::int64_t count) {
  std::vector<std::string> labels;
  for (std::int64_t i = 0; i < count; ++i) {
    labels.push_back("LABEL_" + std::to_string(i));
  }
  return labels;
}

std::vector<std::string> read_labels(ConfigReader& reader, ConfigUse use) {
  if (const Json* map = reader.find("id2label")) {
    return from_id2label(reader, *map);
  }
  if (const Json* map = reader.find("label2id")) {
    return from_label2id(reader, *map);
  }
  if (use == ConfigUse::kArchitecture) return {};
  constexpr std::int64_t kUnstated = 2;
  return default_labels(
      reader.optional_whole("num_labels", 1, kMostLabels).value_or(kUnstated));
}

}  // namespace longformer
