// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace longformer {

struct UnigramPiece {
  std::string text;
  double score = 0;  ///< Logarithm of its probability.
};

/// Cuts a word into the pieces of the largest total score (Kudo 2018,
/// arXiv:1804.10959), in double precision and with the choices of the
/// `tokenizers` library where scores are equal.
///
/// Threads: const members may be called from several threads.
class UnigramModel {
 public:
  /// The best way to reach a place in a word.
  struct Step {
    double score = 0;
    std::uint32_t begin = kUnreached;  ///< Where the last piece begins.
    std::int32_t id = -1;

    static constexpr std::uint32_t kUnreached = ~std::uint32_t{0};
  };
  /// Memory that encode() uses; kept by the caller to save allocations.
  using Scratch = std::vector<Step>;

  /// The id of a piece is its place. `hidden` pieces are never chosen.
  UnigramModel(const std::vector<UnigramPiece>& pieces, std::int32_t unknown,
               const std::vector<bool>& hidden);

  /// Appends the ids of `word` (well-formed UTF-8) and the number of bytes of
  /// each. Characters that no piece holds are the unknown piece; neighbours
  /// share one. Cost: linear in the word times the longest piece.
  void encode(std::string_view word, Scratch& scratch,
              std::vector<std::int32_t>& ids,
              std::vector<std::uint32_t>& bytes) const;

 private:
  struct Edge {
    std::uint64_t key = kFree;  ///< Node and byte.
    std::uint32_t node = 0;
  };
  static constexpr std::uint64_t kFree = ~std::uint64_t{0};

  std::uint32_t follow(std::uint32_t node, unsigned char byte) const;
  std::uint32_t add_edge(std::uint32_t node, unsigned char byte);
  void grow();
  std::int32_t id_of(std::string_view text) const;
  void find_best_steps(std::string_view word, Scratch& steps) const;

  std::vector<Edge> edges_;  ///< Open addressing.
  std::size_t num_edges_ = 0;
  std::vector<std::int32_t> piece_at_;      ///< By node, -1: none.
  std::array<std::uint32_t, 256> first_{};  ///< Nodes below the root.
  std::vector<double> scores_;
  std::int32_t unknown_;
  double unknown_score_ = 0;
};

}  // namespace longformer
