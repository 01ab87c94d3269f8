// SPDX-License-Identifier: MIT
#include "first_cause.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <fstream>
#include <utility>

#include "longformer/base/error.h"

#include "limited_text.h"

namespace longformer {
namespace {

constexpr int kPeerCode = static_cast<int>(ExitCode::kPeer);

}  // namespace

bool FirstCause::add(RankFailure failure) {
  const bool is_better =
      !cause_ || (is_second_hand() && failure.exit_code != kPeerCode);
  if (!is_better) return false;
  if (cause_ && cause_->is_reported && !failure.is_reported) {
    failure.witness = cause_->message;
  }
  cause_ = std::move(failure);
  return true;
}

void FirstCause::add_witness(const RankFailure& failure) {
  const bool is_telling = failure.is_reported && failure.exit_code == kPeerCode;
  if (!is_telling || cause_->is_reported || !cause_->witness.empty()) return;
  cause_->witness = failure.message;
}

void FirstCause::add_success(int rank) {
  if (cause_) return;
  if (!left_before_.empty()) left_before_ += ", ";
  left_before_ += std::to_string(rank);
}

bool FirstCause::is_second_hand() const {
  return cause_ && cause_->exit_code == kPeerCode;
}

RankFailure FirstCause::cause() const {
  RankFailure failure = *cause_;
  if (is_second_hand() && !left_before_.empty()) {
    failure.message += " (already finished: rank " + left_before_ + ")";
  }
  return failure;
}

std::string last_line(const std::string& path, std::int64_t start) {
  constexpr std::int64_t kMost = 4096;
  constexpr std::size_t kMaxShown = 500;
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const auto end = static_cast<std::int64_t>(file.tellg());
  if (!file || end <= start) return "";
  start = std::max(start, end - kMost);
  std::string text(static_cast<std::size_t>(end - start), '\0');
  file.seekg(start);
  if (!file.read(text.data(), end - start)) return "";
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  if (last == std::string::npos) return "";
  text.resize(last + 1);
  const std::size_t newline = text.rfind('\n');
  if (newline != std::string::npos) text.erase(0, newline + 1);
  return limited_text(text, kMaxShown);
}

std::string describe(const RankFailure& failure) {
  std::string text = "rank " + std::to_string(failure.rank);
  if (failure.signal != 0) {
    text += " was ended by signal " + std::to_string(failure.signal) + " (" +
            strsignal(failure.signal) + ")";
    if (failure.signal == SIGKILL) {
      text += ", perhaps by the system for lack of memory";
    }
  } else if (failure.is_reported) {
    text += ": " + failure.message;
  } else {
    text += " ended with exit code " + std::to_string(failure.exit_code);
  }
  if (!failure.witness.empty()) {
    text += "; another rank says: " + failure.witness;
  } else if (!failure.is_reported && !failure.message.empty()) {
    text += "; it said: " + failure.message;
  }
  return text + " (log: " + failure.log_path + ")";
}

}  // namespace longformer
