// SPDX-License-Identifier: MIT
#include "background_program.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <system_error>
#include <thread>

#include "support/temp_dir.h"

namespace longformer::test {

namespace {

int open_file(const std::filesystem::path& path) {
  const int file =
      open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) throw std::system_error(errno, std::generic_category(), "open");
  return file;
}

}  // namespace

BackgroundProgram::BackgroundProgram(
    const std::filesystem::path& program,
    const std::vector<std::string>& arguments, std::filesystem::path log,
    const std::map<std::string, std::string>& environment,
    const std::filesystem::path& output)
    : log_(std::move(log)) {
  std::string name = program.string();
  std::vector<std::string> copies = arguments;
  std::vector<char*> words{name.data()};
  for (std::string& word : copies) words.push_back(word.data());
  words.push_back(nullptr);
  const int file = open_file(log_);
  const int output_file = output.empty() ? -1 : open_file(output);
  process_ = fork();
  if (process_ == 0) {
    dup2(file, STDERR_FILENO);
    if (output_file >= 0) dup2(output_file, STDOUT_FILENO);
    for (const auto& [variable, value] : environment) {
      value.empty() ? unsetenv(variable.c_str())
                    : setenv(variable.c_str(), value.c_str(), 1);
    }
    execv(name.c_str(), words.data());
    _exit(127);
  }
  close(file);
  if (output_file >= 0) close(output_file);
  if (process_ < 0) {
    throw std::system_error(errno, std::generic_category(), "fork");
  }
}

BackgroundProgram::~BackgroundProgram() {
  if (has_ended()) return;
  send(SIGKILL);
  wait();
}

bool BackgroundProgram::has_ended() {
  if (process_ < 0) return true;
  int status = 0;
  if (waitpid(process_, &status, WNOHANG) == 0) return false;
  result_ = WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
  process_ = -1;
  return true;
}

bool BackgroundProgram::wait_until(const std::function<bool()>& condition,
                                   std::chrono::seconds timeout) {
  const auto end = std::chrono::steady_clock::now() + timeout;
  while (std::chrono::steady_clock::now() < end) {
    if (condition()) return true;
    if (has_ended()) return condition();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

void BackgroundProgram::send(int signal_number) {
  if (process_ > 0) kill(process_, signal_number);
}

int BackgroundProgram::wait() {
  if (process_ > 0) {
    int status = 0;
    while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    result_ = WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
    process_ = -1;
  }
  return result_;
}

std::string BackgroundProgram::log_text() const { return read_file(log_); }

}  // namespace longformer::test
