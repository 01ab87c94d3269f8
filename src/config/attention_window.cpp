// SPDX-License-Identifier: MIT
#include "attention_window.h"

#include <algorithm>
#include <optional>
#include <string>

#include "longformer/base/error.h"
#include "longformer/config/option_values.h"

namespace longformer {
namespace {

/// Larger than any document; keeps twice the value far from overflow.
constexpr std::int64_t kWidestWindow = std::int64_t{1} << 30;

/// AI2's names for the same sliding window; its other modes ("n2", "..._no_
/// overlap") are other attention patterns.
bool is_sliding_mode(const std::string& mode) {
  return mode == "sliding_chunks" || mode == "tvm";
}

/// Keys that only the original code writes.
void check_original_code(ConfigReader& reader, const ModelConfigRules& rules) {
  const std::string mode = reader.text("attention_mode").value_or("longformer");
  if (mode != "longformer" && !is_sliding_mode(mode)) {
    reader.add("attention_mode",
               shown(mode) +
                   " is not the sliding window of Longformer; expected "
                   "\"longformer\" or \"sliding_chunks\"");
  } else if (mode != "longformer" && !rules.one_sided_window) {
    reader.add("attention_mode",
               shown(mode) +
                   " marks a config of AI2's original code, whose "
                   "attention_window counts one side only; convert it with "
                   "`longformer convert --one-sided-window`");
  }
  const Json* dilation = reader.find("attention_dilation");
  if (dilation != nullptr &&
      !std::all_of(dilation->begin(), dilation->end(),
                   [](const Json& step) { return step == 1; })) {
    reader.add("attention_dilation",
               shown(*dilation) + " is not supported; only 1 in every layer");
  }
  const Json* autoregressive = reader.find("autoregressive");
  if (autoregressive != nullptr && *autoregressive != false) {
    reader.add("autoregressive", shown(*autoregressive) +
                                     " is not supported; the window looks to "
                                     "both sides");
  }
}

/// The window of one layer, or nothing after a complaint.
std::optional<std::int64_t> read_window(ConfigReader& reader, const Json& json,
                                        const std::string& place,
                                        bool one_sided) {
  if (!json.is_number_integer()) {
    reader.add("attention_window",
               "expected a whole number" + place + ", got " + shown(json));
    return std::nullopt;
  }
  const std::int64_t least = one_sided ? 1 : 2;
  if (!is_whole(json, least, kWidestWindow)) {
    reader.add("attention_window", "expected a window from " +
                                       std::to_string(least) + " to " +
                                       std::to_string(kWidestWindow) + place +
                                       ", got " + shown(json));
    return std::nullopt;
  }
  const auto window = json.get<std::int64_t>();
  if (one_sided) return 2 * window;
  if (window % 2 == 0) return window;
  reader.add("attention_window",
             shown(json) + place +
                 " is odd; a window counts both sides together and is even");
  return std::nullopt;
}

}  // namespace

std::vector<std::int64_t> read_attention_windows(
    ConfigReader& reader, std::int64_t num_layers,
    const ModelConfigRules& rules) {
  check_original_code(reader, rules);
  const Json* json = reader.find("attention_window");
  if (json == nullptr) {
    if (rules.use != ConfigUse::kShortModel) {
      reader.add("attention_window",
                 "missing; a short RoBERTa-like model is lengthened with "
                 "`longformer convert --attention-window 512`");
    }
    return {};
  }
  const bool one_sided = rules.one_sided_window;
  const auto count = static_cast<std::size_t>(num_layers);
  std::vector<std::int64_t> windows;
  if (!json->is_array()) {
    const auto window = read_window(reader, *json, "", one_sided);
    if (window) windows.assign(count, *window);
    return windows;
  }
  if (num_layers == 0) return windows;  // Was refused already.
  if (json->size() != count) {
    reader.add("attention_window", "has " + std::to_string(json->size()) +
                                       " windows, " + shown(*json) + ", for " +
                                       std::to_string(num_layers) +
                                       " layers (num_hidden_layers)");
    return {};
  }
  for (std::size_t layer = 0; layer < count; ++layer) {
    const auto window =
        read_window(reader, (*json)[layer],
                    " in layer " + std::to_string(layer), one_sided);
    if (window) windows.push_back(*window);
  }
  return windows;
}

void set_attention_window(ModelConfig& config, std::int64_t window) {
  if (window < 2 || window > kWidestWindow || window % 2 != 0) {
    throw ConfigError("attention_window: expected an even number from 2 to " +
                      std::to_string(kWidestWindow) + ", got " +
                      std::to_string(window));
  }
  config.attention_window.assign(
      static_cast<std::size_t>(config.num_hidden_layers), window);
}

}  // namespace longformer
