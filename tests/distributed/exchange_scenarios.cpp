// SPDX-License-Identifier: MIT
#include <unistd.h>

#include <array>
#include <csignal>
#include <thread>

#include <ATen/ATen.h>

#include "longformer/distributed/agreement.h"
#include "longformer/distributed/gradient_exchange.h"
#include "longformer/distributed/replicas.h"
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
  const std::string mine_of_all(static_cast<std::size_t>(ranks.rank()), 'y');
  const auto gathered = ranks.gather(mine_of_all);
  for (int rank = 0; rank < size; ++rank) {
    require(gathered[static_cast<std::size_t>(rank)].size() ==
                static_cast<std::size_t>(rank),
            "what each rank has given");
  }
  std::vector<std::byte> bytes(3, static_cast<std::byte>(ranks.rank()));
  ranks.broadcast(bytes, size - 1);
  require(bytes[2] == static_cast<std::byte>(size - 1), "bytes in place");
  ranks.await_all();
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

/// Rank 1 works longer than the timeout before the others see it again.
void late(Communicator& ranks, const Words& /*words*/) {
  if (ranks.rank() == 1) std::this_thread::sleep_for(std::chrono::seconds(5));
  ranks.await_all();
}

/// The others wait for rank 1, whose end is to be what `words` say, for longer
/// than the timeout if need be.
void lost_at_work(Communicator& ranks, const Words& words) {
  ranks.set_activity("the long work");
  if (ranks.rank() == 1) {
    // The others hear of the activity first.
    std::this_thread::sleep_for(std::chrono::seconds(1));
    if (words.at(0) == "failure") throw std::runtime_error("out of ideas");
    if (words.at(0) == "exit") _exit(9);
    raise(SIGSTOP);
  }
  ranks.await_all();
}

/// Replicas that agree, and then do not.
void replicas(Communicator& ranks, const Words& /*words*/) {
  std::vector<Replica> tensors{{"a", at::full({5}, 1.0 + ranks.rank())},
                               {"b", at::zeros({2, 3}, at::kDouble)}};
  require(ranks.size() == 1 || find_replica_difference(ranks, tensors) ==
                                   "rank 1 has other values in a than rank 0",
          "the difference");
  copy_from_main(ranks, tensors);
  require(!find_replica_difference(ranks, tensors), "no difference");
  require(at::equal(tensors[0].tensor, at::ones({5})), "rank 0's values");
  if (ranks.rank() == 2) tensors[1].tensor[1][2] = 1e-300;
  require(find_replica_difference(ranks, tensors) ==
              "rank 2 has other values in b than rank 0",
          "one bit");
}

void nothing(Communicator& /*ranks*/, const Words& /*words*/) {}

}  // namespace

std::map<std::string, Scenario> exchange_scenarios() {
  return {{"collectives", collectives},
          {"agreement", agreement},
          {"difference", difference},
          {"escaping_failure", escaping_failure},
          {"late", late},
          {"lost_at_work", lost_at_work},
          {"replicas", replicas},
          {"wait", nothing}};
}

}  // namespace longformer::test
