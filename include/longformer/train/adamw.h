// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "longformer/model/classifier.h"

namespace longformer {

struct AdamWSettings {
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double weight_decay = 0.01;
};

/// AdamW (Loshchilov & Hutter 2019, arXiv:1711.05101) over all parameters of a
/// classifier. Biases and LayerNorm do not decay. Parameters whose gradient is
/// exactly 0 are updated (and decay) like the others.
///
/// With t updates so far, per parameter:
///   p -= rate * weight_decay * p;
///   m += (1 - beta1) (g - m);  v += (1 - beta2) (g g - v);
///   p -= rate / (1 - beta1^t) * m / (sqrt(v) / sqrt(1 - beta2^t) + epsilon).
class AdamW {
 public:
  AdamW(std::vector<NamedParameter> parameters, const AdamWSettings& settings);

  /// One update from the gradients, all multiplied by `gradient_factor` first
  /// (clipping). `embedding_rate` applies to the word embeddings, `rate` to
  /// everything else.
  void step(double rate, double embedding_rate, double gradient_factor);

  /// Moments and number of updates under the names of the parameters:
  /// "exp_avg.<name>", "exp_avg_sq.<name>".
  std::vector<NamedParameter> state() const;
  std::int64_t updates() const { return updates_; }
  void set_updates(std::int64_t updates) { updates_ = updates; }

  /// "decay: 12 tensors, 345 values; no decay: ...", for the log.
  std::string describe_groups() const;

 private:
  /// Parameters that share decay and rate.
  struct Group {
    bool decays = false;
    bool is_embedding = false;
    std::vector<std::size_t> members;  ///< Into parameters_.
  };

  std::vector<NamedParameter> parameters_;
  AdamWSettings settings_;
  std::vector<at::Tensor> means_;
  std::vector<at::Tensor> squares_;
  std::vector<Group> groups_;
  std::int64_t updates_ = 0;
};

/// Whether weight decay applies to a parameter: not to biases and LayerNorm.
bool decays(std::string_view parameter_name);

}  // namespace longformer
