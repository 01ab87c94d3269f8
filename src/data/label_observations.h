// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "longformer/data/record.h"

namespace longformer {

/// What was seen in labels that are texts. Memory: the distinct texts.
struct TextLabels {
  std::unordered_set<std::string> distinct;
  bool all_numbers = true;
  bool any_fraction = false;  ///< A number that is written as no integer.
  bool any_bar = false;
  bool all_lists = true;  ///< JSON lists.

  void add(const std::string& text);
  /// The names in the texts if each lists several.
  /// Throws DataError for a text in brackets that is no JSON list.
  std::set<std::string> parts() const;
  /// Whether each text lists names: all are JSON lists, or `|` separates fewer
  /// names than there are different texts.
  bool list_names() const;
};

/// What was seen in labels that are lists. Memory: the distinct names.
struct ListLabels {
  std::set<std::string> names;  ///< Of texts and integers.
  std::size_t length = 0;       ///< Of the first list.
  bool same_length = true;
  bool any_text = false;
  bool any_boolean = false;
  bool any_real = false;  ///< A number in floating-point notation.
  bool only_flags = true;

  void add(const std::vector<LabelScalar>& list);
  /// Whether the lists hold one flag per label.
  bool are_flags() const {
    return only_flags && same_length && (length >= 2 || any_boolean);
  }

 private:
  void add(const LabelScalar& scalar);
  bool any_ = false;
};

}  // namespace longformer
