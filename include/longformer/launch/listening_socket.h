// SPDX-License-Identifier: MIT
#pragma once

#include "longformer/launch/rendezvous.h"

namespace longformer {

/// A TCP socket that waits for the other processes of a job, bound to one
/// address: LibTorch's store by itself would listen on every interface, and
/// anyone who reaches it may read and write it. Give the descriptor to
/// c10d::TCPStoreOptions::masterListenFd on rank 0.
///
/// For a job on one host the parent makes it and rank 0 inherits it: the system
/// chooses a free port, and between choosing and using it no other job can take
/// it.
class ListeningSocket {
 public:
  /// 127.0.0.1 and a free port. Throws SystemError.
  ListeningSocket();
  /// The numeric address and the port of `rendezvous`, see can_listen_at().
  /// Throws SystemError naming them if they are taken or not this host's.
  explicit ListeningSocket(const Rendezvous& rendezvous);
  ~ListeningSocket();
  ListeningSocket(const ListeningSocket&) = delete;
  ListeningSocket& operator=(const ListeningSocket&) = delete;

  int descriptor() const { return descriptor_; }
  /// Gives up ownership; whoever takes the descriptor closes it.
  int release();

  /// The address, for the other processes; `listen_descriptor` is set, since
  /// rank 0 inherits it under its number, and `key_prefix` is a random word.
  Rendezvous rendezvous() const;

 private:
  int descriptor_ = -1;
  Rendezvous rendezvous_;
};

/// Whether rank 0 can bind exactly the address that the others connect to: a
/// numeric one or "localhost". What a host name resolves to on its own host may
/// be the loopback address; then the store has to listen on every interface.
bool can_listen_at(const Rendezvous& rendezvous);

}  // namespace longformer
