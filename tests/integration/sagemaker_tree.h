// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "longformer/base/strict_json.h"

#include "job_test.h"

namespace longformer::test {

/// A container of a SageMaker training job: its folder tree, and the program in
/// it, called as the platform does.
class SageMakerTree {
 public:
  /// `root`: the folder that stands for /opt/ml.
  explicit SageMakerTree(std::string root) : root_(std::move(root)) {}

  std::string path(const std::string& name) const { return root_ + "/" + name; }

  void write(const std::string& name, const std::string& text) const;
  /// Every value becomes a text, as the platform has it.
  void write_hyperparameters(const Json& values) const;
  void write_hosts(const std::vector<std::string>& hosts,
                   std::size_t current) const;
  /// A file or the files of a folder become the channel.
  void add_channel(const std::string& name, const std::string& from) const;

  /// What the container's environment has.
  Variables variables() const;
  /// The first line of the reason of the failure; "" if there is none.
  std::string failure() const;

 private:
  std::string root_;
};

/// Tests with such trees, of the job of JobTest.
class SageMakerJobTest : public JobTest {
 protected:
  /// A tree with all channels and hyperparameters for `processes` processes.
  SageMakerTree make_tree(const std::string& name, int processes) const;
  static Json hyperparameters(int processes);

  RunResult run_in(const SageMakerTree& tree,
                   const Variables& variables = {}) const;
  std::unique_ptr<BackgroundProgram> start_in(const SageMakerTree& tree) const;
};

}  // namespace longformer::test
