// SPDX-License-Identifier: MIT
#include "longformer/launch/device_list.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "longformer/base/error.h"
#include "longformer/base/quoting.h"
#include "longformer/io/file_system.h"

#include "launch_variables.h"

namespace longformer {
namespace {

constexpr std::string_view kVisible = "CUDA_VISIBLE_DEVICES";
constexpr int kMaxDevices = 1 << 16;

std::string_view without_blanks(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

/// UUIDs may be shortened; what they name is the driver's business.
bool is_device_name(std::string_view text) {
  return text.starts_with("GPU-") || text.starts_with("MIG-");
}

[[noreturn]] void refuse_visible(std::string_view value,
                                 const std::string& reason) {
  throw ConfigError("devices: " + std::string(kVisible) + "=" +
                    in_quotes(value) + " " + reason + "; correct or unset it");
}

void check_visible(std::string_view item, std::string_view value,
                   const std::vector<std::string>& before, int num_gpus) {
  if (std::find(before.begin(), before.end(), item) != before.end()) {
    refuse_visible(value, "names " + std::string(item) + " twice");
  }
  if (is_device_name(item)) return;
  const auto number = whole_number(item, 0, kMaxDevices);
  if (!number) {
    refuse_visible(value, "holds " + in_quotes(item) +
                              ", which is no number of a GPU, UUID or MIG "
                              "name");
  }
  if (*number >= num_gpus) {
    refuse_visible(value, "names GPU " + std::to_string(*number) +
                              ", but there are " + std::to_string(num_gpus));
  }
}

/// The devices that CUDA would see, under the names to be passed on.
std::vector<std::string> visible_gpus(const Environment& environment,
                                      int num_gpus) {
  std::vector<std::string> gpus;
  const auto set = environment.find(kVisible);
  // Without a GPU the variable is left over from another machine.
  if (num_gpus == 0) return gpus;
  if (set == environment.end()) {
    for (int i = 0; i < num_gpus; ++i) gpus.push_back(std::to_string(i));
    return gpus;
  }
  std::string_view rest = without_blanks(set->second);
  // "NoDevFiles" is what some schedulers write for none.
  if (rest.empty() || rest == "NoDevFiles") return gpus;
  for (;;) {
    const std::size_t comma = rest.find(',');
    const std::string_view item = without_blanks(rest.substr(0, comma));
    if (item == "-1") return gpus;
    check_visible(item, set->second, gpus, num_gpus);
    gpus.emplace_back(item);
    if (comma == std::string_view::npos) return gpus;
    rest.remove_prefix(comma + 1);
  }
}

std::vector<std::string> chosen_gpus(const DeviceRequest& request,
                                     std::vector<std::string> visible) {
  if (request.kind == DeviceRequest::Kind::kAuto) return visible;
  std::vector<std::string> chosen;
  for (const int gpu : request.gpus) {
    if (gpu >= static_cast<int>(visible.size())) {
      throw ConfigError(
          "devices: GPU " + std::to_string(gpu) +
          " is not there: " + std::to_string(visible.size()) +
          " can be used (counted from 0, after CUDA_VISIBLE_DEVICES); give "
          "others, auto or cpu");
    }
    chosen.push_back(visible[static_cast<std::size_t>(gpu)]);
  }
  return chosen;
}

}  // namespace

int count_gpus(const std::string& device_folder) {
  constexpr std::string_view kPrefix = "nvidia";
  if (!is_directory(device_folder)) return 0;
  const auto entries = list_directory(device_folder);
  return static_cast<int>(
      std::count_if(entries.begin(), entries.end(), [&](const auto& entry) {
        const std::string_view name = entry.name;
        return name.starts_with(kPrefix) &&
               whole_number(name.substr(kPrefix.size()), 0, kMaxDevices);
      }));
}

DeviceList list_devices(const DeviceRequest& request,
                        std::int64_t num_processes,
                        const Environment& environment, int num_gpus) {
  DeviceList list;
  if (request.kind != DeviceRequest::Kind::kCpu) {
    list.visible_devices =
        chosen_gpus(request, visible_gpus(environment, num_gpus));
  }
  if (list.visible_devices.empty()) {
    const std::int64_t count = std::max<std::int64_t>(num_processes, 1);
    list.visible_devices.resize(static_cast<std::size_t>(count));
    return list;
  }
  list.uses_gpus = true;
  const auto num_used = static_cast<std::int64_t>(list.visible_devices.size());
  if (num_processes != 0 && num_processes != num_used) {
    throw ConfigError("processes: expected " + std::to_string(num_used) +
                      ", one for each GPU, got " +
                      std::to_string(num_processes) +
                      "; leave it out and choose GPUs with --devices, or give "
                      "--devices cpu");
  }
  return list;
}

std::string device_of_local_rank(const DeviceList& devices, int local_rank,
                                 int local_world_size) {
  const auto& visible = devices.visible_devices;
  if (!devices.uses_gpus) return "";
  // One device: the launcher has chosen it for this process.
  if (visible.size() == 1) return visible.front();
  if (local_world_size > static_cast<int>(visible.size())) {
    throw ConfigError("devices: the launcher started " +
                      std::to_string(local_world_size) +
                      " processes on this host, but there are " +
                      std::to_string(visible.size()) +
                      " GPUs; start one process for each, or give --devices "
                      "cpu");
  }
  return visible[static_cast<std::size_t>(local_rank)];
}

int threads_of_process(std::int64_t threads_option,
                       const Environment& environment, int available,
                       int num_processes) {
  constexpr int kMaxThreads = 4096;
  constexpr std::string_view kThreads = "OMP_NUM_THREADS";
  if (threads_option > 0) return static_cast<int>(threads_option);
  const std::string_view value = variable(environment, kThreads);
  if (value.empty()) return std::max(available / std::max(num_processes, 1), 1);
  // A list has one number for each level of nesting.
  const std::string_view first =
      without_blanks(value.substr(0, value.find(',')));
  if (const auto threads = whole_number(first, 1, kMaxThreads)) {
    return *threads;
  }
  throw ConfigError("threads: " + std::string(kThreads) + "=" +
                    in_quotes(value) +
                    " is no number of threads; correct or unset it");
}

}  // namespace longformer
