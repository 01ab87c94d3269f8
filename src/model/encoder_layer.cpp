// SPDX-License-Identifier: MIT
#include "longformer/model/encoder_layer.h"

#include <ATen/Functions.h>

#include "longformer/attention/dropout_mask.h"
#include "longformer/attention/global_rows.h"

#include "activation.h"

namespace longformer {
namespace {

/// Order of the layer's parameters, as published and as registered.
enum LayerParameter : std::size_t {
  kQueryWeight,
  kQueryBias,
  kKeyWeight,
  kKeyBias,
  kValueWeight,
  kValueBias,
  kGlobalQueryWeight,
  kGlobalQueryBias,
  kGlobalKeyWeight,
  kGlobalKeyBias,
  kGlobalValueWeight,
  kGlobalValueBias,
  kAttentionDenseWeight,
  kAttentionDenseBias,
  kAttentionNormWeight,
  kAttentionNormBias,
  kExpandWeight,
  kExpandBias,
  kContractWeight,
  kContractBias,
  kOutputNormWeight,
  kOutputNormBias,
  kNumLayerParameters
};

/// Order of what the forward pass keeps.
enum Saved : std::size_t {
  kQuery,
  kKey,
  kValue,
  kAttention,
  kNormaliser,
  kGlobalQuery,
  kGlobalNormaliser,
  kAttentionSum,
  kAttentionMean,
  kAttentionDeviation,
  kAttentionNorm,
  kExpanded,
  kActivated,
  kOutputSum,
  kOutputMean,
  kOutputDeviation,
  kNumSaved
};

struct LayerSettings {
  AttentionSettings attention;
  Dropout hidden_dropout;
  double epsilon;
  Activation activation;
  Recomputation recomputation;
};

class EncoderLayerBlock : public Block {
 public:
  EncoderLayerBlock(PackedLayout layout, LayerSettings settings)
      : layout_(std::move(layout)), settings_(settings) {}

  at::Tensor forward(const at::Tensor& hidden_TE, at::TensorList p,
                     std::vector<at::Tensor>* saved) override {
    const bool is_kept =
        saved != nullptr && settings_.recomputation != Recomputation::kFull;
    std::vector<at::Tensor> s(kNumSaved);
    at::Tensor output_TE = compute(hidden_TE, p, is_kept, s);
    if (!is_kept) return output_TE;
    if (settings_.recomputation == Recomputation::kSelective) {
      s[kAttentionNorm].reset();
      s[kActivated].reset();
    }
    *saved = std::move(s);
    return output_TE;
  }

  Gradients backward(const at::Tensor& output_gradient,
                     const at::Tensor& hidden_TE, at::TensorList p,
                     const std::vector<at::Tensor>& kept) override {
    std::vector<at::Tensor> s = kept;
    compute_again(hidden_TE, p, s);
    std::vector<at::Tensor> g(kNumLayerParameters);
    at::Tensor norm_gradient_TE =
        feed_forward_backward(output_gradient, p, s, g);
    // The gradient of the residual path starts that of the layer's input.
    at::Tensor hidden_gradient_TE;
    std::tie(hidden_gradient_TE, g[kAttentionNormWeight],
             g[kAttentionNormBias]) =
        at::native_layer_norm_backward(
            norm_gradient_TE, s[kAttentionSum], {hidden_TE.size(1)},
            s[kAttentionMean], s[kAttentionDeviation], p[kAttentionNormWeight],
            p[kAttentionNormBias], {true, true, true});
    norm_gradient_TE.reset();
    at::Tensor attention_gradient_TE = linear_backward(
        dropped(hidden_gradient_TE, DropoutSite::kAttentionOutput),
        s[kAttention], p, g, kAttentionDenseWeight);
    global_backward(attention_gradient_TE, hidden_TE, p, s, g,
                    hidden_gradient_TE);
    local_backward(attention_gradient_TE, hidden_TE, p, s, g,
                   hidden_gradient_TE);
    return {hidden_gradient_TE, std::move(g)};
  }

