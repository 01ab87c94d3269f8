// SPDX-License-Identifier: MIT
#include "longformer/config/device_request.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "longformer/base/error.h"
#include "longformer/config/option_values.h"

namespace longformer {
namespace {

/// -1 when `text` is no number of a device.
int device_number(std::string_view text) {
  constexpr int kMost = 1023;
  int number = -1;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  const bool is_number = error == std::errc() && stop == end;
  return is_number && number >= 0 && number <= kMost ? number : -1;
}

std::string_view without_blanks(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

}  // namespace

DeviceRequest parse_devices(const std::string& option) {
  if (option == "auto") return {};
  if (option == "cpu") return {DeviceRequest::Kind::kCpu, {}};
  DeviceRequest request{DeviceRequest::Kind::kGpus, {}};
  std::string_view rest = option;
  for (;;) {
    const std::size_t comma = rest.find(',');
    const int number = device_number(without_blanks(rest.substr(0, comma)));
    const auto& known = request.gpus;
    if (number < 0) {
      throw ConfigError("devices: expected auto, cpu or GPU numbers such as " +
                        std::string("0,1, got ") + shown(option));
    }
    if (std::find(known.begin(), known.end(), number) != known.end()) {
      throw ConfigError("devices: GPU " + std::to_string(number) +
                        " appears twice in " + shown(option));
    }
    request.gpus.push_back(number);
    if (comma == std::string_view::npos) return request;
    rest.remove_prefix(comma + 1);
  }
}

}  // namespace longformer
