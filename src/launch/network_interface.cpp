// SPDX-License-Identifier: MIT
#include "longformer/launch/network_interface.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>

#include <algorithm>

#include "longformer/base/error.h"
#include "longformer/base/quoting.h"

#include "pipe.h"

namespace longformer {
namespace {

constexpr std::string_view kGlooVariable = "GLOO_SOCKET_IFNAME";
constexpr std::string_view kNcclVariable = "NCCL_SOCKET_IFNAME";

std::vector<std::string_view> split(std::string_view list) {
  std::vector<std::string_view> items;
  for (;;) {
    const std::size_t comma = list.find(',');
    const std::string_view item = list.substr(0, comma);
    if (!item.empty()) items.push_back(item);
    if (comma == std::string_view::npos) return items;
    list.remove_prefix(comma + 1);
  }
}

/// Whether an interface is one that a list of names means.
bool matches(std::string_view interface,
             const std::vector<std::string_view>& names, bool is_exact) {
  return std::any_of(names.begin(), names.end(), [&](std::string_view name) {
    return is_exact ? interface == name : interface.starts_with(name);
  });
}

/// The first interface, in the order of `names`, that one of them means.
std::string first_of(const std::vector<std::string_view>& names, bool is_exact,
                     const std::vector<std::string>& available) {
  for (const std::string_view name : names) {
    for (const std::string& interface : available) {
      if (matches(interface, {name}, is_exact)) return interface;
    }
  }
  return "";
}

std::string first_besides(const std::vector<std::string_view>& names,
                          bool is_exact,
                          const std::vector<std::string>& available) {
  for (const std::string& interface : available) {
    // NCCL never takes the loopback interface unless it is named.
    if (interface != "lo" && !matches(interface, names, is_exact)) {
      return interface;
    }
  }
  return "";
}

std::string found_by_nccl(std::string_view value,
                          const std::vector<std::string>& available) {
  const bool excludes = value.starts_with('^');
  if (excludes) value.remove_prefix(1);
  const bool is_exact = value.starts_with('=');
  if (is_exact) value.remove_prefix(1);
  return excludes ? first_besides(split(value), is_exact, available)
                  : first_of(split(value), is_exact, available);
}

[[noreturn]] void refuse(std::string_view where, std::string_view value,
                         const std::vector<std::string>& available) {
  std::string names;
  for (const std::string& interface : available) {
    names += (names.empty() ? "" : ", ") + interface;
  }
  throw ConfigError(std::string(where) + ": " + in_quotes(value) +
                    " is no network interface of this host that is up; there "
                    "are " +
                    (names.empty() ? "none" : names));
}

}  // namespace

std::vector<std::string> network_interfaces() {
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) {
    fail_with_errno("cannot list the network interfaces");
  }
  std::vector<std::string> names;
  for (const ifaddrs* entry = list; entry; entry = entry->ifa_next) {
    const bool has_address =
        entry->ifa_addr != nullptr && (entry->ifa_addr->sa_family == AF_INET ||
                                       entry->ifa_addr->sa_family == AF_INET6);
    if (!has_address || (entry->ifa_flags & IFF_UP) == 0) continue;
    if (std::find(names.begin(), names.end(), entry->ifa_name) == names.end()) {
      names.emplace_back(entry->ifa_name);
    }
  }
  freeifaddrs(list);
  return names;
}

std::string choose_interface(std::string_view option,
                             const Environment& environment,
                             const std::vector<std::string>& available) {
  const auto found_or_refuse = [&](std::string_view where,
                                   std::string_view value, std::string found) {
    if (found.empty()) refuse(where, value, available);
    return found;
  };
  if (!option.empty()) {
    return found_or_refuse("network_interface", option,
                           first_of({option}, true, available));
  }
  const std::string_view gloo = variable(environment, kGlooVariable);
  if (!gloo.empty()) {
    return found_or_refuse(kGlooVariable, gloo,
                           first_of(split(gloo), true, available));
  }
  const std::string_view nccl = variable(environment, kNcclVariable);
  if (nccl.empty()) return "";
  return found_or_refuse(kNcclVariable, nccl, found_by_nccl(nccl, available));
}

}  // namespace longformer
