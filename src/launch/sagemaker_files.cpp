// SPDX-License-Identifier: MIT
#include "sagemaker_files.h"

#include <algorithm>
#include <cctype>
#include <optional>

#include "longformer/base/error.h"
#include "longformer/base/quoting.h"
#include "longformer/base/strict_json.h"
#include "longformer/io/file_system.h"

namespace longformer {
namespace {

constexpr std::uint64_t kMaxFile = std::uint64_t{1} << 22;

[[noreturn]] void refuse(const std::string& where, const std::string& reason) {
  throw ConfigError(where + ": " + reason +
                    "; the platform should write it, see SageMaker's "
                    "documentation of training containers");
}

Json parsed(std::string_view text, const std::string& where) {
  try {
    return parse_strict_json(text);
  } catch (const JsonSyntaxError& error) {
    refuse(where, "not valid JSON: " + describe(error));
  }
}

/// The object in a file; an empty one if the file is missing or blank.
Json read_object(const std::string& file) {
  if (!exists(file)) return Json::object();
  const std::string text = read_file(file, kMaxFile);
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
    return Json::object();
  }
  Json object = parsed(text, file);
  if (!object.is_object()) refuse(file, "expected a JSON object");
  return object;
}

/// The text under a key; "" if there is none.
std::string text_of(const Json& object, const char* key,
                    const std::string& where) {
  const auto found = object.find(key);
  if (found == object.end() || found->is_null()) return "";
  if (!found->is_string()) {
    refuse(where, std::string(key) + ": expected a text, got " +
                      in_quotes(found->dump()));
  }
  return found->get<std::string>();
}

std::vector<std::string> texts_of(const Json& list, const std::string& where) {
  std::vector<std::string> texts;
  const auto is_text = [](const Json& item) { return item.is_string(); };
  if (!list.is_array() || !std::all_of(list.begin(), list.end(), is_text)) {
    refuse(where,
           "hosts: expected a list of names, got " + in_quotes(list.dump()));
  }
  for (const Json& item : list) texts.push_back(item.get<std::string>());
  return texts;
}

/// Groups of different instances would need different numbers of processes.
void refuse_several_groups(const Json& resources, const std::string& file) {
  const auto groups = resources.find("instance_groups");
  if (groups == resources.end() || !groups->is_array() || groups->size() < 2) {
    return;
  }
  throw ConfigError(file + ": a cluster of " + std::to_string(groups->size()) +
                    " instance groups cannot train one model; start the job "
                    "with one group");
}

void set_hosts(std::vector<std::string> hosts, const std::string& current,
               const std::string& where, SageMakerEnvironment& sagemaker) {
  if (hosts.empty()) hosts = {current.empty() ? "localhost" : current};
  std::sort(hosts.begin(), hosts.end(), natural_less);
  if (std::adjacent_find(hosts.begin(), hosts.end()) != hosts.end()) {
    refuse(where, "hosts: a name appears twice");
  }
  const auto found = current.empty() && hosts.size() == 1
                         ? hosts.begin()
                         : std::find(hosts.begin(), hosts.end(), current);
  if (found == hosts.end()) {
    refuse(where,
           "current_host " + in_quotes(current) + " is not among the hosts");
  }
  sagemaker.host_index = static_cast<int>(found - hosts.begin());
  sagemaker.hosts = std::move(hosts);
}

SageMakerChannel channel_of(const std::string& name, const Json& settings,
                            const std::string& file,
                            const std::string& data_dir) {
  SageMakerChannel channel;
  channel.name = name;
  channel.path = join_path(data_dir, name);
  if (!settings.is_object()) {
    refuse(file,
           name + ": expected an object, got " + in_quotes(settings.dump()));
  }
  channel.content_type = text_of(settings, "ContentType", file);
  channel.is_pipe = text_of(settings, "TrainingInputMode", file) == "Pipe";
  if (channel.is_pipe) channel.path += "_0";
  channel.is_sharded =
      text_of(settings, "S3DistributionType", file) == "ShardedByS3Key";
  return channel;
}

/// SM_CHANNEL_TRAIN is the channel train.
void add_toolkit_channels(const Environment& environment,
                          std::vector<SageMakerChannel>& channels) {
  constexpr std::string_view kPrefix = "SM_CHANNEL_";
  for (const auto& [variable_name, path] : environment) {
    if (!variable_name.starts_with(kPrefix) || path.empty()) continue;
    std::string name = variable_name.substr(kPrefix.size());
    for (char& letter : name) {
      letter =
          static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    }
    const auto known = std::find_if(
        channels.begin(), channels.end(),
        [&](const SageMakerChannel& channel) { return channel.name == name; });
    if (known == channels.end()) {
      channels.push_back({name, path});
    } else if (!known->is_pipe) {
      // The toolkit gives a pipe's name without its epoch.
      known->path = path;
    }
  }
}

bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

/// Takes the digits at the front off, without leading zeros.
std::string_view take_number(std::string_view& text) {
  std::size_t end = 0;
  while (end < text.size() && is_digit(text[end])) ++end;
  std::string_view number = text.substr(0, end);
  text.remove_prefix(end);
  while (number.size() > 1 && number.front() == '0') number.remove_prefix(1);
  return number;
}

}  // namespace

