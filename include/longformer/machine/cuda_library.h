// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "longformer/machine/cuda_runtime.h"

namespace longformer {

/// Where CUDA is looked for.
struct CudaPlaces {
  /// The part of this program that is compiled against CUDA: beside it.
  std::string library;
  /// The folder of the LibTorch that this process runs with.
  std::string libtorch_folder;
  /// Where a driver's device files are.
  std::string device_folder = "/dev";
};

/// Those of this process.
CudaPlaces cuda_places();

/// Why this process could not compute on GPUs: its build, the machine or its
/// LibTorch; a clause without a full stop. "": nothing is known against it.
/// Looks at files only; loads nothing.
std::string reason_against_cuda(const CudaPlaces& places = cuda_places());

/// The GPUs that the program can compute on; 0 with the reason if there are
/// none. Looks at files only, as count_gpus() of the layer `launch`.
GpuCount usable_gpus(const CudaPlaces& places = cuda_places());

/// CUDA, or why there is none.
struct CudaLibrary {
  CudaRuntime* runtime = nullptr;  ///< Lives as long as the process.
  std::string reason;              ///< Like reason_against_cuda().
};

/// Loads liblongformer_cuda.so and with it LibTorch's CUDA half. It stays
/// loaded; a second call gives the same.
///
/// Requires: no tensor has been made in this process. LibTorch looks for its
/// CUDA half only once, and remembers if it was not there.
/// Cost: about a second and a gigabyte of address space; CUDA itself is not
/// initialised.
const CudaLibrary& load_cuda(const CudaPlaces& places = cuda_places());

}  // namespace longformer
