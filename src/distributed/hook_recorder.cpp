// SPDX-License-Identifier: MIT
#include "hook_recorder.h"

#include <torch/csrc/autograd/utils/lambda_post_hook.h>
#include <torch/csrc/autograd/variable.h>

namespace longformer {

using torch::autograd::variable_list;

HookRecorder::HookRecorder(const std::vector<at::Tensor>& parameters) {
  order_.reserve(parameters.size());
  for (const at::Tensor& parameter : parameters) {
    const auto index = static_cast<std::int64_t>(hooks_.size());
    Hook hook{torch::autograd::impl::grad_accumulator(parameter), 0};
    hook.key = hook.accumulator->add_post_hook(
        std::make_unique<torch::autograd::utils::LambdaPostHook>(
            [this, index](const variable_list& outputs,
                          const variable_list& /*inputs*/) {
              order_.push_back(index);
              last_time_ = Clock::now();
              return outputs;
            }));
    hooks_.push_back(std::move(hook));
  }
}

HookRecorder::~HookRecorder() {
  for (const Hook& hook : hooks_) hook.accumulator->del_post_hook(hook.key);
}

}  // namespace longformer
