// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "longformer/tokenizer/tokenizer.h"

namespace longformer::test {

/// One token per byte: `<s>` 0, `<pad>` 1, `</s>` 2, `<unk>` 3, byte b is 4 +
/// b.
class FakeTokenizer : public Tokenizer {
 public:
  /// `version` tells tokenizers apart, as other files would.
  explicit FakeTokenizer(const std::string& version = "1") {
    vocabulary_size_ = 260;
    special_tokens_ = {0, 2, 2, 0, 1, 3, -1};
    template_ = {{0}, {2}, {0}, {2, 2}, {2}};
    set_files({}, version);
  }

  std::string description() const override { return "one token per byte"; }
  std::string decode(std::span<const std::int32_t>, bool) const override {
    return {};
  }
  std::int32_t token_id(std::string_view) const override { return -1; }
  std::string token_text(std::int32_t) const override { return {}; }

  /// How many texts were tokenised.
  int calls() const { return calls_; }

 protected:
  void tokenize(std::string_view text, std::vector<std::int32_t>& ids,
                std::vector<Span>* spans) const override {
    ++calls_;
    std::uint32_t at = 0;
    for (const char c : text) {
      ids.push_back(4 + static_cast<unsigned char>(c));
      if (spans != nullptr) spans->push_back({at, at + 1, 0, 0});
      ++at;
    }
  }

 private:
  mutable std::atomic<int> calls_{0};
};

}  // namespace longformer::test
