// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace longformer {

/// Where the processes of a job meet before they can exchange anything: what a
/// store is created from.
struct Rendezvous {
  enum class Kind {
    kNone,        ///< A job of one process: nobody to meet.
    kAddress,     ///< Rank 0 listens at host and port, the others connect.
    kAgentStore,  ///< The launcher listens there; rank 0 connects as well.
    kSharedFile,  ///< A file on a disk that all hosts see.
  };

  Kind kind = Kind::kNone;
  std::string host;
  int port = 0;
  std::string path;  ///< Only for kSharedFile.
  /// A listening socket for host and port that rank 0 was handed; -1: rank 0
  /// makes its own.
  int listen_descriptor = -1;
  /// Goes before every key of the store, so that neither keys of an earlier
  /// attempt nor another job's can be taken for this one's; may be empty.
  std::string key_prefix;

  bool operator==(const Rendezvous&) const = default;
};

/// Reads "HOST:PORT", "[IPV6]:PORT", "file:PATH" or a path with a slash in it.
/// The port is 1 to 65535. Throws ConfigError, which begins with `where`.
Rendezvous parse_rendezvous(std::string_view text, std::string_view where);

/// The text that parse_rendezvous() reads; for kAgentStore the address, for
/// kNone "none".
std::string to_text(const Rendezvous& rendezvous);

/// True for names and addresses of the loopback interface: "localhost",
/// 127.x.y.z, ::1. Resolves no names.
bool is_loopback(std::string_view host);

}  // namespace longformer
