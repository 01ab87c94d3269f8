// SPDX-License-Identifier: MIT
#include "longformer/distributed/replicas.h"

#include "longformer/distributed/agreement.h"
#include "longformer/io/digest.h"

namespace longformer {
namespace {

/// `host`: on the CPU.
std::span<std::byte> bytes_of(const at::Tensor& host) {
  return {static_cast<std::byte*>(host.data_ptr()), host.nbytes()};
}

}  // namespace

void copy_from_main(Communicator& communicator,
                    const std::vector<Replica>& replicas) {
  const at::NoGradGuard no_gradients;
  for (const Replica& replica : replicas) {
    const at::Tensor host = replica.tensor.cpu();  // Itself if it is there.
    communicator.broadcast(bytes_of(host), 0);
    if (!replica.tensor.is_cpu()) replica.tensor.copy_(host);
  }
}

std::optional<std::string> find_replica_difference(
    Communicator& communicator, const std::vector<Replica>& replicas) {
  std::vector<std::string> digests;
  std::string all;
  for (const Replica& replica : replicas) {
    Digest digest;
    digest.update(bytes_of(replica.tensor.cpu()));
    digests.push_back(digest.hex());
    all += digests.back();
  }
  const std::string of_main = communicator.broadcast(all, 0);
  std::optional<std::string> difference;
  for (std::size_t i = 0; i < digests.size() && !difference; ++i) {
    const std::size_t size = digests[i].size();
    if (of_main.compare(i * size, size, digests[i]) != 0) {
      difference = "has other values in " + replicas[i].name + " than rank 0";
    }
  }
  const auto first = first_failure(communicator, difference);
  if (!first) return std::nullopt;
  return "rank " + std::to_string(first->rank) + " " + first->message;
}

}  // namespace longformer
