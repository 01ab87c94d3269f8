// SPDX-License-Identifier: MIT
#include "output_file.h"

#include <unistd.h>

#include "overwriting.h"

namespace longformer {

OutputFile::OutputFile(const std::string& path,
                       const std::vector<std::string>& inputs) {
  refuse_to_overwrite(path, inputs);
  const bool is_standard = path == "-";
  const OutputPlace place =
      is_standard
          ? OutputPlace{OutputPlace::Kind::kDescriptor, path, STDOUT_FILENO}
          : find_output_place(path);
  if (place.kind == OutputPlace::Kind::kFile) {
    recover_leftovers_of(place.path);
    file_.emplace(place.path);
  } else {
    direct_.emplace(place, is_standard ? "standard output" : path);
  }
}

void OutputFile::write(std::string_view text) {
  if (file_) {
    file_->write(text);
  } else {
    direct_->write(text);
  }
}

void OutputFile::finish() {
  if (file_) file_->commit();
}

}  // namespace longformer
