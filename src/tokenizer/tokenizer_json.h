// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "longformer/base/strict_json.h"
#include "longformer/tokenizer/tokenizer.h"

#include "added_tokens.h"

namespace longformer {

/// The parts of a tokenizer.json (the one-file format of the `tokenizers`
/// library) that do not depend on the kind of model. `path` names the file in
/// messages. All functions throw ModelError where the file is malformed or asks
/// for something that this program does not do.

struct PostProcessor {
  TokenTemplate tokens;
  bool trim_offsets = false;
  bool keep_first_blank = false;
};

/// "model"."type": "BPE", "Unigram", ...; "" if it is missing.
std::string model_type(const Json& root);

std::vector<AddedToken> read_added_tokens(const Json& root,
                                          const std::string& path);

/// RobertaProcessing, ByteLevel, TemplateProcessing, a sequence of them, or
/// none.
PostProcessor read_post_processor(const Json& root, const std::string& path);

/// A member that must be there, and of this type.
const Json& member(const Json& object, const char* key,
                   const std::string& where);
std::string string_member(const Json& object, const char* key,
                          const std::string& where);
/// A flag, or `otherwise` where it is missing or null.
bool flag_member(const Json& object, const char* key, bool otherwise,
                 const std::string& where);
/// Whether the member is missing or null.
bool absent(const Json& object, const char* key);

}  // namespace longformer
