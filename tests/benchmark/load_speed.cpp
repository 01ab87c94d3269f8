// SPDX-License-Identifier: MIT
//
// How long the product takes to load a model, and how much memory; the other
// side is scripts/benchmarks/load.py, which also runs this program.
//
// usage: load_speed MODEL_DIRECTORY
//
// Prints one JSON line. `first` and `again` are the first and the second load
// in the process, in seconds; each ends when every weight has been read once.
// `peak_bytes` is what the first load added to the process at its highest.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <string>

#include <ATen/Parallel.h>

#include "longformer/base/threads.h"
#include "longformer/io/file_system.h"
#include "longformer/train/counting_allocator.h"
#include "longformer/train/pretrained.h"

namespace longformer {
namespace {

/// A line such as "VmHWM:  1234 kB" of this process's status, in bytes.
std::int64_t status_bytes(const std::string& key) {
  const std::string status = read_file("/proc/self/status");
  const std::size_t at = status.find("\n" + key + ":");
  return at == std::string::npos
             ? -1
             : 1024 * std::stoll(status.substr(at + key.size() + 2));
}

double checksum(const LongformerClassifier& classifier) {
  double sum = 0;
  for (const NamedParameter& parameter : named_parameters(classifier)) {
    const at::Tensor& tensor = parameter.tensor;
    const float* values = tensor.const_data_ptr<float>();
    // One value of each page.
    for (std::int64_t i = 0; i < tensor.numel(); i += 1024) sum += values[i];
  }
  return sum;
}

struct Load {
  double seconds = 0;
  double checksum = 0;
  std::int64_t num_weights = 0;
};

Load load(const std::string& directory) {
  const auto start = std::chrono::steady_clock::now();
  const ModelConfig config = read_model_config(directory);
  LoadRules as_predict;
  as_predict.only_answers = true;
  const LoadedClassifier loaded =
      load_classifier(directory, config, as_predict);
  Load result;
  result.checksum = checksum(*loaded.classifier);
  result.num_weights = loaded.report.num_loaded;
  result.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  return result;
}

void run(const std::string& directory) {
  CountingAllocator::install();
  at::set_num_threads(available_threads());
  std::ofstream("/proc/self/clear_refs") << "5";  // Resets VmHWM.
  const std::int64_t before = status_bytes("VmRSS");
  const Load first = load(directory);
  const std::int64_t peak = status_bytes("VmHWM") - before;
  const Load again = load(directory);
  std::printf(
      "{\"first\": %.6f, \"again\": %.6f, \"peak_bytes\": %lld, "
      "\"weights\": %lld, \"checksum\": %.9g}\n",
      first.seconds, again.seconds, static_cast<long long>(peak),
      static_cast<long long>(first.num_weights), first.checksum);
}

}  // namespace
}  // namespace longformer

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: load_speed MODEL_DIRECTORY\n");
    return 2;
  }
  try {
    longformer::run(argv[1]);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
