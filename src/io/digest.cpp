// SPDX-License-Identifier: MIT
#include "longformer/io/digest.h"

#include <new>

#include <xxhash.h>

namespace longformer {

struct Digest::State {
  State() : hash(XXH3_createState()) {
    if (hash == nullptr) throw std::bad_alloc();
    XXH3_128bits_reset(hash);
  }
  ~State() { XXH3_freeState(hash); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  XXH3_state_t* hash;
};

Digest::Digest() : state_(std::make_unique<State>()) {}
Digest::~Digest() = default;
Digest::Digest(Digest&&) noexcept = default;
Digest& Digest::operator=(Digest&&) noexcept = default;

void Digest::update(std::span<const std::byte> bytes) {
  // An empty span may have a null pointer, which the library refuses.
  if (!bytes.empty()) {
    XXH3_128bits_update(state_->hash, bytes.data(), bytes.size());
  }
}

void Digest::update(std::string_view bytes) {
  update(std::as_bytes(std::span(bytes)));
}

std::string Digest::hex() const {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(state_->hash));
  std::string text;
  for (const unsigned char byte : canonical.digest) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

std::string digest_of(std::string_view bytes) {
  Digest digest;
  digest.update(bytes);
  return digest.hex();
}

}  // namespace longformer
