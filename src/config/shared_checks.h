// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "longformer/config/compute_options.h"
#include "longformer/config/data_options.h"
#include "longformer/config/launch_options.h"
#include "longformer/config/option_reader.h"

namespace longformer {

/// Problems that the checks of one command collect.
class ProblemList {
 public:
  void add(std::string text, std::vector<std::string> options) {
    problems_.push_back({std::move(text), std::move(options)});
  }
  std::vector<OptionProblem> take() { return std::move(problems_); }

 private:
  std::vector<OptionProblem> problems_;
};

void check_reading(const DataReadingOptions& options, ProblemList& problems);

void check_compute(const ComputeOptions& options, ProblemList& problems);

/// A window of 0 means the model's own.
void check_window(std::int64_t window, ProblemList& problems);

/// No empty path; "-" only where standard input can be read, and alone.
void check_paths(std::string_view option, const std::vector<std::string>& paths,
                 bool may_be_standard_input, ProblemList& problems);

/// The column of the label is not also a column of text.
void check_label_column(const std::string& label_column,
                        const DataReadingOptions& reading,
                        ProblemList& problems);

/// Options for several processes that were given for one.
std::vector<std::string> launch_warnings(const LaunchOptions& options,
                                         const OptionSources& sources);

/// Options of reading that were given and change nothing.
std::vector<std::string> reading_warnings(const DataReadingOptions& options,
                                          const OptionSources& sources);

}  // namespace longformer
