// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace longformer {

/// The meaning of the option `devices`.
struct DeviceRequest {
  enum class Kind { kAuto, kCpu, kGpus };
  Kind kind = Kind::kAuto;
  std::vector<int> gpus;  ///< Only for kGpus: as given, without repetition.

  bool operator==(const DeviceRequest&) const = default;
};

/// Reads "auto", "cpu" or numbers such as "0,2".
/// Throws ConfigError. Does not look at what the machine has.
DeviceRequest parse_devices(const std::string& option);

}  // namespace longformer