 private:
  /// The layer's output. `is_kept`: with everything that the backward pass
  /// needs in `s`; otherwise with as little as possible at a time.
  at::Tensor compute(const at::Tensor& hidden_TE, at::TensorList p,
                     bool is_kept, std::vector<at::Tensor>& s) const {
    attend(hidden_TE, p, s);
    s[kAttentionSum] = at::linear(s[kAttention], p[kAttentionDenseWeight],
                                  p[kAttentionDenseBias]);
    if (!is_kept) forget_attention(s);
    add_residual(s[kAttentionSum], hidden_TE, DropoutSite::kAttentionOutput);
    normalise_attention(p, s);
    if (!is_kept) s[kAttentionSum].reset();
    s[kExpanded] =
        at::linear(s[kAttentionNorm], p[kExpandWeight], p[kExpandBias]);
    s[kActivated] = activation_forward(settings_.activation, s[kExpanded]);
    if (!is_kept) s[kExpanded].reset();
    s[kOutputSum] =
        at::linear(s[kActivated], p[kContractWeight], p[kContractBias]);
    if (!is_kept) s[kActivated].reset();
    add_residual(s[kOutputSum], s[kAttentionNorm],
                 DropoutSite::kFeedForwardOutput);
    at::Tensor output_TE;
    std::tie(output_TE, s[kOutputMean], s[kOutputDeviation]) =
        at::native_layer_norm(s[kOutputSum], {hidden_TE.size(1)},
                              p[kOutputNormWeight], p[kOutputNormBias],
                              settings_.epsilon);
    return output_TE;
  }

  void normalise_attention(at::TensorList p, std::vector<at::Tensor>& s) const {
    std::tie(s[kAttentionNorm], s[kAttentionMean], s[kAttentionDeviation]) =
        at::native_layer_norm(s[kAttentionSum], {s[kAttentionSum].size(1)},
                              p[kAttentionNormWeight], p[kAttentionNormBias],
                              settings_.epsilon);
  }

  /// Fills in what forward() did not keep: the same numbers bit for bit, since
  /// dropout is a function of its place.
  void compute_again(const at::Tensor& hidden_TE, at::TensorList p,
                     std::vector<at::Tensor>& s) const {
    switch (settings_.recomputation) {
      case Recomputation::kNone:
        return;
      case Recomputation::kSelective:
        normalise_attention(p, s);
        s[kActivated] = activation_forward(settings_.activation, s[kExpanded]);
        return;
      case Recomputation::kFull:
        s.resize(kNumSaved);
        compute(hidden_TE, p, /*is_kept=*/true, s);
        return;
    }
  }

  /// Attention output with the rows of the global tokens in place.
  void attend(const at::Tensor& hidden_TE, at::TensorList p,
              std::vector<at::Tensor>& s) const {
    s[kQuery] = at::linear(hidden_TE, p[kQueryWeight], p[kQueryBias]);
    s[kKey] = at::linear(hidden_TE, p[kKeyWeight], p[kKeyBias]);
    s[kValue] = at::linear(hidden_TE, p[kValueWeight], p[kValueBias]);
    LocalAttention local = local_attention_forward(
        s[kQuery], s[kKey], s[kValue], layout_, settings_.attention);
    s[kAttention] = std::move(local.output_TE);
    s[kNormaliser] = std::move(local.log_normaliser_TH);
    if (layout_.num_global_tokens() == 0) return;
    s[kGlobalQuery] =
        at::linear(hidden_TE.index_select(0, layout_.global_rows_N()),
                   p[kGlobalQueryWeight], p[kGlobalQueryBias]);
    GlobalRows rows = global_rows_forward(global_inputs(hidden_TE, p, s),
                                          layout_, settings_.attention);
    s[kAttention].index_copy_(0, layout_.global_rows_N(), rows.output_NE);
    s[kGlobalNormaliser] = std::move(rows.log_normaliser_NH);
  }

  static void forget_attention(std::vector<at::Tensor>& s) {
    for (const Saved index : {kQuery, kKey, kValue, kAttention}) {
      s[index].reset();
    }
  }

