// SPDX-License-Identifier: MIT
#include "file_kind.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "byte_order.h"

namespace longformer {
namespace {

using std::string_view_literals::operator""sv;

struct Signature {
  std::string_view bytes;
  std::string_view advice;
  std::size_t offset = 0;
};

constexpr std::array kForeignSignatures = {
    Signature{"version https://git-lfs"sv,
              "is a Git LFS pointer, not the file itself; run `git lfs pull` "
              "in the model's repository or download the file again"},
    Signature{"ustar"sv,
              "is a tar archive (PyTorch 0.1 wrote such files; they are not "
              "read); unpack it or save the model again",
              257},
    Signature{"\x1F\x8B"sv, "is compressed with gzip; unpack it first"},
    Signature{"\x28\xB5\x2F\xFD"sv, "is compressed with zstd; unpack it first"},
    Signature{"\xFD"
              "7zXZ"sv,
              "is compressed with xz; unpack it first"},
    Signature{"\x89HDF\r\n\x1A\n"sv,
              "is an HDF5 file (TensorFlow weights); use the model's PyTorch "
              "or safetensors file"},
    Signature{"GGUF"sv,
              "is a GGUF file; use the model's PyTorch or safetensors file"},
    Signature{"\x93NUMPY"sv,
              "is a NumPy array; use the model's PyTorch or safetensors file"},
};

bool starts_with_ignoring_case(std::string_view text, std::string_view start) {
  return text.size() >= start.size() &&
         std::equal(start.begin(), start.end(), text.begin(),
                    [](char a, char b) {
                      return a == std::tolower(static_cast<unsigned char>(b));
                    });
}

/// A page that a server sent in place of a file.
std::string_view page_advice(std::string_view content) {
  if (content.starts_with("\xEF\xBB\xBF")) content.remove_prefix(3);
  const std::size_t begin = content.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return "";
  content.remove_prefix(begin);
  if (starts_with_ignoring_case(content, "<!doctype html") ||
      starts_with_ignoring_case(content, "<html")) {
    return "is an HTML page, not a weight file; the server answered with an "
           "error or log-in page: download the file again";
  }
  if (content.starts_with("<?xml")) {
    return "is an XML document, not a weight file; the server answered with "
           "an error: download the file again";
  }
  return "";
}

bool looks_like_safetensors(std::string_view content) {
  return content.size() > 8 && content[8] == '{' &&
         read_little_endian<std::uint64_t>(content) <= content.size() - 8;
}

}  // namespace

RecognisedFile recognise_file(std::string_view content) {
  // First, as the length in front may look like any other signature.
  if (looks_like_safetensors(content)) return {FileKind::kSafetensors, ""};
  if (content.empty()) {
    return {FileKind::kForeign,
            "is empty; the download or copy failed, get the file again"};
  }
  if (content.starts_with("PK\x03\x04") || content.starts_with("PK\x05\x06")) {
    return {FileKind::kZip, ""};
  }
  if (content.size() > 1 && content[0] == '\x80' && content[1] >= 2 &&
      content[1] <= 5) {
    return {FileKind::kPickle, ""};
  }
  for (const Signature& signature : kForeignSignatures) {
    if (content.size() > signature.offset &&
        content.substr(signature.offset).starts_with(signature.bytes)) {
      return {FileKind::kForeign, std::string(signature.advice)};
    }
  }
  const std::string_view advice = page_advice(content);
  if (!advice.empty()) return {FileKind::kForeign, std::string(advice)};
  return {};
}

}  // namespace longformer
