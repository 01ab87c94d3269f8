// SPDX-License-Identifier: MIT
#include "longformer/config/nearest_name.h"

#include <algorithm>
#include <cctype>
#include <cstddef>

namespace longformer {
namespace {

std::string normalised(std::string_view name) {
  std::string text(name.substr(0, 100));
  for (char& letter : text) {
    if (letter == '-') letter = '_';
    letter =
        static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  return text;
}

/// Insertions, deletions, replacements and swaps of neighbours that turn one
/// into the other (optimal string alignment).
std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1),
      now(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      now[j] = std::min({last[j] + 1, now[j - 1] + 1,
                         last[j - 1] + (a[i - 1] != b[j - 1] ? 1 : 0)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        now[j] = std::min(now[j], before[j - 2] + 1);
      }
    }
    before.swap(last);
    last.swap(now);
  }
  return last[b.size()];
}

/// Whether `part` is made of whole words of `text`: epochs in num_train_epochs.
bool holds_words(const std::string& text, const std::string& part) {
  return ("_" + text + "_").find("_" + part + "_") != std::string::npos;
}

}  // namespace

std::string nearest_name(std::string_view name,
                         const std::vector<std::string>& candidates) {
  const std::string wanted = normalised(name);
  std::string nearest;
  std::size_t smallest = std::max<std::size_t>(1, wanted.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(wanted, normalised(candidate));
    // A short candidate is not "close" when hardly a letter of it remains.
    if (distance < smallest && distance < candidate.size()) {
      smallest = distance;
      nearest = candidate;
    }
  }
  if (!nearest.empty()) return nearest;
  for (const std::string& candidate : candidates) {
    const std::string known = normalised(candidate);
    const bool related =
        holds_words(wanted, known) || holds_words(known, wanted);
    if (related && candidate.size() > nearest.size()) nearest = candidate;
  }
  return nearest;
}

}  // namespace longformer
