# Finds what compiling and linking CUDA code takes, without a CUDA toolkit: the
# CUDA half of LibTorch and the headers that its own include. No GPU and no
# driver are needed. To be called after longformer_find_libtorch().
#
#   longformer_find_libtorch_cuda([REQUIRED])
#
# Looks in LIBTORCH_DIR and, unless REQUIRED, in what scripts/setup.sh --cuda
# put into the cache folder, if that is the same release. Headers are taken out
# of the nvidia folder beside torch/ and of those in LIBTORCH_NVIDIA_ROOT, never
# from the system: there they may be of another CUDA.
#
# Defines LibTorch::cuda and LIBTORCH_CUDA_DIR, which is empty if anything is
# missing; REQUIRED makes that an error that names it.
include_guard(GLOBAL)

set(LIBTORCH_NVIDIA_ROOT "" CACHE STRING
    "more folders with the content of nvidia-* wheels, separated by ;")

# What the headers of LibTorch's CUDA half include, and the wheel it is in.
set(LONGFORMER_CUDA_HEADERS
  "cuda_runtime_api.h in nvidia-cuda-runtime"
  "crt/host_defines.h in nvidia-cuda-nvcc or nvidia-cuda-crt"
  "nccl.h in nvidia-nccl"
  "cublas_v2.h in nvidia-cublas"
  "cublasLt.h in nvidia-cublas"
  "cusparse.h in nvidia-cusparse"
  "cusolverDn.h in nvidia-cusolver")

# Sets `headers`, `library` (the CUDA runtime) and `missing` (a text).
function(_longformer_cuda_parts dir headers library missing)
  set(nvidia ${LIBTORCH_NVIDIA_ROOT})
  if(IS_DIRECTORY "${dir}/../nvidia")
    list(APPEND nvidia "${dir}/../nvidia")
  endif()
  set(includes "")
  set(libraries "${dir}/lib")   # The zip has them there.
  foreach(root IN LISTS nvidia)
    file(GLOB found_includes "${root}/*/include")
    file(GLOB found_libraries "${root}/*/lib")
    list(APPEND includes ${found_includes})
    list(APPEND libraries ${found_libraries})
  endforeach()
  # Of no use to host code, and with names that hide the system's.
  list(FILTER includes EXCLUDE REGEX "/(nvshmem|cuda_cupti|cufile)/include$")

  set(lacking "")
  foreach(library_name libtorch_cuda.so libc10_cuda.so)
    if(NOT EXISTS "${dir}/lib/${library_name}")
      list(APPEND lacking "${dir}/lib/${library_name}")
    endif()
  endforeach()
  foreach(entry IN LISTS LONGFORMER_CUDA_HEADERS)
    string(REGEX REPLACE " in .*" "" header "${entry}")
    find_path(found "${header}" PATHS ${includes} NO_DEFAULT_PATH NO_CACHE)
    if(NOT found)
      list(APPEND lacking "${entry}")
    endif()
    unset(found)
  endforeach()
  set(runtime "")
  foreach(folder IN LISTS libraries)
    file(GLOB candidates "${folder}/libcudart*.so.*")
    list(APPEND runtime ${candidates})
  endforeach()
  if(runtime)
    list(GET runtime 0 runtime)
  else()
    list(APPEND lacking "libcudart.so in nvidia-cuda-runtime")
  endif()
  list(JOIN lacking "\n  " lacking)
  set(${headers} "${includes}" PARENT_SCOPE)
  set(${library} "${runtime}" PARENT_SCOPE)
  set(${missing} "${lacking}" PARENT_SCOPE)
endfunction()

function(longformer_find_libtorch_cuda)
  cmake_parse_arguments(PARSE_ARGV 0 arg "REQUIRED" "" "")
  set(LIBTORCH_CUDA_DIR "" PARENT_SCOPE)
  set(candidates "${LIBTORCH_DIR}")
  if(NOT arg_REQUIRED)
    longformer_cache_dir(cache)
    _longformer_libtorch_dir(
      "${cache}/libtorch-${LONGFORMER_LIBTORCH_RELEASE}-cuda" cached)
    if(cached)
      _longformer_libtorch_version("${cached}" version)
      if(version STREQUAL LIBTORCH_VERSION)
        list(APPEND candidates "${cached}")
      endif()
    endif()
  endif()
  foreach(candidate IN LISTS candidates)
    set(dir "${candidate}")
    _longformer_cuda_parts("${dir}" headers runtime missing)
    if(NOT missing)
      break()
    endif()
  endforeach()
  if(missing AND arg_REQUIRED)
    message(FATAL_ERROR
      "LONGFORMER_CUDA is on, but the CUDA half of the LibTorch in "
      "${LIBTORCH_DIR} is not complete; there is no\n  ${missing}\n"
      "Run scripts/setup.sh --cuda, which fetches all of it, or name more "
      "folders with headers by -DLIBTORCH_NVIDIA_ROOT=DIR;DIR.")
  elseif(missing)
    message(STATUS "No LibTorch with CUDA: the CUDA part is not compiled")
    return()
  endif()

  add_library(LibTorch::cuda INTERFACE IMPORTED GLOBAL)
  target_include_directories(LibTorch::cuda SYSTEM INTERFACE
    "${dir}/include" "${dir}/include/torch/csrc/api/include" ${headers})
  target_compile_definitions(LibTorch::cuda INTERFACE
    USE_DISTRIBUTED USE_C10D_GLOO USE_CUDA USE_C10D_NCCL)
  target_link_libraries(LibTorch::cuda INTERFACE
    "${dir}/lib/libtorch_cuda.so" "${dir}/lib/libc10_cuda.so"
    "${dir}/lib/libtorch_cpu.so" "${dir}/lib/libc10.so" "${runtime}"
    Threads::Threads)
  # What these are linked against is looked up when the program starts.
  target_link_options(LibTorch::cuda INTERFACE -Wl,--allow-shlib-undefined)
  set(LIBTORCH_CUDA_DIR "${dir}" PARENT_SCOPE)
  message(STATUS "LibTorch with CUDA in ${dir}")
endfunction()