bool natural_less(std::string_view one, std::string_view other) {
  const std::string_view whole_one = one;
  const std::string_view whole_other = other;
  while (!one.empty() && !other.empty()) {
    if (is_digit(one.front()) && is_digit(other.front())) {
      const std::string_view number = take_number(one);
      const std::string_view other_number = take_number(other);
      if (number.size() != other_number.size()) {
        return number.size() < other_number.size();
      }
      if (number != other_number) return number < other_number;
    } else {
      if (one.front() != other.front()) return one.front() < other.front();
      one.remove_prefix(1);
      other.remove_prefix(1);
    }
  }
  if (one.empty() != other.empty()) return one.empty();
  return whole_one < whole_other;  // They differ in leading zeros only.
}

void read_resources(const Environment& environment, const std::string& file,
                    SageMakerEnvironment& sagemaker) {
  constexpr const char* kHosts = "SM_HOSTS";
  const Json resources = read_object(file);
  refuse_several_groups(resources, file);
  std::string current = text_of(resources, "current_host", file);
  std::vector<std::string> hosts;
  if (resources.contains("hosts")) hosts = texts_of(resources["hosts"], file);
  sagemaker.network_interface =
      text_of(resources, "network_interface_name", file);

  const std::string_view toolkit_hosts = variable(environment, kHosts);
  const std::string_view toolkit_current =
      variable(environment, "SM_CURRENT_HOST");
  const bool is_toolkit = !toolkit_hosts.empty() && !toolkit_current.empty();
  if (is_toolkit) {
    hosts = texts_of(parsed(toolkit_hosts, kHosts), kHosts);
    current = toolkit_current;
  }
  set_hosts(std::move(hosts), current, is_toolkit ? kHosts : file, sagemaker);

  const std::string_view toolkit_interface =
      variable(environment, "SM_NETWORK_INTERFACE_NAME");
  if (!toolkit_interface.empty()) {
    sagemaker.network_interface = toolkit_interface;
  }
}

void read_channels(const Environment& environment, const std::string& file,
                   const std::string& data_dir,
                   SageMakerEnvironment& sagemaker) {
  std::vector<SageMakerChannel>& channels = sagemaker.channels;
  const Json settings = read_object(file);
  for (const auto& [name, channel] : settings.items()) {
    channels.push_back(channel_of(name, channel, file, data_dir));
  }
  if (channels.empty() && is_directory(data_dir)) {
    for (const DirectoryEntry& entry : list_directory(data_dir)) {
      if (!entry.is_directory) continue;
      channels.push_back({entry.name, join_path(data_dir, entry.name)});
    }
  }
  add_toolkit_channels(environment, channels);
  std::sort(channels.begin(), channels.end(),
            [](const SageMakerChannel& one, const SageMakerChannel& other) {
              return one.name < other.name;
            });
}

}  // namespace longformer
