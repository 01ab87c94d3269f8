// SPDX-License-Identifier: MIT
#include "longformer/distributed/communicator.h"

#include <vector>

#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "longformer/base/error.h"
#include "longformer/distributed/failure_text.h"
#include "longformer/machine/cuda_runtime.h"

#include "gloo_group.h"
#include "meeting.h"

namespace longformer {

struct Communicator::State {
  int rank = 0;
  int size = 1;
  std::string activity = "the start";
  c10::intrusive_ptr<c10d::Store> store;
  c10::intrusive_ptr<c10d::ProcessGroup> group;
  bool is_broken = false;

  /// The threads of a broken group may still wait for a rank that is silent;
  /// joining them would take as long as the timeout. The process is ending.
  ~State() {
    if (is_broken) static_cast<void>(group.release());
  }
};

namespace {

c10d::ReduceOp operation_of(Reduction reduction) {
  switch (reduction) {
    case Reduction::kMinimum:
      return c10d::ReduceOp::MIN;
    case Reduction::kMaximum:
      return c10d::ReduceOp::MAX;
    case Reduction::kSum:
      break;
  }
  return c10d::ReduceOp::SUM;
}

/// A tensor whose memory no allocator of LibTorch gives, and that lives as long
/// as an exchange may use it.
template <class Value>
at::Tensor plain_tensor(std::shared_ptr<std::vector<Value>> values) {
  return at::from_blob(
      values->data(), {static_cast<std::int64_t>(values->size())},
      [values](void*) {}, at::TensorOptions(c10::CppTypeToScalarType<Value>()));
}

}  // namespace

Communicator::Communicator(const LaunchEnvironment& launch,
                           const CommunicatorSettings& settings)
    : state_(std::make_unique<State>()) {
  state_->rank = launch.rank;
  state_->size = launch.world_size;
  state_->store = open_store(launch, settings.start_timeout);
  await_all_ranks(*state_->store, launch, settings.start_timeout);
  try {
    state_->group = make_gloo_group(state_->store, launch, settings.interface,
                                    settings.collective_timeout);
    if (settings.cuda != nullptr) {
      settings.cuda->add_nccl(*state_->group, *state_->store, /*index=*/0,
                              settings.collective_timeout);
    }
    barrier();
  } catch (const c10::Error& error) {
    fail(first_line(error.what_without_backtrace()));
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    fail(first_line(error.what()));
  }
}

Communicator::~Communicator() = default;

int Communicator::rank() const { return state_->rank; }
int Communicator::size() const { return state_->size; }

void Communicator::reduce(std::span<double> values, Reduction reduction) {
  const auto copy =
      std::make_shared<std::vector<double>>(values.begin(), values.end());
  std::vector<at::Tensor> tensors{plain_tensor(copy)};
  c10d::AllreduceOptions options;
  options.reduceOp = operation_of(reduction);
  try {
    state_->group->allreduce(tensors, options)->wait();
  } catch (...) {
    fail(failure_text(std::current_exception()));
  }
  std::copy(copy->begin(), copy->end(), values.begin());
}

std::string Communicator::broadcast(const std::string& bytes, int root) {
  c10d::BroadcastOptions options;
  options.rootRank = root;
  const auto size = std::make_shared<std::vector<std::int64_t>>(
      1, static_cast<std::int64_t>(bytes.size()));
  const auto content =
      std::make_shared<std::vector<std::uint8_t>>(bytes.begin(), bytes.end());
  try {
    std::vector<at::Tensor> sizes{plain_tensor(size)};
    state_->group->broadcast(sizes, options)->wait();
    if (size->front() == 0) return "";
    content->resize(static_cast<std::size_t>(size->front()));
    std::vector<at::Tensor> contents{plain_tensor(content)};
    state_->group->broadcast(contents, options)->wait();
  } catch (...) {
    fail(failure_text(std::current_exception()));
  }
  return {content->begin(), content->end()};
}

void Communicator::barrier(std::chrono::milliseconds timeout) {
  // An all-reduce, not Gloo's barrier: that one takes no timeout of its own.
  std::vector<at::Tensor> tensors{
      plain_tensor(std::make_shared<std::vector<double>>(1, 0.0))};
  c10d::AllreduceOptions options;
  if (timeout.count() > 0) options.timeout = timeout;
  try {
    state_->group->allreduce(tensors, options)->wait();
  } catch (...) {
    fail(failure_text(std::current_exception()));
  }
}

void Communicator::set_activity(std::string activity) {
  state_->activity = std::move(activity);
}

void Communicator::fail(const std::string& reason) {
  state_->is_broken = true;
  throw PeerError("rank " + std::to_string(state_->rank) +
                  " lost another rank in " + state_->activity + " (" + reason +
                  ")");
}

c10d::ProcessGroup& Communicator::group() { return *state_->group; }

}  // namespace longformer
