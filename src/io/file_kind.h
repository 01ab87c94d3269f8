// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace longformer {

/// What a file that should hold weights really is.
enum class FileKind {
  kSafetensors,
  kZip,      ///< PyTorch's archive since 1.6, or any other zip.
  kPickle,   ///< PyTorch's archive before 1.6, or any other pickle.
  kForeign,  ///< Something known that cannot hold weights for us.
  kUnknown,
};

struct RecognisedFile {
  FileKind kind = FileKind::kUnknown;
  std::string advice;  ///< For kForeign: what it is and what to do.
};

/// Looks at the first bytes of `content` (the whole file) only.
RecognisedFile recognise_file(std::string_view content);

}  // namespace longformer
