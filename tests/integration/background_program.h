// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace longformer::test {

/// A program that runs beside the test. Its standard error goes to a file, its
/// output too if `output` is given. Killed when the object goes.
class BackgroundProgram {
 public:
  /// `environment`: set on top of the test's own; an empty value unsets.
  /// Throws std::system_error if it cannot be started.
  BackgroundProgram(const std::filesystem::path& program,
                    const std::vector<std::string>& arguments,
                    std::filesystem::path log,
                    const std::map<std::string, std::string>& environment = {},
                    const std::filesystem::path& output = {});
  ~BackgroundProgram();
  BackgroundProgram(const BackgroundProgram&) = delete;
  BackgroundProgram& operator=(const BackgroundProgram&) = delete;

  /// Waits until `condition` holds or the program has ended; whether it holds.
  bool wait_until(const std::function<bool()>& condition,
                  std::chrono::seconds timeout = std::chrono::seconds(120));
  void send(int signal_number);
  pid_t id() const { return process_; }
  /// Waits for the end. The exit status, or minus the signal that ended it.
  int wait();

  /// Everything it wrote to standard error so far.
  std::string log_text() const;

 private:
  bool has_ended();

  pid_t process_ = -1;
  int result_ = 0;
  std::filesystem::path log_;
};

}  // namespace longformer::test