  GlobalRowsInputs global_inputs(const at::Tensor& hidden_TE, at::TensorList p,
                                 const std::vector<at::Tensor>& s) const {
    return {hidden_TE, s[kGlobalQuery], p[kGlobalKeyWeight],
            p[kGlobalValueWeight], p[kGlobalValueBias]};
  }

  /// branch = dropout(branch) + residual, in place.
  void add_residual(at::Tensor& branch_TE, const at::Tensor& residual_TE,
                    DropoutSite site) const {
    apply_hidden_dropout(branch_TE, layout_, settings_.hidden_dropout, site);
    branch_TE.add_(residual_TE);
  }

  /// Gradient of the branch below a dropout; `gradient_TE` stays as it is.
  at::Tensor dropped(const at::Tensor& gradient_TE, DropoutSite site) const {
    if (!settings_.hidden_dropout.active()) return gradient_TE;
    at::Tensor copy = gradient_TE.clone(at::MemoryFormat::Contiguous);
    apply_hidden_dropout(copy, layout_, settings_.hidden_dropout, site);
    return copy;
  }

  /// Sets the gradients of the weight at `index` and of the bias behind it.
  static void parameter_gradients(const at::Tensor& output_gradient,
                                  const at::Tensor& input,
                                  std::vector<at::Tensor>& g,
                                  std::size_t index) {
    g[index] = at::mm(output_gradient.t(), input);
    g[index + 1] = output_gradient.sum(0);
  }

  /// The same, and returns the gradient of the input.
  static at::Tensor linear_backward(const at::Tensor& output_gradient,
                                    const at::Tensor& input, at::TensorList p,
                                    std::vector<at::Tensor>& g,
                                    std::size_t index) {
    parameter_gradients(output_gradient, input, g, index);
    return at::mm(output_gradient, p[index]);
  }

  /// Returns the gradient of the first LayerNorm's output.
  at::Tensor feed_forward_backward(const at::Tensor& output_gradient,
                                   at::TensorList p,
                                   const std::vector<at::Tensor>& s,
                                   std::vector<at::Tensor>& g) const {
    at::Tensor sum_gradient_TE;
    std::tie(sum_gradient_TE, g[kOutputNormWeight], g[kOutputNormBias]) =
        at::native_layer_norm_backward(
            output_gradient, s[kOutputSum], {s[kOutputSum].size(1)},
            s[kOutputMean], s[kOutputDeviation], p[kOutputNormWeight],
            p[kOutputNormBias], {true, true, true});
    at::Tensor activated_gradient = linear_backward(
        dropped(sum_gradient_TE, DropoutSite::kFeedForwardOutput),
        s[kActivated], p, g, kContractWeight);
    const at::Tensor expanded_gradient = activation_backward(
        settings_.activation, activated_gradient, s[kExpanded]);
    activated_gradient.reset();
    parameter_gradients(expanded_gradient, s[kAttentionNorm], g, kExpandWeight);
    return sum_gradient_TE.addmm_(expanded_gradient, p[kExpandWeight]);
  }

  void global_backward(const at::Tensor& attention_gradient_TE,
                       const at::Tensor& hidden_TE, at::TensorList p,
                       const std::vector<at::Tensor>& s,
                       std::vector<at::Tensor>& g,
                       at::Tensor& hidden_gradient_TE) const {
    if (layout_.num_global_tokens() == 0) {
      for (std::size_t i = kGlobalQueryWeight; i <= kGlobalValueBias; ++i) {
        g[i] = at::zeros_like(p[i]);
      }
      return;
    }
    const at::Tensor& rows = layout_.global_rows_N();
    GlobalRowsGradients gradients = global_rows_backward(
        attention_gradient_TE.index_select(0, rows),
        global_inputs(hidden_TE, p, s), {{}, s[kGlobalNormaliser]}, layout_,
        settings_.attention, hidden_gradient_TE);
    hidden_gradient_TE.index_add_(
        0, rows,
        linear_backward(gradients.query_NE, hidden_TE.index_select(0, rows), p,
                        g, kGlobalQueryWeight));
    g[kGlobalKeyWeight] = std::move(gradients.key_weight_EE);
    g[kGlobalKeyBias] = at::zeros_like(p[kGlobalKeyBias]);
    g[kGlobalValueWeight] = std::move(gradients.value_weight_EE);
    g[kGlobalValueBias] = std::move(gradients.value_bias_E);
  }

