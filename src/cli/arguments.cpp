// SPDX-License-Identifier: MIT
#include "arguments.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

#include "longformer/config/option_values.h"

namespace longformer {
namespace {

bool takes_list(const OptionField& field) {
  return std::holds_alternative<std::vector<std::string>*>(field.value) ||
         std::holds_alternative<std::vector<double>*>(field.value);
}

bool takes_bool(const OptionField& field) {
  return std::holds_alternative<bool*>(field.value) ||
         std::holds_alternative<std::optional<bool>*>(field.value);
}

class ArgumentPreparer {
 public:
  ArgumentPreparer(const std::vector<std::string>& args,
                   const std::vector<OptionField>& fields, OptionReader& reader)
      : args_(args), fields_(fields), reader_(reader) {
    num_positional_ = static_cast<std::size_t>(std::count_if(
        fields.begin(), fields.end(),
        [](const auto& field) { return field.info.is_positional; }));
  }

  std::vector<std::string> prepare() {
    while (next_ < args_.size()) {
      const std::string arg = args_[next_++];
      if (arg == "--help" || arg == "-h") {
        prepared_.push_back(arg);
      } else if (arg == "--") {
        while (next_ < args_.size()) add_positional(args_[next_++]);
      } else if (arg.size() > 1 && arg.front() == '-') {
        add_flag(arg);
      } else {
        add_positional(arg);
      }
    }
    if (!positionals_.empty()) prepared_.emplace_back("--");
    prepared_.insert(prepared_.end(), positionals_.begin(), positionals_.end());
    return std::move(prepared_);
  }

 private:
  /// The option that a flag belongs to; "" if none.
  std::string option_of(std::string_view flag) const {
    if (flag == flag_of(kConfigOption)) return std::string(kConfigOption);
    for (const OptionField& field : fields_) {
      if (flag == flag_of(field.info.name)) {
        return std::string(field.info.name);
      }
    }
    return "";
  }

  bool is_flag(const std::string& arg) const {
    return arg == "--help" || !option_of(arg).empty();
  }

  void add_flag(const std::string& arg) {
    const std::size_t equals = arg.find('=');
    const std::string flag = arg.substr(0, equals);
    const std::string name = option_of(flag);
    if (name.empty()) return refuse(flag, equals != std::string::npos);
    if (equals != std::string::npos) {
      return add_value(flag, arg.substr(equals + 1));
    }
    const OptionField* field = find_field(fields_, name);
    if (field != nullptr && takes_bool(*field)) {
      const bool follows = next_ < args_.size() && is_bool(args_[next_]);
      return add_value(flag, follows ? args_[next_++] : "true");
    }
    if (next_ == args_.size()) {
      complain(flag + ": needs a value", name);
    } else if (is_flag(args_[next_])) {
      complain(flag + ": needs a value, but " + args_[next_] +
                   " follows; write " + flag + "=" + args_[next_] +
                   " if that is the value",
               name);
    } else {
      add_value(flag, args_[next_++]);
      if (field != nullptr && takes_list(*field)) add_more_values(flag);
    }
  }

  /// What a shell makes of `--data *.csv`. Where stray arguments are allowed,
  /// one behind the first value may be either, and is none of the list.
  void add_more_values(const std::string& flag) {
    if (num_positional_ > 0) return;
    while (next_ < args_.size() && !args_[next_].starts_with('-')) {
      add_value(flag, args_[next_++]);
    }
  }

  /// Whether an argument behind a true-or-false flag is its value. Where no
  /// stray arguments are allowed it can be nothing else, and is better
  /// refused as a value ("yes") than as an argument.
  bool is_bool(const std::string& arg) const {
    if (num_positional_ == 0) return !arg.starts_with('-');
    std::string word = arg;
    for (char& letter : word) {
      letter =
          static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    }
    return word == "true" || word == "false";
  }

  void add_value(const std::string& flag, const std::string& value) {
    prepared_.push_back(flag);
    prepared_.push_back(value);
  }

  void add_positional(const std::string& arg) {
    if (positionals_.size() < num_positional_) {
      positionals_.push_back(arg);
    } else {
      complain("unexpected argument " + shown(arg) +
                   (arg.ends_with(".json")
                        ? "; a configuration file is given with --config"
                        : "; options begin with --"),
               "");
    }
  }

  /// Also steps over the value that most likely belongs to the flag.
  void refuse(const std::string& flag, bool has_value) {
    reader_.refuse_flag(flag);
    if (!has_value && next_ < args_.size() && !args_[next_].starts_with('-')) {
      ++next_;
    }
  }

  void complain(const std::string& problem, const std::string& option) {
    reader_.add({"command line: " + problem, {option}});
  }

  const std::vector<std::string>& args_;
  const std::vector<OptionField>& fields_;
  OptionReader& reader_;
  std::size_t num_positional_ = 0;
  std::size_t next_ = 0;
  std::vector<std::string> prepared_;
  std::vector<std::string> positionals_;
};

}  // namespace

std::vector<std::string> prepare_arguments(
    const std::vector<std::string>& args,
    const std::vector<OptionField>& fields, OptionReader& reader) {
  return ArgumentPreparer(args, fields, reader).prepare();
}

}  // namespace longformer
