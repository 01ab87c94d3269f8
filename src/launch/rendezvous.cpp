// SPDX-License-Identifier: MIT
#include "longformer/launch/rendezvous.h"

#include <arpa/inet.h>

#include <array>
#include <optional>

#include "longformer/base/error.h"
#include "longformer/base/quoting.h"

#include "launch_variables.h"

namespace longformer {
namespace {

constexpr std::string_view kFilePrefix = "file:";

Rendezvous shared_file(std::string_view path) {
  Rendezvous rendezvous;
  rendezvous.kind = Rendezvous::Kind::kSharedFile;
  rendezvous.path = path;
  return rendezvous;
}

/// Splits "HOST:PORT"; nothing if it is none.
std::optional<Rendezvous> address(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  std::string_view host = text.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string_view::npos) {
    // An IPv6 address without brackets: its last group would pass for a port.
    return std::nullopt;
  }
  const auto port = whole_number(text.substr(colon + 1), 1, kMaxPort);
  if (host.empty() || !port ||
      host.find_first_of(" \t[],;") != std::string_view::npos) {
    return std::nullopt;
  }
  Rendezvous rendezvous;
  rendezvous.kind = Rendezvous::Kind::kAddress;
  rendezvous.host = host;
  rendezvous.port = *port;
  return rendezvous;
}

}  // namespace

Rendezvous parse_rendezvous(std::string_view text, std::string_view where) {
  if (text.starts_with(kFilePrefix) && text.size() > kFilePrefix.size()) {
    return shared_file(text.substr(kFilePrefix.size()));
  }
  if (text.find('/') != std::string_view::npos) return shared_file(text);
  if (const auto found = address(text)) return *found;
  throw ConfigError(std::string(where) +
                    ": expected HOST:PORT with a port from 1 to 65535, or the "
                    "path of a file that all hosts see, got " +
                    in_quotes(text));
}

std::string to_text(const Rendezvous& rendezvous) {
  switch (rendezvous.kind) {
    case Rendezvous::Kind::kNone:
      return "none";
    case Rendezvous::Kind::kSharedFile:
      return std::string(kFilePrefix) + rendezvous.path;
    case Rendezvous::Kind::kAddress:
    case Rendezvous::Kind::kAgentStore:
      break;
  }
  const std::string port = ":" + std::to_string(rendezvous.port);
  if (rendezvous.host.find(':') == std::string::npos) {
    return rendezvous.host + port;
  }
  return "[" + rendezvous.host + "]" + port;
}

bool is_loopback(std::string_view host) {
  if (host == "localhost") return true;
  const std::string text(host);
  std::array<unsigned char, 16> bytes{};
  if (inet_pton(AF_INET, text.c_str(), bytes.data()) == 1) {
    return bytes[0] == 127;
  }
  if (inet_pton(AF_INET6, text.c_str(), bytes.data()) != 1) return false;
  std::array<unsigned char, 16> loopback{};
  loopback.back() = 1;
  return bytes == loopback;
}

}  // namespace longformer
