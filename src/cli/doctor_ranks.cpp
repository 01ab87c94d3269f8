// SPDX-License-Identifier: MIT
#include "doctor_ranks.h"

#include <algorithm>
#include <chrono>
#include <string_view>

#include "longformer/base/log.h"
#include "longformer/distributed/exchange_speed.h"
#include "longformer/io/file_system.h"
#include "longformer/io/private_folder.h"
#include "longformer/launch/host_processes.h"

#include "compute_device.h"
#include "shared_command.h"
#include "standard_output.h"

namespace longformer {
namespace {

/// Begins the line with the times in the output of rank 0.
constexpr std::string_view kReport = "exchange: ";

std::string backend_name(bool use_gpus) { return use_gpus ? "NCCL" : "Gloo"; }

std::vector<ExchangeTiming> read_report(const std::string& log_path) {
  const std::string log = read_file(log_path);
  const std::size_t begin = log.rfind(kReport);
  if (begin == log.npos) throw SystemError(log_path + ": no times are there");
  const std::size_t end = log.find('\n', begin);
  const Json lines = parse_strict_json(std::string_view(log).substr(
      begin + kReport.size(), end - begin - kReport.size()));
  std::vector<ExchangeTiming> timings;
  for (const Json& line : lines) {
    timings.push_back({line.at("bytes").get<std::uint64_t>(),
                       line.at("seconds").get<double>()});
  }
  return timings;
}

}  // namespace

ExchangeCheck exchange_with_others(const DoctorOptions& options,
                                   const LaunchEnvironment& launch,
                                   const Environment& environment) {
  constexpr std::chrono::seconds kLongestStart{60};
  constexpr std::chrono::seconds kLongestExchange{30};
  const ComputeDevice device =
      take_compute_device(options.compute, launch, environment);
  CommunicatorSettings settings =
      communicator_settings(launch, options.launch, environment, device);
  settings.start_timeout = std::min<std::chrono::milliseconds>(
      settings.start_timeout, kLongestStart);
  settings.collective_timeout = std::min<std::chrono::milliseconds>(
      settings.collective_timeout, kLongestExchange);
  Communicator communicator(launch, settings);
  communicator.set_activity("the exchange check");
  const bool on_gpu = device.cuda != nullptr;
  ExchangeCheck check{backend_name(on_gpu),
                      measure_exchange(communicator, on_gpu), ""};
  communicator.leave();
  return check;
}

ExchangeCheck exchange_between_children(const DeviceList& devices, int threads,
                                        const Arguments& arguments,
                                        const Environment& environment) {
  const PrivateFolder folder(variable(environment, "TMPDIR"));
  ListeningSocket socket;
  ChildPlace place;
  place.world_size = static_cast<int>(devices.visible_devices.size());
  place.rendezvous = socket.rendezvous();
  place.threads = threads;
  ProcessGroupOptions group =
      host_processes("doctor", arguments, environment, devices, place, &socket);
  group.output_descriptor = group.error_descriptor = -1;
  group.log_directory = folder.path();
  const ProcessGroupResult result = run_process_group(group);
  ExchangeCheck check{backend_name(devices.uses_gpus), {}, ""};
  if (result.failure) {
    const RankFailure& failure = *result.failure;
    // The log goes with the folder.
    if (exists(failure.log_path)) log_info(read_file(failure.log_path));
    check.problem =
        failure.message.empty()
            ? describe(failure)
            : "rank " + std::to_string(failure.rank) + ": " + failure.message;
  } else if (result.stop_signal != 0) {
    throw Error(static_cast<ExitCode>(result.exit_code),
                "stopped by signal " + std::to_string(result.stop_signal));
  } else {
    check.timings = read_report(join_path(folder.path(), "rank_0.log"));
  }
  return check;
}

void report_to_parent(const ExchangeCheck& check) {
  Json lines = Json::array();
  for (const ExchangeTiming& timing : check.timings) {
    lines.push_back({{"bytes", timing.bytes}, {"seconds", timing.seconds}});
  }
  print(std::string(kReport) + lines.dump() + "\n");
}

}  // namespace longformer
