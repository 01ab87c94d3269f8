// SPDX-License-Identifier: MIT
#include "longformer/launch/sagemaker_environment.h"

#include <algorithm>
#include <array>
#include <utility>

#include "longformer/base/error.h"
#include "longformer/base/quoting.h"
#include "longformer/base/strict_json.h"
#include "longformer/config/option_reader.h"
#include "longformer/config/option_values.h"
#include "longformer/io/atomic_write.h"
#include "longformer/io/file_system.h"

#include "launch_variables.h"
#include "limited_text.h"
#include "sagemaker_files.h"

namespace longformer {
namespace {

constexpr std::string_view kBaseVariable = "SAGEMAKER_BASE_DIR";
constexpr int kPort = 7777;
/// As long as the platform's own toolkit waits for the names of hosts.
constexpr const char* kStartTimeoutS = "900";

struct ChannelOption {
  std::string_view channel;
  std::string_view option;
};

constexpr std::array<ChannelOption, 5> kChannelOptions{{
    {"train", "train_data"},
    {"validation", "validation_data"},
    {"test", "test_data"},
    {"model", "model"},
    {"tokenizer", "tokenizer"},
}};

/// The option that a channel is for, or "".
std::string_view option_of(std::string_view channel) {
  for (const ChannelOption& known : kChannelOptions) {
    if (known.channel == channel) return known.option;
  }
  return {};
}

std::string path_or(const Environment& environment, std::string_view name,
                    std::string path) {
  const std::string_view given = variable(environment, name);
  return given.empty() ? std::move(path) : std::string(given);
}

int toolkit_gpus(const Environment& environment) {
  const std::string_view text = variable(environment, "SM_NUM_GPUS");
  if (text.empty()) return 0;
  if (const auto number = whole_number(text, 0, kMaxProcesses)) return *number;
  throw ConfigError("SM_NUM_GPUS=" + in_quotes(text) +
                    ": expected a number of GPUs; correct or unset it");
}

/// The hyperparameter `config`, whichever way it is encoded; "" if there is
/// none. What else is wrong with the text is for OptionReader to say.
std::string config_hyperparameter(std::string_view hyperparameters) {
  std::string path;
  try {
    const Json object = parse_strict_json(hyperparameters);
    if (object.is_object() && object.contains(kConfigOption)) {
      const Json& value = object[kConfigOption];
      const OptionField option{field(kConfigOption, ""), "", &path};
      set_value_from_text(
          option, {value.is_string() ? value.get<std::string>() : value.dump()},
          TextRules::kPlatform);
    }
  } catch (const JsonSyntaxError&) {
  }
  return path;
}

/// A line that only announces ("3 problems:") takes the next one on.
std::string with_useful_first_line(std::string text) {
  const std::size_t end = text.find(":\n");
  if (end == std::string::npos || text.find('\n') != end + 1) return text;
  const std::size_t next = text.find_first_not_of(" \n", end + 1);
  if (next != std::string::npos) text.replace(end + 1, next - end - 1, " ");
  return text;
}

std::string only_json_file(const std::string& directory) {
  std::string found;
  for (const DirectoryEntry& entry : is_directory(directory)
                                         ? list_directory(directory)
                                         : std::vector<DirectoryEntry>()) {
    if (entry.is_directory || !entry.name.ends_with(".json")) continue;
    if (!found.empty()) {
      throw ConfigError("channel config: " + directory +
                        " holds several .json files; name one with the "
                        "hyperparameter config");
    }
    found = join_path(directory, entry.name);
  }
  if (!found.empty()) return found;
  throw ConfigError("channel config: " + directory +
                    " holds no .json file; put the configuration there");
}

}  // namespace

std::optional<std::string> find_sagemaker_base(const Environment& environment,
                                               const std::string& default_dir) {
  const std::string given(variable(environment, kBaseVariable));
  if (!given.empty()) {
    if (is_directory(given)) return given;
    throw ConfigError(std::string(kBaseVariable) + "=" + in_quotes(given) +
                      ": there is no such folder; correct or unset it");
  }
  if (is_directory(join_path(default_dir, "input/config"))) return default_dir;
  return std::nullopt;
}

SageMakerEnvironment read_sagemaker_environment(const Environment& environment,
                                                const std::string& base_dir) {
  const auto below = [&](std::string_view name) {
    return join_path(base_dir, name);
  };
  constexpr std::uint64_t kMaxHyperparameters = std::uint64_t{1} << 22;
  SageMakerEnvironment sagemaker;
  sagemaker.base_dir = base_dir;
  sagemaker.model_dir = path_or(environment, "SM_MODEL_DIR", below("model"));
  sagemaker.output_data_dir =
      path_or(environment, "SM_OUTPUT_DATA_DIR", below("output/data"));
  sagemaker.checkpoint_dir = below("checkpoints");
  sagemaker.hyperparameters_file = below("input/config/hyperparameters.json");
  if (exists(sagemaker.hyperparameters_file)) {
    sagemaker.hyperparameters =
        read_file(sagemaker.hyperparameters_file, kMaxHyperparameters);
  }
  sagemaker.num_gpus = toolkit_gpus(environment);
  sagemaker.job_name = variable(environment, "TRAINING_JOB_NAME");
  read_resources(environment, below("input/config/resourceconfig.json"),
                 sagemaker);
  read_channels(environment, below("input/config/inputdataconfig.json"),
                below("input/data"), sagemaker);
  return sagemaker;
}

std::string sagemaker_path_options(const SageMakerEnvironment& sagemaker,
                                   const std::string& scratch_dir) {
  Json options = Json::object();
  for (const SageMakerChannel& channel : sagemaker.channels) {
    const std::string_view option = option_of(channel.name);
    if (!option.empty()) options[std::string(option)] = channel.path;
  }
  options["output_dir"] = sagemaker.output_data_dir;
  options["model_dir"] = sagemaker.model_dir;
  options["checkpoint_dir"] = sagemaker.checkpoint_dir;
  options["token_cache"] = join_path(scratch_dir, "longformer_token_cache");
  options["resume"] = "auto_or_restart";
  options["print_metrics"] = "true";
  if (sagemaker.hosts.size() > 1) options["start_timeout"] = kStartTimeoutS;
  return options.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string sagemaker_config_file(const SageMakerEnvironment& sagemaker) {
  const std::string data_dir = join_path(sagemaker.base_dir, "input/data");
  const std::string given = config_hyperparameter(sagemaker.hyperparameters);
  if (!given.empty()) {
    return given.starts_with('/') ? given : join_path(data_dir, given);
  }
  for (const SageMakerChannel& channel : sagemaker.channels) {
    if (channel.name == kConfigOption) return only_json_file(channel.path);
  }
  return "";
}

std::vector<std::string> unused_channels(
    const SageMakerEnvironment& sagemaker,
    const std::vector<std::string>& used_paths) {
  std::vector<std::string> names;
  for (const SageMakerChannel& channel : sagemaker.channels) {
    const auto lies_inside = [&](const std::string& path) {
      return path == channel.path ||
             path.starts_with(join_path(channel.path, ""));
    };
    if (std::none_of(used_paths.begin(), used_paths.end(), lies_inside)) {
      names.push_back(channel.name);
    }
  }
  return names;
}

void check_channels(const SageMakerEnvironment& sagemaker) {
  for (const SageMakerChannel& channel : sagemaker.channels) {
    if (channel.is_sharded && sagemaker.hosts.size() > 1) {
      throw ConfigError(
          "channel " + channel.name +
          ": every host has other files of it (ShardedByS3Key), but the "
          "processes share out the documents themselves; give it "
          "S3DataDistributionType FullyReplicated");
    }
    const std::string_view option = option_of(channel.name);
    if (channel.is_pipe && (option == "model" || option == "tokenizer")) {
      throw ConfigError("channel " + channel.name +
                        ": its files cannot be told apart in a pipe; give it "
                        "the input mode File or FastFile");
    }
  }
}

HostLayout sagemaker_layout(const SageMakerEnvironment& sagemaker,
                            int processes_per_host) {
  HostLayout layout;
  layout.first_rank = sagemaker.host_index * processes_per_host;
  layout.world_size =
      static_cast<int>(sagemaker.hosts.size()) * processes_per_host;
  if (sagemaker.hosts.size() > 1) {
    layout.rendezvous.kind = Rendezvous::Kind::kAddress;
    layout.rendezvous.host = sagemaker.hosts.front();
    layout.rendezvous.port = kPort;
    layout.rendezvous.key_prefix = sagemaker.job_name;
  }
  return layout;
}

std::string sagemaker_failure_file(const std::string& base_dir) {
  return join_path(base_dir, "output/failure");
}

std::string failure_text(std::string_view message) {
  constexpr std::size_t kMaxBytes = 1024;
  const std::size_t start = message.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos) return "unknown failure; see the log";
  std::string text(message.substr(start));
  for (char& letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    if ((byte < 0x20 && letter != '\n') || byte == 0x7F) letter = ' ';
  }
  return limited_text(with_useful_first_line(std::move(text)), kMaxBytes);
}

void write_failure_file(const std::string& path, std::string_view message) {
  create_directories(parent_path(path));
  write_file_atomically(path, failure_text(message));
}

}  // namespace longformer
