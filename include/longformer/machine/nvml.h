// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>

namespace longformer {

/// NVIDIA's management library, which comes with the driver. It knows what CUDA
/// does not say: the driver's version and which GPUs NVLink joins.
class Nvml {
 public:
  /// Null where the library is not installed or does not start.
  static std::unique_ptr<Nvml> open(
      const std::string& library = "libnvidia-ml.so.1");
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  /// "535.129.03"; "" if it does not say.
  std::string driver_version() const;
  /// Whether NVLink joins two GPUs, directly or by a switch; given by their PCI
  /// addresses. False if it does not say.
  bool joined_by_nvlink(const std::string& pci_id,
                        const std::string& other_pci_id) const;

 private:
  struct Functions;
  explicit Nvml(std::unique_ptr<Functions> functions);
  std::unique_ptr<Functions> functions_;
};

}  // namespace longformer
