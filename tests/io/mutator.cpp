// SPDX-License-Identifier: MIT
#include "mutator.h"

#include <algorithm>

namespace longformer::test {

std::string Mutator::mutate(std::string content) {
  for (std::uint64_t i = 1 + random_.next_below(3); i > 0; --i) {
    if (!content.empty()) mutate_once(content);
  }
  return content;
}

// Often near the ends, where the structure is.
std::size_t Mutator::position(const std::string& content) {
  const std::size_t edge = std::min<std::size_t>(content.size(), 4096);
  switch (random_.next_below(3)) {
    case 0:
      return random_.next_below(edge);
    case 1:
      return content.size() - 1 - random_.next_below(edge);
    default:
      return random_.next_below(content.size());
  }
}

void Mutator::mutate_once(std::string& content) {
  const std::size_t at = position(content);
  const std::size_t length =
      std::min<std::size_t>(content.size() - at, 1 + random_.next_below(64));
  switch (random_.next_below(8)) {
    case 0:
      content.resize(at);
      break;
    case 1:
      content[at] ^= static_cast<char>(1 << random_.next_below(8));
      break;
    case 2:
      content[at] = static_cast<char>(random_.next_u32());
      break;
    case 3:  // A number of eight bytes that tempts to overflow.
      overwrite(content, at);
      break;
    case 4:
      content.erase(at, length);
      break;
    case 5:
      content.insert(position(content), content.substr(at, length));
      break;
    case 6:
      std::fill_n(content.begin() + static_cast<std::ptrdiff_t>(at), length,
                  '\0');
      break;
    default:
      exchange_parts(content, at, position(content), length);
  }
}

void Mutator::exchange_parts(std::string& content, std::size_t one,
                             std::size_t other, std::size_t length) {
  const std::size_t first = std::min(one, other);
  const std::size_t second = std::max(one, other);
  length = std::min({length, second - first, content.size() - second});
  const std::string part = content.substr(first, length);
  content.replace(first, length, content.substr(second, length));
  content.replace(second, length, part);
}

void Mutator::overwrite(std::string& content, std::size_t at) {
  const std::uint64_t values[] = {
      ~std::uint64_t{0}, std::uint64_t{1} << 63, std::uint64_t{1} << 31, 0,
      content.size(),    content.size() - 8};
  const std::uint64_t value = values[random_.next_below(6)];
  const std::size_t size = std::size_t{1} << random_.next_below(4);
  content.replace(at, size, reinterpret_cast<const char*>(&value), size);
}

}  // namespace longformer::test
