// SPDX-License-Identifier: MIT
#include "launch/shell_group.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <thread>

#include "longformer/base/error.h"

namespace longformer::test {
namespace {

using Clock = std::chrono::steady_clock;

bool wait_until(const std::function<bool()>& condition) {
  const auto deadline = Clock::now() + std::chrono::seconds(10);
  while (!condition()) {
    if (Clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

int open_for_output(const std::filesystem::path& path) {
  constexpr int kMode = 0600;
  const int file =
      open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, kMode);
  if (file < 0) throw std::runtime_error("cannot open " + path.string());
  return file;
}

}  // namespace

ShellGroup::ShellGroup(const std::string& script, int num_processes) {
  options.program = "/bin/sh";
  options.arguments = {"sh", "-c", script};
  options.environment = {{"PATH", "/usr/bin:/bin"},
                         {"FOLDER", folder_.path().string()}};
  options.log_directory = folder_ / "out/logs";
  for (int rank = 0; rank < num_processes; ++rank) {
    options.ranks.push_back({rank, {{"NUMBER", std::to_string(rank)}}, {}});
  }
  options.output_descriptor = options.error_descriptor = -1;
}

ProcessGroupResult ShellGroup::run() {
  const int output = open_for_output(folder_ / "output");
  const int error = open_for_output(folder_ / "error");
  if (options.output_descriptor < 0) options.output_descriptor = output;
  options.error_descriptor = error;
  const auto start = Clock::now();
  const auto finish = [&] {
    duration_ = std::chrono::duration_cast<std::chrono::milliseconds>(
        Clock::now() - start);
    close(output);
    close(error);
  };
  try {
    ProcessGroupResult result = run_process_group(options);
    finish();
    return result;
  } catch (...) {
    finish();
    throw;
  }
}

std::string ShellGroup::output() const { return read_file(folder_ / "output"); }
std::string ShellGroup::error() const { return read_file(folder_ / "error"); }

std::string ShellGroup::log(int rank) const {
  return read_file(folder_ /
                   ("out/logs/rank_" + std::to_string(rank) + ".log"));
}

void ShellGroup::write_log(int rank, const std::string& text) const {
  folder_.write("out/logs/rank_" + std::to_string(rank) + ".log", text);
}

pid_t ShellGroup::number_in(const std::string& name) const {
  const auto path = folder_ / name;
  pid_t number = 0;
  const bool found = wait_until([&] {
    std::string line;
    std::ifstream file(path);
    // Complete only with its newline.
    if (!std::getline(file, line) || file.eof()) return false;
    number = std::stoi(line);
    return true;
  });
  if (!found) throw std::runtime_error(path.string() + " did not appear");
  return number;
}

ForkedGroup::ForkedGroup(ShellGroup& group) : pid_(fork()) {
  if (pid_ != 0) return;
  int code = 99;
  try {
    code = group.run().exit_code;
  } catch (const std::exception&) {
  }
  _exit(code);
}

ForkedGroup::~ForkedGroup() {
  if (pid_ <= 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

void ForkedGroup::send(int signal_number) const { kill(pid_, signal_number); }

int ForkedGroup::wait() {
  int status = 0;
  if (!wait_until([&] { return waitpid(pid_, &status, WNOHANG) == pid_; })) {
    return -1;
  }
  pid_ = 0;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool is_gone(pid_t pid) {
  return wait_until([&] {
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    std::string line;
    if (!std::getline(file, line)) return true;
    const std::size_t state = line.rfind(") ");
    return state != std::string::npos && line[state + 2] == 'Z';
  });
}

std::chrono::microseconds processor_time() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto of = [](const timeval& time) {
    return std::chrono::seconds(time.tv_sec) +
           std::chrono::microseconds(time.tv_usec);
  };
  return of(usage.ru_utime) + of(usage.ru_stime);
}

}  // namespace longformer::test
