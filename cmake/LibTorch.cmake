# Finds LibTorch in an unpacked `torch` wheel, in a Python installation of
# torch, or in an official LibTorch zip.
#
# TorchConfig.cmake, which ships with all of these, is not used: out of a CUDA
# wheel it insists on a complete CUDA toolkit even when only the CPU is wanted.
#
#   include(LibTorch)
#   longformer_find_libtorch(MINIMUM 2.7)
#
# Search order (the first one that is set decides; there is no silent fallback
# to another copy):
#   1. -DLIBTORCH_ROOT=DIR    holds include/ and lib/, or torch/, or libtorch/
#   2. LIBTORCH_ROOT in the environment
#   3. what scripts/setup.sh (with LONGFORMER_CUDA: scripts/setup.sh --cuda) put
#      into the cache folder
#
# Defines
#   LibTorch::headers   include directories and definitions
#   LibTorch::cpu       libtorch_cpu and libc10; never libtorch.so, which pulls
#                       in the CUDA half of a wheel
#   LIBTORCH_DIR, LIBTORCH_VERSION, LIBTORCH_COMPANION_DIRS
#
# Differences between LibTorch releases that show in C++ are handled in C++;
# this file only deals with where things lie: the version macros moved in 2.8,
# and the companion libraries of a CUDA 12 wheel lie in nvidia/<library>/lib,
# those of a CUDA 13 wheel in nvidia/cu13/lib.
include_guard(GLOBAL)

set(LIBTORCH_ROOT "" CACHE PATH
    "LibTorch directory: a wheel's site-packages or torch folder, or the zip's")

set(LONGFORMER_LIBTORCH_RELEASE 2.10.0)

