// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace longformer::test {

/// A program that runs beside the test. Its standard error goes to a file.
/// Killed when the object goes.
class BackgroundProgram {
 public:
  /// Throws std::system_error if it cannot be started.
  BackgroundProgram(const std::filesystem::path& program,
                    const std::vector<std::string>& arguments,
                    std::filesystem::path log);
  ~BackgroundProgram();
  BackgroundProgram(const BackgroundProgram&) = delete;
  BackgroundProgram& operator=(const BackgroundProgram&) = delete;

  /// Waits until `condition` holds or the program has ended; whether it holds.
  bool wait_until(const std::function<bool()>& condition,
                  std::chrono::seconds timeout = std::chrono::seconds(120));
  void send(int signal_number);
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
