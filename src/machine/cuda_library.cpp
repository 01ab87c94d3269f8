// SPDX-License-Identifier: MIT
#include "longformer/machine/cuda_library.h"

#include <dlfcn.h>
#include <link.h>

#include <filesystem>
#include <string_view>

#include "longformer/io/file_system.h"
#include "longformer/launch/device_list.h"

namespace longformer {
namespace {

constexpr const char* kLibrary = "liblongformer_cuda.so";
constexpr const char* kLibtorchCuda = "libtorch_cuda.so";

/// The folder of a library that this process has loaded, or "".
std::string folder_of_loaded(std::string_view name) {
  struct Search {
    std::string_view name;
    std::string folder;
  } search{name, {}};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        auto& wanted = *static_cast<Search*>(data);
        const std::string path = info->dlpi_name;
        if (path.empty() || file_name(path) != wanted.name) return 0;
        wanted.folder = parent_path(path);
        return 1;
      },
      &search);
  return search.folder;
}

std::string last_loader_error() {
  const char* text = dlerror();
  return text == nullptr ? "unknown error" : text;
}

/// Loads `path` for good; "" or what is wrong.
std::string load(const std::string& path, void*& handle) {
  handle = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  return handle == nullptr ? last_loader_error() : "";
}

CudaLibrary open_library(const CudaPlaces& places) {
  CudaLibrary result;
  result.reason = reason_against_cuda(places);
  if (!result.reason.empty()) return result;
  // First: its own run path leads to the libraries of CUDA, wherever the
  // program was built.
  void* handle = nullptr;
  std::string problem =
      load(join_path(places.libtorch_folder, kLibtorchCuda), handle);
  if (problem.empty()) problem = load(places.library, handle);
  if (!problem.empty()) {
    result.reason = "CUDA cannot be loaded (" + problem + ")";
    return result;
  }
  using Entry = CudaRuntime* (*)(int);
  const auto entry =
      reinterpret_cast<Entry>(dlsym(handle, "longformer_cuda_runtime"));
  if (entry != nullptr) result.runtime = entry(CudaRuntime::kInterface);
  if (result.runtime == nullptr) {
    result.reason = places.library +
                    " belongs to another version of longformer; put the one "
                    "there that was built with this program";
  }
  return result;
}

}  // namespace

CudaPlaces cuda_places() {
  CudaPlaces places;
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  places.library = join_path(parent_path(program.string()), kLibrary);
  places.libtorch_folder = folder_of_loaded("libtorch_cpu.so");
  return places;
}

std::string reason_against_cuda(const CudaPlaces& places) {
  if (!exists(places.library)) {
    return "this build of longformer computes on the CPU only (" +
           places.library + " is not there); build it with the preset cuda";
  }
  if (!exists(join_path(places.device_folder, "nvidiactl")) &&
      count_gpus(places.device_folder) == 0) {
    return "this machine has no NVIDIA driver (no " +
           join_path(places.device_folder, "nvidiactl") +
           "); install one, or start the container with its GPUs";
  }
  if (!exists(join_path(places.libtorch_folder, kLibtorchCuda))) {
    return "the LibTorch in " + places.libtorch_folder +
           " is one for CPUs (it has no " + kLibtorchCuda +
           "); use one with CUDA";
  }
  return "";
}

GpuCount usable_gpus(const CudaPlaces& places) {
  GpuCount gpus{0, reason_against_cuda(places)};
  if (!gpus.reason.empty()) return gpus;
  gpus.count = count_gpus(places.device_folder);
  if (gpus.count == 0) {
    gpus.reason = "the NVIDIA driver shows no GPU (no " +
                  join_path(places.device_folder, "nvidia0") +
                  "); start the container with its GPUs";
  }
  return gpus;
}

const CudaLibrary& load_cuda(const CudaPlaces& places) {
  static const CudaLibrary library = open_library(places);
  return library;
}

}  // namespace longformer
