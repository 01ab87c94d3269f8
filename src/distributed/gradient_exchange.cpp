// SPDX-License-Identifier: MIT
#include "longformer/distributed/gradient_exchange.h"

#include <utility>

#include <ATen/ops/ones.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>

#include "longformer/distributed/failure_text.h"

#include "hook_recorder.h"
#include "reducer.h"

namespace longformer {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Ends the backward pass of parameters that a failed one did not reach.
struct RestFunction : torch::autograd::Function<RestFunction> {
  static at::Tensor forward(AutogradContext* context,
                            at::TensorList parameters) {
    context->set_materialize_grads(false);
    context->saved_data["parameters"] =
        static_cast<std::int64_t>(parameters.size());
    return at::zeros({}, parameters[0].options());
  }

  static variable_list backward(AutogradContext* context,
                                variable_list /*output_gradients*/) {
    return variable_list(
        static_cast<std::size_t>(context->saved_data["parameters"].toInt()));
  }
};

}  // namespace

struct GradientExchange::State {
  State(Communicator& communicator_, std::vector<at::Tensor> parameters_,
        Anchor anchor_)
      : communicator(communicator_),
        parameters(std::move(parameters_)),
        anchor(std::move(anchor_)),
        recorder(parameters),
        root_gradient(at::ones({}, parameters.at(0).options())) {}

  void run_backward(const at::Tensor& loss) const {
    torch::autograd::backward({loss}, {root_gradient});
  }

  /// Those whose hook has not run in this exchange.
  std::vector<at::Tensor> rest() const {
    std::vector<bool> is_done(parameters.size());
    for (const std::int64_t index : recorder.order()) {
      is_done[static_cast<std::size_t>(index)] = true;
    }
    std::vector<at::Tensor> left;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      if (!is_done[i]) left.push_back(parameters[i]);
    }
    return left;
  }

  Communicator& communicator;
  std::vector<at::Tensor> parameters;
  Anchor anchor;
  HookRecorder recorder;
  at::Tensor root_gradient;  ///< Made in advance: memory may have run out.
  ExchangeFailure hook_failure;
  ReducerPair pair;
  double wait_seconds = 0;

  /// Ends a complete exchange.
  void finish() {
    wait_seconds = std::chrono::duration<double>(HookRecorder::Clock::now() -
                                                 recorder.last_time())
                       .count();
    communicator.note_exchange();
    if (auto failure = std::exchange(hook_failure.exception, nullptr)) {
      std::rethrow_exception(failure);
    }
  }
};

GradientExchange::GradientExchange(Communicator& communicator,
                                   std::vector<at::Tensor> parameters,
                                   Anchor anchor,
                                   const GradientExchangeSettings& settings)
    : state_(std::make_unique<State>(communicator, std::move(parameters),
                                     std::move(anchor))) {
  State& s = *state_;
  s.run_backward(s.anchor());
  s.pair = make_reducer(s.parameters, s.recorder.order(), communicator.group(),
                        settings, s.hook_failure);
  // The Reducer rebuilds its buckets once, before its second exchange. Two
  // empty ones now make all steps alike, and the grad fields views of zeros.
  backward({});
  backward({});
  zero();
}

GradientExchange::~GradientExchange() = default;

void GradientExchange::zero() {
  for (const at::Tensor& parameter : state_->parameters) {
    if (parameter.grad().defined()) parameter.mutable_grad().zero_();
  }
}

void GradientExchange::backward(const at::Tensor& loss) {
  State& s = *state_;
  c10d::Reducer& reducer = *s.pair.reducer;
  std::exception_ptr failure;
  bool is_prepared = false;
  try {
    const at::Tensor root = loss.defined() ? loss : s.anchor();
    reducer.prepare_for_forward();
    reducer.rebuild_buckets();
    s.recorder.clear();
    reducer.prepare_for_backward({root});
    is_prepared = true;
    s.run_backward(root);
  } catch (...) {
    failure = std::current_exception();
  }
  if (!failure) return s.finish();
  // With every hook run, only the exchange is left that can have failed.
  const std::vector<at::Tensor> rest = s.rest();
  if (!is_prepared || rest.empty()) {
    s.communicator.fail(failure_text(failure));
  }
  try {
    s.run_backward(RestFunction::apply(at::TensorList(rest)));
  } catch (...) {
    s.communicator.fail(failure_text(std::current_exception()));
  }
  s.hook_failure.exception = failure;
  s.finish();
}

double GradientExchange::wait_seconds() const { return state_->wait_seconds; }

std::int64_t GradientExchange::num_buckets() const {
  return static_cast<std::int64_t>(
      state_->pair.reducer->get_grad_buckets(/*return_zero_tensors=*/true)
          .size());
}

}  // namespace longformer
