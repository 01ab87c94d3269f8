// SPDX-License-Identifier: MIT
#include "longformer/io/direct_file.h"

#include <fcntl.h>

#include <cerrno>
#include <utility>

#include "file_operations.h"

namespace longformer {

struct DirectFile::State {
  Descriptor file;
};

DirectFile::DirectFile(const OutputPlace& place, std::string name)
    : name_(std::move(name)), state_(std::make_unique<State>()) {
  // Opened a second time, a descriptor would begin at the start of its file.
  state_->file = Descriptor(
      place.kind == OutputPlace::Kind::kDescriptor
          ? ::fcntl(place.descriptor, F_DUPFD_CLOEXEC, 3)
          : ::open(place.path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
  if (!state_->file.is_open()) {
    file_operations::fail(name_, "open for writing", errno);
  }
}

DirectFile::~DirectFile() = default;

void DirectFile::write(std::string_view bytes) {
  file_operations::write_all(state_->file, name_, bytes.data(), bytes.size(),
                             written_);
  written_ += bytes.size();
}

}  // namespace longformer
