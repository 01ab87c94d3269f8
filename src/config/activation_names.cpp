// SPDX-License-Identifier: MIT
#include "activation_names.h"

#include <array>
#include <utility>

namespace longformer {
namespace {

constexpr std::array<std::pair<std::string_view, Activation>, 9> kNames{
    {{"gelu", Activation::kGelu},
     {"gelu_python", Activation::kGelu},
     {"gelu_new", Activation::kGeluTanh},
     {"gelu_fast", Activation::kGeluTanh},
     {"gelu_pytorch_tanh", Activation::kGeluTanh},
     {"gelu_accurate", Activation::kGeluTanh},
     {"relu", Activation::kRelu},
     {"silu", Activation::kSilu},
     {"swish", Activation::kSilu}}};

}  // namespace

std::optional<Activation> activation_named(std::string_view name) {
  for (const auto& [known, activation] : kNames) {
    if (known == name) return activation;
  }
  return std::nullopt;
}

std::string activation_name_list() {
  std::string list;
  for (const auto& [known, activation] : kNames) {
    if (!list.empty()) list += ", ";
    list += known;
  }
  return list;
}

}  // namespace longformer
