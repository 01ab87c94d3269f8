// SPDX-License-Identifier: MIT
#include <array>
#include <thread>

#include <ATen/ATen.h>

#include "longformer/distributed/agreement.h"
#include "longformer/distributed/gradient_exchange.h"
#include "longformer/model/block.h"

#include "distributed/rank_worker.h"

namespace longformer::test {
namespace {

void collectives(Communicator& ranks, const Words& /*words*/) {
  const int size = ranks.size();
  const double mine = ranks.rank() + 1;
  std::array<double, 2> values{mine, 0.1};
  ranks.reduce(values, Reduction::kSum);
  require(values[0] == size * (size + 1) / 2, "the sum");
  values = {mine, -mine};
  ranks.reduce(values, Reduction::kMinimum);
  require(values == std::array<double, 2>{1, -double(size)}, "the minimum");
  values = {mine, -mine};
  ranks.reduce(values, Reduction::kMaximum);
  require(values == std::array<double, 2>{double(size), -1}, "the maximum");
  for (int root = 0; root < size; ++root) {
    const std::string text = "from " + std::to_string(root) + std::string(9, 0);
    const std::string other(static_cast<std::size_t>(ranks.rank()), 'x');
    require(ranks.broadcast(ranks.rank() == root ? text : other, root) == text,
            "the text of the root");
  }
  require(ranks.broadcast(ranks.rank() == 0 ? "" : "x", 0).empty(),
          "an empty text");
  ranks.barrier(std::chrono::seconds(30));
}

void agreement(Communicator& ranks, const Words& /*words*/) {
  check_agreement(ranks, {{"program", "1"}, {"data", "abc"}});
  require(!first_failure(ranks, std::nullopt), "no failure");
  const auto failure = first_failure(
      ranks, ranks.rank() > 0
                 ? std::optional("of " + std::to_string(ranks.rank()))
                 : std::nullopt);
  require(failure && failure->rank == 1 && failure->message == "of 1",
          "the first failure");
}

void difference(Communicator& ranks, const Words& /*words*/) {
  check_agreement(
      ranks, {{"program", "1"}, {"data", ranks.rank() == 2 ? "abd" : "abc"}});
}

/// a and b of gradients 2 b and 2 a, and an exception between them on rank 1.
void escaping_failure(Communicator& ranks, const Words& /*words*/) {
  at::Tensor a = at::full({3}, 1.0 + ranks.rank(), at::kDouble);
  at::Tensor b = at::full({3}, 10.0, at::kDouble);
  a.requires_grad_();
  b.requires_grad_();
  GradientExchange exchange(
      ranks, {a, b}, [&] { return run_anchor(run_anchor({}, {a}), {b}); });
  for (const bool fails : {false, true, false}) {
    exchange.zero();
    const at::Tensor doubled = a * 2;
    if (fails && ranks.rank() == 1) {
      doubled.register_hook([](const at::Tensor&) -> at::Tensor {
        throw std::runtime_error("between two nodes");
      });
    }
    std::string failure;
    try {
      exchange.backward((doubled * b).sum());
    } catch (const std::runtime_error& error) {
      failure = error.what();
    }
    require(failure.empty() != (fails && ranks.rank() == 1), "who failed");
    const double size = ranks.size();
    const double of_a = fails ? 20 * (size - 1) / size : 20;
    require((a.grad() - of_a).abs().max().item<double>() < 1e-12,
            "the mean of the gradients of a");
    require((b.grad() - (size + 1)).abs().max().item<double>() < 1e-12,
            "the mean of the gradients of b");
  }
}

/// Rank 1 comes later than the usual timeout.
void late(Communicator& ranks, const Words& /*words*/) {
  if (ranks.rank() == 1) std::this_thread::sleep_for(std::chrono::seconds(5));
  ranks.barrier(std::chrono::seconds(60));
}

void nothing(Communicator& /*ranks*/, const Words& /*words*/) {}

}  // namespace

std::map<std::string, Scenario> exchange_scenarios() {
  return {{"collectives", collectives},
          {"agreement", agreement},
          {"difference", difference},
          {"escaping_failure", escaping_failure},
          {"late", late},
          {"wait", nothing}};
}

}  // namespace longformer::test
