// SPDX-License-Identifier: MIT
#include "longformer/base/descriptor.h"

#include <unistd.h>

#include <utility>

namespace longformer {

Descriptor::Descriptor(Descriptor&& other) noexcept
    : number_(std::exchange(other.number_, -1)) {}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}

int Descriptor::release() { return std::exchange(number_, -1); }

void Descriptor::close() {
  if (number_ >= 0) ::close(release());
}

}  // namespace longformer
