// SPDX-License-Identifier: MIT
#include "longformer/base/error.h"
#include "longformer/io/file_system.h"
#include "longformer/tokenizer/tokenizer.h"

#include "byte_level_bpe.h"
#include "directory_files.h"

namespace longformer {

bool has_tokenizer(const std::string& directory) {
  return exists(join_path(directory, "tokenizer.json")) ||
         exists(join_path(directory, "vocab.json")) ||
         !find_sentencepiece_model(directory).empty();
}

std::unique_ptr<Tokenizer> load_tokenizer(const std::string& directory,
                                          const TokenizerOptions& options) {
  const TokenizerConfig config = read_tokenizer_config(directory);
  const std::string json_path = join_path(directory, "tokenizer.json");
  BpeDefinition d =
      exists(json_path)
          ? read_byte_level_json(read_json_object(json_path), json_path)
          : read_vocabulary_and_merges(directory, config);
  return std::make_unique<ByteLevelBpe>(std::move(d), config, options,
                                        std::vector<TokenizerFile>{});
}

}  // namespace longformer
