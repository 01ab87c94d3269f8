// SPDX-License-Identifier: MIT
#include <functional>

#include <torch/version.h>

#include "longformer/base/threads.h"
#include "longformer/base/version.h"
#include "longformer/config/device_request.h"
#include "longformer/config/doctor_options.h"
#include "longformer/io/file_system.h"
#include "longformer/machine/cuda_library.h"
#include "longformer/machine/diagnosis.h"
#include "longformer/machine/nvml.h"

#include "command_start.h"
#include "commands.h"
#include "compute_device.h"
#include "doctor_ranks.h"
#include "shared_command.h"
#include "standard_output.h"

namespace longformer {
namespace {

/// Runs `part`; what it throws is one more finding, unless a signal ends the
/// program.
void examine(Machine& machine, const std::function<void()>& part) {
  try {
    part();
  } catch (const Error& error) {
    constexpr int kFirstOfSignals = 129;
    if (static_cast<int>(error.code()) >= kFirstOfSignals) throw;
    machine.found.push_back({Finding::Kind::kProblem, error.what(),
                             "`train` would stop with this"});
  }
}

/// The kernel module's own words, where NVML is not installed.
std::string driver_of_proc() {
  constexpr std::string_view kModule = "Kernel Module";
  const std::string path = "/proc/driver/nvidia/version";
  if (!exists(path)) return "";
  const std::string text = read_file(path);
  std::size_t begin = text.find(kModule);
  if (begin == text.npos) return "";
  begin = text.find_first_of("0123456789", begin + kModule.size());
  return begin == text.npos ? ""
                            : text.substr(begin, text.find(' ', begin) - begin);
}

GpuLink link_between(CudaRuntime& cuda, const Nvml* nvml,
                     const std::vector<Gpu>& gpus, std::size_t from,
                     std::size_t to) {
  if (from == to) return GpuLink::kSame;
  if (nvml != nullptr &&
      nvml->joined_by_nvlink(gpus[from].pci_id, gpus[to].pci_id)) {
    return GpuLink::kNvLink;
  }
  return cuda.can_access_peer(static_cast<int>(from), static_cast<int>(to))
             ? GpuLink::kPeer
             : GpuLink::kHost;
}

void examine_gpus(Machine& machine, const DeviceRequest& request) {
  if (request.kind == DeviceRequest::Kind::kCpu) {
    machine.cuda_reason = "the option devices is cpu";
    return;
  }
  const CudaLibrary& library = load_cuda();
  machine.cuda_reason = library.reason;
  const auto nvml = Nvml::open();
  machine.driver = nvml ? nvml->driver_version() : driver_of_proc();
  if (library.runtime == nullptr) return;
  CudaRuntime& cuda = *library.runtime;
  machine.cuda = cuda.versions();
  const GpuCount gpus = cuda.count_gpus();
  if (gpus.count == 0) {
    machine.found.push_back({Finding::Kind::kProblem, "devices: " + gpus.reason,
                             "see the driver below, or give --devices cpu"});
  }
  for (int i = 0; i < gpus.count; ++i) machine.gpus.push_back(cuda.gpu(i));
  const std::size_t count = machine.gpus.size();
  machine.links.assign(count, std::vector<GpuLink>(count, GpuLink::kSame));
  for (std::size_t from = 0; from < count; ++from) {
    for (std::size_t to = 0; to < count; ++to) {
      machine.links[from][to] =
          link_between(cuda, nvml.get(), machine.gpus, from, to);
    }
  }
}

/// Plans the processes as `train` does, starts and tries them if there are
/// several.
void examine_own_ranks(Machine& machine, const DoctorOptions& options,
                       const Arguments& arguments,
                       const Environment& environment) {
  const DeviceList devices =
      devices_of_host(options.compute, options.launch.processes, environment);
  RankPlan& plan = machine.ranks;
  plan.launcher = "longformer";
  plan.count = static_cast<int>(devices.visible_devices.size());
  plan.use_gpus = devices.uses_gpus;
  plan.threads = threads_of_process(options.compute.threads, environment,
                                    available_threads(), plan.count);
  if (plan.count == 1) return;
  machine.exchange =
      exchange_between_children(devices, plan.threads, arguments, environment);
}

/// The processes that a launcher has started, of which this is one.
void examine_launched_ranks(Machine& machine, const DoctorOptions& options,
                            const LaunchEnvironment& launch,
                            const Environment& environment) {
  RankPlan& plan = machine.ranks;
  plan.launcher = name_of(launch.kind);
  plan.count = launch.world_size;
  plan.use_gpus =
      devices_of_host(options.compute, /*processes=*/0, environment).uses_gpus;
  plan.threads =
      threads_of_process(options.compute.threads, environment,
                         available_threads(), launch.local_world_size);
  check_processes(options.launch.processes, launch);
  if (plan.count == 1) return;
  machine.exchange = exchange_with_others(options, launch, environment);
}

void examine_folders(Machine& machine, const DoctorOptions& options,
                     const Environment& environment) {
  const std::string output =
      options.run.output_dir.empty() ? "." : options.run.output_dir;
  const std::string& cache = options.data.token_cache;
  machine.folders.push_back(examine_folder("output_dir", output));
  if (cache != "none") {
    machine.folders.push_back(examine_folder(
        "token_cache",
        cache == "auto" ? join_path(output, "token_cache") : cache));
  }
  const std::string_view temporary = variable(environment, "TMPDIR");
  machine.folders.push_back(examine_folder(
      "TMPDIR", temporary.empty() ? "/tmp" : std::string(temporary)));
}

}  // namespace

ExitCode doctor_command(const Arguments& arguments) {
  const auto options = start_command<DoctorOptions>(
      "doctor", "Says whether `train` would work here, and why not.",
      arguments);
  if (!options) return ExitCode::kSuccess;
  const Environment environment = current_environment();
  Machine machine;
  LaunchEnvironment launch;
  examine(machine, [&] {
    launch = detect_launch_environment(environment, options->launch.rendezvous);
  });
  if (launch.kind == LauncherKind::kOwn) {
    const ExchangeCheck check =
        exchange_with_others(*options, launch, environment);
    if (launch.rank == 0) report_to_parent(check);
    return ExitCode::kSuccess;
  }
  machine.program = "longformer " + std::string(program_version()) +
                    ", LibTorch " TORCH_VERSION;
  machine.environment = relevant_variables(environment);
  machine.resources = measure_resources();
  examine(machine, [&] { check_devices(options->compute.devices); });
  examine(machine, [&] { examine_folders(machine, *options, environment); });
  // Before CUDA is initialised here: the processes may need all of its memory.
  examine(machine, [&] {
    if (launch.kind != LauncherKind::kNone) {
      examine_launched_ranks(machine, *options, launch, environment);
    } else if (machine.found.empty()) {
      examine_own_ranks(machine, *options, arguments, environment);
    }
  });
  if (launch.rank != 0) return ExitCode::kSuccess;
  examine(machine, [&] {
    examine_gpus(machine, parse_devices(options->compute.devices));
  });
  const Findings findings = diagnose(machine, options->doctor.precision);
  print(options->doctor.json
            ? diagnosis_json(machine, findings)
                      .dump(2, ' ', false, Json::error_handler_t::replace) +
                  "\n"
            : diagnosis_text(machine, findings));
  return would_work(findings) ? ExitCode::kSuccess : ExitCode::kConfig;
}

}  // namespace longformer
