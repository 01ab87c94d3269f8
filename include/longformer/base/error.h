// SPDX-License-Identifier: MIT
#pragma once

#include <stdexcept>
#include <string>

namespace longformer {

/// What the process exits with; one code per kind of person who can act.
/// The table in README.md ("Exit codes") is written from this list.
enum class ExitCode {
  kSuccess = 0,
  kInternal = 1,       ///< A bug, or a failure inside a library.
  kConfig = 2,         ///< Options or configuration; nothing was started.
  kData = 3,           ///< Input data unusable.
  kModel = 4,          ///< Model or checkpoint unusable.
  kMemory = 5,         ///< Does not fit in memory.
  kPeer = 6,           ///< Another process of the job failed.
  kSystem = 7,         ///< Disk full, not writable, read error.
  kHungUp = 129,       ///< SIGHUP, after a complete checkpoint.
  kInterrupted = 130,  ///< SIGINT, after a complete checkpoint.
  kTerminated = 143,   ///< SIGTERM, after a complete checkpoint.
};

/// Base of every error a user can act on. The message reads
/// *where: what is wrong, what was found; what to do* on one line.
class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& message)
      : std::runtime_error(message), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

/// Options, config files, combinations of options.
class ConfigError : public Error {
 public:
  explicit ConfigError(const std::string& message)
      : Error(ExitCode::kConfig, message) {}
};

/// Rows, columns, labels, encodings of input data.
class DataError : public Error {
 public:
  explicit DataError(const std::string& message)
      : Error(ExitCode::kData, message) {}
};

/// Weight files, config.json of a model, tokenizer files, checkpoints.
class ModelError : public Error {
 public:
  explicit ModelError(const std::string& message)
      : Error(ExitCode::kModel, message) {}
};

/// A request that does not fit in the memory it may use.
class MemoryError : public Error {
 public:
  explicit MemoryError(const std::string& message)
      : Error(ExitCode::kMemory, message) {}
};

/// Another process of the job failed or did not answer.
class PeerError : public Error {
 public:
  explicit PeerError(const std::string& message)
      : Error(ExitCode::kPeer, message) {}
};

/// The operating system refused: disk full, permission, read error.
class SystemError : public Error {
 public:
  explicit SystemError(const std::string& message)
      : Error(ExitCode::kSystem, message) {}
};

/// A tensor did not have the shape that the callee documents: a bug in the
/// caller, not a user's mistake.
class ShapeError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

}  // namespace longformer
