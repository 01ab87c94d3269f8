// SPDX-License-Identifier: MIT
#include "longformer/train/weight_names.h"

#include <array>

namespace longformer {
namespace {

bool remove_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

void replace_suffix(std::string& text, std::string_view suffix,
                    std::string_view replacement) {
  if (text.ends_with(suffix)) {
    text.replace(text.size() - suffix.size(), suffix.size(), replacement);
  }
}

}  // namespace

PublishedName published_name(std::string_view name_in_file) {
  std::string_view rest = name_in_file;
  remove_prefix(rest, "module.");
  remove_prefix(rest, "model.");
  for (const std::string_view prefix : std::array<std::string_view, 4>{
           "longformer.", "roberta.", "xlm_roberta.", "xlm-roberta."}) {
    if (remove_prefix(rest, prefix)) break;
  }
  const bool is_encoder = rest.starts_with("embeddings.") ||
                          rest.starts_with("encoder.") ||
                          rest.starts_with("pooler.");
  std::string name = (is_encoder ? "longformer." : "") + std::string(rest);
  replace_suffix(name, "LayerNorm.gamma", "LayerNorm.weight");
  replace_suffix(name, "LayerNorm.beta", "LayerNorm.bias");
  const bool ignored = rest == "embeddings.position_ids" ||
                       rest == "position_ids" || rest.starts_with("pooler.") ||
                       rest.starts_with("lm_head.");
  return {ignored ? WeightRole::kIgnored : WeightRole::kParameter,
          std::move(name)};
}

std::string local_counterpart(std::string_view name) {
  constexpr std::string_view kGlobal = "_global.";
  const std::size_t at = name.find(kGlobal);
  if (at == std::string_view::npos) return {};
  return std::string(name.substr(0, at)) + "." +
         std::string(name.substr(at + kGlobal.size()));
}

}  // namespace longformer
