// SPDX-License-Identifier: MIT
#include "longformer/distributed/exchange_speed.h"

#include <algorithm>
#include <array>
#include <chrono>

#include <ATen/Functions.h>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "longformer/distributed/failure_text.h"

namespace longformer {
namespace {

using Clock = std::chrono::steady_clock;

/// Seconds that this rank waits for the sum of one tensor.
double time_sum(Communicator& communicator, at::Tensor& values) {
  const int ranks = communicator.size();
  values.fill_(communicator.rank() + 1);
  values.sum().item<float>();  // The GPU is done with that.
  std::array<double, 1> nothing{0};
  communicator.reduce(nothing, Reduction::kSum);  // All start together.
  const Clock::time_point start = Clock::now();
  try {
    std::vector<at::Tensor> tensors{values};
    communicator.group().allreduce(tensors)->wait();
    // On a GPU the wait above is the stream's, this one the host's.
    values.narrow(0, 0, 1).item<float>();
  } catch (...) {
    communicator.fail(failure_text(std::current_exception()));
  }
  communicator.note_exchange();
  const std::chrono::duration<double> time = Clock::now() - start;
  if (!values.eq(ranks * (ranks + 1) / 2).all().item<bool>()) {
    communicator.fail("the sum of " + std::to_string(values.nbytes()) +
                      " bytes is wrong");
  }
  return std::max(time.count(), 1e-9);
}

double slowest(Communicator& communicator, double seconds) {
  std::array<double, 1> value{seconds};
  communicator.reduce(value, Reduction::kMaximum);
  return value[0];
}

}  // namespace

std::vector<ExchangeTiming> measure_exchange(Communicator& communicator,
                                             bool on_gpu) {
  constexpr std::array<std::int64_t, 3> kBytes{4, 1 << 16, 1 << 26};
  constexpr int kRounds = 7;
  constexpr double kLongEnoughS = 1;
  const auto options =
      at::TensorOptions(at::kFloat)
          .device(on_gpu ? at::Device(at::kCUDA, 0) : at::Device(at::kCPU));
  std::vector<ExchangeTiming> timings;
  for (const std::int64_t bytes : kBytes) {
    at::Tensor values =
        at::empty({bytes / static_cast<std::int64_t>(sizeof(float))}, options);
    time_sum(communicator, values);  // The first also connects.
    std::vector<double> times;
    double total = 0;
    for (int round = 0; round < kRounds && total < kLongEnoughS; ++round) {
      // The same on every rank, so that all stop after the same round.
      times.push_back(slowest(communicator, time_sum(communicator, values)));
      total += times.back();
    }
    std::ranges::sort(times);
    timings.push_back(
        {static_cast<std::uint64_t>(bytes), times[times.size() / 2]});
  }
  return timings;
}

}  // namespace longformer
