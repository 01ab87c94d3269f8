// SPDX-License-Identifier: MIT
#include "sagemaker_job.h"

#include <stdlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>
#include <system_error>
#include <utility>

#include "longformer/base/error.h"
#include "longformer/base/log.h"
#include "longformer/io/file_system.h"
#include "longformer/launch/network_interface.h"
#include "longformer/launch/pipe_copy.h"

namespace longformer {
namespace {

constexpr std::string_view kCopiesVariable = "LONGFORMER_PIPE_COPIES";

/// For what need not be kept.
std::string scratch_dir(const Environment& environment) {
  const std::string_view given = variable(environment, "TMPDIR");
  return given.empty() ? "/tmp" : std::string(given);
}

/// The options that name data files.
std::array<std::vector<std::string> TrainDataOptions::*, 3> data_members() {
  return {&TrainDataOptions::train_data, &TrainDataOptions::validation_data,
          &TrainDataOptions::test_data};
}

std::vector<std::string> paths_in(const TrainOptions& options) {
  std::vector<std::string> paths{options.model.model,
                                 options.model.architecture,
                                 options.model.tokenizer, options.run.resume};
  for (const auto member : data_members()) {
    const std::vector<std::string>& more = options.data.*member;
    paths.insert(paths.end(), more.begin(), more.end());
  }
  return paths;
}

/// The ending tells the format of the data; without one the content does.
std::string_view ending_of(std::string_view content_type) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kKnown{
      {{"text/csv", ".csv"},
       {"text/tab-separated-values", ".tsv"},
       {"application/json", ".json"},
       {"application/jsonlines", ".jsonl"},
       {"application/x-jsonlines", ".jsonl"},
       {"application/x-ndjson", ".jsonl"}}};
  for (const auto& [type, ending] : kKnown) {
    if (content_type.substr(0, content_type.find(';')) == type) return ending;
  }
  return "";
}

std::string copy_of(const SageMakerChannel& channel,
                    const std::string& directory) {
  return join_path(directory, channel.name) +
         std::string(ending_of(channel.content_type));
}

std::string make_private_directory(const std::string& parent) {
  std::string path = join_path(parent, "longformer-pipes-XXXXXX");
  if (mkdtemp(path.data()) == nullptr) {
    throw FileError(path + ": cannot make the folder: " +
                        std::generic_category().message(errno) +
                        "; set TMPDIR to a folder with room",
                    errno);
  }
  return path;
}

}  // namespace

std::optional<SageMakerEnvironment> find_sagemaker_job(
    const Environment& environment) {
  const auto base = find_sagemaker_base(environment);
  if (!base) return std::nullopt;
  SageMakerEnvironment job = read_sagemaker_environment(environment, *base);
  check_channels(job);
  return job;
}

void add_sagemaker_sources(const SageMakerEnvironment& job,
                           const Environment& environment, CommandLine& line) {
  line.config_file = sagemaker_config_file(job);
  line.platform = {
      {"SageMaker", sagemaker_path_options(job, scratch_dir(environment))},
      {job.hyperparameters_file, job.hyperparameters}};
}

std::vector<std::string> channel_warnings(const SageMakerEnvironment& job,
                                          const TrainOptions& options) {
  std::vector<std::string> used = paths_in(options);
  const std::string config = sagemaker_config_file(job);
  if (!config.empty()) used.push_back(config);
  std::vector<std::string> lines;
  for (const std::string& name : unused_channels(job, used)) {
    lines.push_back("channel " + name +
                    ": nothing uses it; the channels train, validation, test, "
                    "model, tokenizer and config are used by themselves, "
                    "others by options that name their files");
  }
  return lines;
}

PipeCopies::~PipeCopies() {
  if (directory_.empty()) return;
  try {
    remove_tree(directory_);
  } catch (const FileError& error) {
    log_warning(error.what());
  }
}

bool PipeCopies::make(const SageMakerEnvironment& job,
                      const TrainOptions& options,
                      const Environment& environment,
                      const std::function<bool()>& should_stop) {
  PipeCopySettings settings;
  settings.start_timeout = std::chrono::seconds(options.launch.start_timeout);
  settings.should_stop = should_stop;
  const std::vector<std::string> used = paths_in(options);
  for (const SageMakerChannel& channel : job.channels) {
    if (!channel.is_pipe ||
        std::find(used.begin(), used.end(), channel.path) == used.end()) {
      continue;
    }
    if (directory_.empty()) {
      directory_ = make_private_directory(scratch_dir(environment));
    }
    if (!copy_pipe(channel.path, copy_of(channel, directory_), settings)) {
      return false;
    }
  }
  return true;
}

Environment PipeCopies::environment() const {
  if (directory_.empty()) return {};
  return {{std::string(kCopiesVariable), directory_}};
}

void use_pipe_copies(const SageMakerEnvironment& job,
                     const Environment& environment, TrainOptions& options) {
  const std::string directory(variable(environment, kCopiesVariable));
  if (directory.empty()) return;
  for (const SageMakerChannel& channel : job.channels) {
    if (!channel.is_pipe) continue;
    for (const auto member : data_members()) {
      std::vector<std::string>& paths = options.data.*member;
      std::replace(paths.begin(), paths.end(), channel.path,
                   copy_of(channel, directory));
    }
  }
}

Environment sagemaker_network(const SageMakerEnvironment& job,
                              const Environment& environment) {
  Environment network;
  const std::string& name = job.network_interface;
  if (job.hosts.size() < 2 || name.empty()) return network;
  const auto available = network_interfaces();
  if (std::find(available.begin(), available.end(), name) == available.end()) {
    log_warning("this host has no network interface " + name +
                ", which resourceconfig.json names; the processes take the one "
                "on the way to the first host");
    return network;
  }
  for (const char* variable_name :
       {"GLOO_SOCKET_IFNAME", "NCCL_SOCKET_IFNAME"}) {
    if (variable(environment, variable_name).empty()) {
      network[variable_name] = name;
    }
  }
  return network;
}

}  // namespace longformer
