// SPDX-License-Identifier: MIT
#include "longformer/model/classification_head.h"

#include <ATen/Functions.h>

#include "longformer/attention/dropout_mask.h"

namespace longformer {
namespace {

/// Order of the head's parameters, as registered.
enum HeadParameter : std::size_t {
  kDenseWeight,
  kDenseBias,
  kOutputWeight,
  kOutputBias,
  kNumHeadParameters
};

class HeadBlock : public Block {
 public:
  HeadBlock(PackedLayout layout, Pooling pooling, Dropout dropout)
      : layout_(std::move(layout)),
        documents_(layout_.one_row_a_document()),
        pooling_(pooling),
        dropout_(dropout) {}

  /// Makes forward() return the scaled loss instead of the logits.
  void set_loss(Targets targets, LossSettings settings, double scale) {
    targets_ = std::move(targets);
    loss_settings_ = std::move(settings);
    scale_ = scale;
    returns_loss_ = true;
  }
  const at::Tensor& logits() const { return logits_; }

  at::Tensor forward(const at::Tensor& hidden_TE, at::TensorList p,
                     std::vector<at::Tensor>* saved) override {
    at::Tensor pooled_BE = pool(hidden_TE);
    apply_hidden_dropout(pooled_BE, documents_, dropout_,
                         DropoutSite::kHeadInput);
    const at::Tensor dense_BE =
        at::linear(pooled_BE, p[kDenseWeight], p[kDenseBias]).tanh_();
    at::Tensor kept_BE = dense_BE;
    if (dropout_.active()) {
      kept_BE = dense_BE.clone();
      apply_hidden_dropout(kept_BE, documents_, dropout_,
                           DropoutSite::kHeadHidden);
    }
    logits_ = at::linear(kept_BE, p[kOutputWeight], p[kOutputBias]);
    if (!returns_loss_) return logits_;
    const Losses losses = compute_losses(logits_, targets_, loss_settings_);
    if (saved != nullptr) {
      *saved = {pooled_BE, dense_BE, kept_BE,
                losses.logits_gradient_BL * scale_};
    }
    return losses.weighted_B.sum().mul_(scale_);
  }

  Gradients backward(const at::Tensor& output_gradient,
                     const at::Tensor& hidden_TE, at::TensorList p,
                     const std::vector<at::Tensor>& saved) override {
    const at::Tensor& pooled_BE = saved[0];
    const at::Tensor& dense_BE = saved[1];
    const at::Tensor& kept_BE = saved[2];
    const at::Tensor logits_gradient_BL = saved[3] * output_gradient;
    std::vector<at::Tensor> g(kNumHeadParameters);
    g[kOutputWeight] = at::mm(logits_gradient_BL.t(), kept_BE);
    g[kOutputBias] = logits_gradient_BL.sum(0);
    at::Tensor gradient_BE = at::mm(logits_gradient_BL, p[kOutputWeight]);
    apply_hidden_dropout(gradient_BE, documents_, dropout_,
                         DropoutSite::kHeadHidden);
    gradient_BE = at::tanh_backward(gradient_BE, dense_BE);
    g[kDenseWeight] = at::mm(gradient_BE.t(), pooled_BE);
    g[kDenseBias] = gradient_BE.sum(0);
    gradient_BE = at::mm(gradient_BE, p[kDenseWeight]);
    apply_hidden_dropout(gradient_BE, documents_, dropout_,
                         DropoutSite::kHeadInput);
    return {unpool(gradient_BE, hidden_TE), std::move(g)};
  }

 private:
  at::Tensor pool(const at::Tensor& hidden_TE) const {
    if (pooling_ == Pooling::kCls) {
      return hidden_TE.index_select(0, layout_.first_rows_B());
    }
    at::Tensor pooled_BE = at::empty(
        {layout_.num_documents(), hidden_TE.size(1)}, hidden_TE.options());
    for (std::int64_t b = 0; b < layout_.num_documents(); ++b) {
      pooled_BE[b].copy_(
          hidden_TE.narrow(0, layout_.begin(b), layout_.length(b)).mean(0));
    }
    return pooled_BE;
  }

  at::Tensor unpool(const at::Tensor& gradient_BE,
                    const at::Tensor& hidden_TE) const {
    at::Tensor gradient_TE = at::zeros_like(hidden_TE);
    if (pooling_ == Pooling::kCls) {
      return gradient_TE.index_copy_(0, layout_.first_rows_B(), gradient_BE);
    }
    for (std::int64_t b = 0; b < layout_.num_documents(); ++b) {
      gradient_TE.narrow(0, layout_.begin(b), layout_.length(b))
          .copy_((gradient_BE[b] / static_cast<double>(layout_.length(b)))
                     .unsqueeze(0));
    }
    return gradient_TE;
  }

  PackedLayout layout_;
  PackedLayout documents_;
  Pooling pooling_;
  Dropout dropout_;
  bool returns_loss_ = false;
  Targets targets_;
  LossSettings loss_settings_;
  double scale_ = 1;
  at::Tensor logits_;
};

}  // namespace

ClassificationHead::ClassificationHead(const ModelConfig& config)
    : pooling_(config.pooling),
      dropout_probability_(config.hidden_dropout_prob) {
  register_module("dense", std::make_shared<LinearParameters>(
                               config.hidden_size, config.hidden_size));
  register_module("out_proj", std::make_shared<LinearParameters>(
                                  config.hidden_size, config.num_labels()));
}

at::Tensor ClassificationHead::logits(const at::Tensor& hidden_TE,
                                      const PackedLayout& layout,
                                      const ForwardSettings& settings) {
  const at::NoGradGuard no_gradients;
  const auto block = std::make_shared<HeadBlock>(
      layout, pooling_,
      settings.dropout(dropout_probability_, kHeadDropoutLayer));
  return run_block(block, hidden_TE, parameters(), settings.failure);
}

ClassificationHead::Result ClassificationHead::loss(
    const at::Tensor& hidden_TE, const PackedLayout& layout,
    const Targets& targets, const LossSettings& loss_settings, double scale,
    const ForwardSettings& settings) {
  const auto block = std::make_shared<HeadBlock>(
      layout, pooling_,
      settings.dropout(dropout_probability_, kHeadDropoutLayer));
  block->set_loss(targets, loss_settings, scale);
  at::Tensor loss = run_block(block, hidden_TE, parameters(), settings.failure);
  return {std::move(loss), block->logits()};
}

}  // namespace longformer