  void local_backward(const at::Tensor& attention_gradient_TE,
                      const at::Tensor& hidden_TE, at::TensorList p,
                      const std::vector<at::Tensor>& s,
                      std::vector<at::Tensor>& g,
                      at::Tensor& hidden_gradient_TE) const {
    const LocalAttentionGradients gradients = local_attention_backward(
        attention_gradient_TE, s[kQuery], s[kKey], s[kValue],
        {s[kAttention], s[kNormaliser]}, layout_, settings_.attention);
    parameter_gradients(gradients.query_TE, hidden_TE, g, kQueryWeight);
    parameter_gradients(gradients.key_TE, hidden_TE, g, kKeyWeight);
    parameter_gradients(gradients.value_TE, hidden_TE, g, kValueWeight);
    g[kKeyBias] = at::zeros_like(p[kKeyBias]);
    hidden_gradient_TE.addmm_(gradients.query_TE, p[kQueryWeight]);
    hidden_gradient_TE.addmm_(gradients.key_TE, p[kKeyWeight]);
    hidden_gradient_TE.addmm_(gradients.value_TE, p[kValueWeight]);
  }

  PackedLayout layout_;
  LayerSettings settings_;
};

/// A module without parameters of its own, for a level of a published name.
std::shared_ptr<torch::nn::Module> name_level(torch::nn::Module& parent,
                                              const std::string& name) {
  return parent.register_module(name, std::make_shared<torch::nn::Module>());
}

void add_linear(torch::nn::Module& parent, const std::string& name,
                std::int64_t in_size, std::int64_t out_size) {
  parent.register_module(name,
                         std::make_shared<LinearParameters>(in_size, out_size));
}

/// The published names `dense` and `LayerNorm` of a part that ends in a
/// residual connection.
void add_output(torch::nn::Module& parent, std::int64_t in_size,
                std::int64_t out_size) {
  add_linear(parent, "dense", in_size, out_size);
  parent.register_module("LayerNorm",
                         std::make_shared<LayerNormParameters>(out_size));
}

}  // namespace

EncoderLayer::EncoderLayer(const ModelConfig& config, std::int64_t index)
    : index_(static_cast<std::uint32_t>(index)),
      num_heads_(config.num_attention_heads),
      window_(config.attention_window[static_cast<std::size_t>(index)] / 2),
      epsilon_(config.layer_norm_eps),
      hidden_dropout_(config.hidden_dropout_prob),
      attention_dropout_(config.attention_probs_dropout_prob),
      activation_(config.hidden_act) {
  const std::int64_t size = config.hidden_size;
  const auto attention = name_level(*this, "attention");
  const auto self = name_level(*attention, "self");
  for (const char* name : {"query", "key", "value", "query_global",
                           "key_global", "value_global"}) {
    add_linear(*self, name, size, size);
  }
  add_output(*name_level(*attention, "output"), size, size);
  add_linear(*name_level(*this, "intermediate"), "dense", size,
             config.intermediate_size);
  add_output(*name_level(*this, "output"), config.intermediate_size, size);
}

at::Tensor EncoderLayer::forward(const at::Tensor& hidden_TE,
                                 const PackedLayout& layout,
                                 const ForwardSettings& settings) {
  const LayerSettings layer{
      {num_heads_, window_, settings.dropout(attention_dropout_, index_),
       settings.attention_path},
      settings.dropout(hidden_dropout_, index_),
      epsilon_,
      activation_,
      settings.recomputation_in(index_)};
  return run_block(std::make_shared<EncoderLayerBlock>(layout, layer),
                   hidden_TE, parameters(), settings.failure);
}

}  // namespace longformer