# Sets `out` to the folder with include/ and lib/ at or below `candidate`.
function(_longformer_libtorch_dir candidate out)
  set(${out} "" PARENT_SCOPE)
  foreach(dir "${candidate}" "${candidate}/torch" "${candidate}/libtorch")
    if(EXISTS "${dir}/include/ATen/ATen.h" AND EXISTS "${dir}/lib/libtorch_cpu.so")
      get_filename_component(dir "${dir}" REALPATH)
      set(${out} "${dir}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

# The folder in which scripts/setup.sh keeps what it downloads.
function(longformer_cache_dir out)
  if(NOT "$ENV{LONGFORMER_CACHE_DIR}" STREQUAL "")
    set(dir "$ENV{LONGFORMER_CACHE_DIR}")
  elseif(NOT "$ENV{XDG_CACHE_HOME}" STREQUAL "")
    set(dir "$ENV{XDG_CACHE_HOME}/longformer")
  else()
    set(dir "$ENV{HOME}/.cache/longformer")
  endif()
  set(${out} "${dir}" PARENT_SCOPE)
endfunction()

function(_longformer_libtorch_version dir out)
  set(version "")
  foreach(header torch/headeronly/version.h   # from 2.8 on
                 torch/csrc/api/include/torch/version.h)
    if(NOT version AND EXISTS "${dir}/include/${header}")
      file(STRINGS "${dir}/include/${header}" lines
           REGEX "define TORCH_VERSION_(MAJOR|MINOR|PATCH) +[0-9]+")
      string(REGEX REPLACE "[^0-9;]+" "" numbers "${lines}")
      list(JOIN numbers "." version)
    endif()
  endforeach()
  set(${out} "${version}" PARENT_SCOPE)
endfunction()

function(longformer_find_libtorch)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "MINIMUM" "")

  # ---- where ----
  longformer_cache_dir(cache)
  if(LONGFORMER_CUDA)
    set(setup "scripts/setup.sh --cuda")
    set(cached "${cache}/libtorch-${LONGFORMER_LIBTORCH_RELEASE}-cuda")
  else()
    set(setup "scripts/setup.sh")
    set(cached "${cache}/libtorch-${LONGFORMER_LIBTORCH_RELEASE}-cpu")
  endif()
  if(LIBTORCH_ROOT)
    set(source "-DLIBTORCH_ROOT=${LIBTORCH_ROOT}")
    set(candidate "${LIBTORCH_ROOT}")
  elseif(NOT "$ENV{LIBTORCH_ROOT}" STREQUAL "")
    set(source "LIBTORCH_ROOT=$ENV{LIBTORCH_ROOT} in the environment")
    set(candidate "$ENV{LIBTORCH_ROOT}")
  else()
    set(source "the cache folder ${cached}")
    set(candidate "${cached}")
  endif()
  _longformer_libtorch_dir("${candidate}" dir)
  if(NOT dir)
    message(FATAL_ERROR
      "LibTorch not found in ${source}: no include/ATen/ATen.h with "
      "lib/libtorch_cpu.so there, nor in its torch/ or libtorch/.\n"
      "Run ${setup}, or point -DLIBTORCH_ROOT (or the environment "
      "variable of that name) to a LibTorch ${arg_MINIMUM} or newer.")
  endif()

  # ---- which version ----
  _longformer_libtorch_version("${dir}" version)
  if(NOT version)
    message(FATAL_ERROR "LibTorch in ${dir} does not tell its version")
  elseif(arg_MINIMUM AND version VERSION_LESS arg_MINIMUM)
    message(FATAL_ERROR
      "LibTorch in ${dir} is ${version}; ${arg_MINIMUM} or newer is needed")
  endif()

  # ---- companion libraries of a CUDA wheel ----
  # libtorch_cpu.so of such a wheel is linked against the CUDA runtime and
  # CUPTI. It finds them at run time by its own relative run path; the linker
  # is told explicitly, since a distribution may have moved them.
  file(GLOB companions "${dir}/../nvidia/*/lib")
  list(FILTER companions EXCLUDE REGEX "/(cudnn|nccl|cusparselt|nvshmem)/lib$")
  set(real_companions "")
  foreach(companion IN LISTS companions)
    get_filename_component(companion "${companion}" REALPATH)
    list(APPEND real_companions "${companion}")
  endforeach()
  list(TRANSFORM real_companions PREPEND "-Wl,-rpath-link,"
       OUTPUT_VARIABLE link_options)

  # ---- targets ----
  find_package(Threads REQUIRED)
  add_library(LibTorch::headers INTERFACE IMPORTED GLOBAL)
  target_include_directories(LibTorch::headers SYSTEM INTERFACE
    "${dir}/include" "${dir}/include/torch/csrc/api/include")
  # Without these two the c10d headers hide the process groups that
  # libtorch_cpu contains.
  target_compile_definitions(LibTorch::headers INTERFACE
    USE_DISTRIBUTED USE_C10D_GLOO)
  target_compile_features(LibTorch::headers INTERFACE cxx_std_17)

  add_library(LibTorch::c10 SHARED IMPORTED GLOBAL)
  set_target_properties(LibTorch::c10 PROPERTIES
    IMPORTED_LOCATION "${dir}/lib/libc10.so"
    IMPORTED_SONAME libc10.so)
  add_library(LibTorch::cpu SHARED IMPORTED GLOBAL)
  set_target_properties(LibTorch::cpu PROPERTIES
    IMPORTED_LOCATION "${dir}/lib/libtorch_cpu.so"
    IMPORTED_SONAME libtorch_cpu.so)
  target_link_libraries(LibTorch::cpu INTERFACE
    LibTorch::headers LibTorch::c10 Threads::Threads)
  target_link_options(LibTorch::cpu INTERFACE ${link_options})

  set(LIBTORCH_DIR "${dir}" PARENT_SCOPE)
  set(LIBTORCH_VERSION "${version}" PARENT_SCOPE)
  set(LIBTORCH_COMPANION_DIRS "${real_companions}" PARENT_SCOPE)
  message(STATUS "LibTorch ${version} in ${dir} (from ${source})")
endfunction()
