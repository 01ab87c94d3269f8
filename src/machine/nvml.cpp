// SPDX-License-Identifier: MIT
#include "longformer/machine/nvml.h"

#include <dlfcn.h>

#include <array>
#include <utility>

namespace longformer {
namespace {

// As the library's documentation declares them; its header is not needed.
using Status = int;
using Device = void*;
constexpr Status kSuccess = 0;
constexpr int kNvLinkCapability = 2;
constexpr int kCapabilityThere = 0;

}  // namespace

struct Nvml::Functions {
  explicit Functions(void* opened) : library(opened) {}
  ~Functions() { dlclose(library); }
  Functions(const Functions&) = delete;
  Functions& operator=(const Functions&) = delete;

  template <class Function>
  bool find(const char* name, Function*& function) {
    function = reinterpret_cast<Function*>(dlsym(library, name));
    return function != nullptr;
  }
  bool find_all() {
    return find("nvmlInit_v2", start) && find("nvmlShutdown", shut_down) &&
           find("nvmlSystemGetDriverVersion", driver_version) &&
           find("nvmlDeviceGetHandleByPciBusId_v2", device_at) &&
           find("nvmlDeviceGetP2PStatus", status_between);
  }

  void* library;
  Status (*start)() = nullptr;
  Status (*shut_down)() = nullptr;
  Status (*driver_version)(char* text, unsigned size) = nullptr;
  Status (*device_at)(const char* pci_id, Device* device) = nullptr;
  Status (*status_between)(Device one, Device other, int capability,
                           int* status) = nullptr;
};

std::unique_ptr<Nvml> Nvml::open(const std::string& library) {
  void* opened = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr) return nullptr;
  auto functions = std::make_unique<Functions>(opened);
  if (!functions->find_all() || functions->start() != kSuccess) return nullptr;
  return std::unique_ptr<Nvml>(new Nvml(std::move(functions)));
}

Nvml::Nvml(std::unique_ptr<Functions> functions)
    : functions_(std::move(functions)) {}

Nvml::~Nvml() { functions_->shut_down(); }

std::string Nvml::driver_version() const {
  std::array<char, 96> text{};
  const auto size = static_cast<unsigned>(text.size() - 1);
  return functions_->driver_version(text.data(), size) == kSuccess ? text.data()
                                                                   : "";
}

bool Nvml::joined_by_nvlink(const std::string& pci_id,
                            const std::string& other_pci_id) const {
  Device one = nullptr;
  Device other = nullptr;
  int status = -1;
  return functions_->device_at(pci_id.c_str(), &one) == kSuccess &&
         functions_->device_at(other_pci_id.c_str(), &other) == kSuccess &&
         functions_->status_between(one, other, kNvLinkCapability, &status) ==
             kSuccess &&
         status == kCapabilityThere;
}

}  // namespace longformer
