// SPDX-License-Identifier: MIT
#include <algorithm>
#include <charconv>

#include "longformer/base/error.h"
#include "longformer/base/log.h"
#include "longformer/io/digest.h"
#include "longformer/io/file_system.h"
#include "longformer/tokenizer/tokenizer.h"

#include "byte_level_bpe.h"
#include "sentencepiece_tokenizer.h"
#include "tokenizer_json.h"
#include "unigram_tokenizer.h"

namespace longformer {
namespace {

/// The files a tokenizer may consist of besides a SentencePiece model.
constexpr const char* kFileNames[] = {
    "tokenizer.json",        "vocab.json",        "merges.txt",
    "tokenizer_config.json", "added_tokens.json", "special_tokens_map.json"};

/// Classes whose SentencePiece ids are those of the model itself.
constexpr const char* kPlainClasses[] = {"", "PreTrainedTokenizer",
                                         "TokenizersBackend"};

bool has(const std::string& directory, const char* name) {
  return exists(join_path(directory, name));
}

/// SentencePiece models in a directory; one of a usual name counts alone.
std::vector<std::string> find_model_files(const std::string& directory) {
  for (const char* name :
       {"sentencepiece.bpe.model", "spiece.model", "tokenizer.model"}) {
    if (has(directory, name)) return {name};
  }
  std::vector<std::string> models;
  for (const DirectoryEntry& entry : list_directory(directory)) {
    if (!entry.is_directory && entry.name.ends_with(".model")) {
      models.push_back(entry.name);
    }
  }
  return models;
}

/// "" if there is none.
std::string find_model_file(const std::string& directory) {
  const std::vector<std::string> models = find_model_files(directory);
  if (models.size() > 1) {
    throw ModelError(directory + ": has several SentencePiece models (" +
                     models[0] + ", " + models[1] +
                     "); keep one, or name it sentencepiece.bpe.model");
  }
  return models.empty() ? "" : models[0];
}

std::vector<TokenizerFile> read_files(const std::string& directory,
                                      const std::string& model_name) {
  std::vector<TokenizerFile> files;
  const auto add = [&](const std::string& name) {
    try {
      files.push_back({name, read_file(join_path(directory, name))});
    } catch (const FileError& error) {
      throw ModelError(error.what());
    }
  };
  for (const char* name : kFileNames) {
    if (has(directory, name)) add(name);
  }
  if (!model_name.empty()) add(model_name);
  return files;
}

const std::string& content_of(const std::vector<TokenizerFile>& files,
                              const std::string& name) {
  return std::find_if(
             files.begin(), files.end(),
             [&](const TokenizerFile& file) { return file.name == name; })
      ->content;
}

std::unique_ptr<Tokenizer> load_model_file(const std::string& directory,
                                           const std::string& name,
                                           const TokenizerConfig& config,
                                           const TokenizerOptions& options,
                                           std::vector<TokenizerFile> files) {
  const std::string path = join_path(directory, name);
  IdLayout layout = IdLayout::kPlain;
  if (config.tokenizer_class == "XLMRobertaTokenizer") {
    layout = IdLayout::kXlmr;
  } else if (std::find(std::begin(kPlainClasses), std::end(kPlainClasses),
                       config.tokenizer_class) == std::end(kPlainClasses)) {
    throw ModelError(path + ": tokenizer_class " + config.tokenizer_class +
                     " in tokenizer_config.json numbers SentencePiece's pieces "
                     "in a way that is not supported; supported are "
                     "XLMRobertaTokenizer and, without a class, the model's "
                     "own numbers");
  }
  const std::string content = content_of(files, name);
  return std::make_unique<SentencePieceTokenizer>(content, path, layout, config,
                                                  options, std::move(files));
}

}  // namespace

bool has_tokenizer(const std::string& directory) {
  return is_directory(directory) &&
         (has(directory, "tokenizer.json") || has(directory, "vocab.json") ||
          has(directory, "merges.txt") || !find_model_files(directory).empty());
}

bool is_tokenizer_file_name(std::string_view name) {
  return name.ends_with(".model") ||
         std::find(std::begin(kFileNames), std::end(kFileNames), name) !=
             std::end(kFileNames);
}

std::unique_ptr<Tokenizer> load_tokenizer(const std::string& directory,
                                          const TokenizerOptions& options) {
  if (!is_directory(directory)) {
    throw ModelError(directory +
                     ": no such directory; name the directory of a "
                     "tokenizer or of a model that has one");
  }
  const std::string model_name = find_model_file(directory);
  const TokenizerConfig config = read_tokenizer_config(directory);
  std::vector<TokenizerFile> files = read_files(directory, model_name);
  const std::string json_path = join_path(directory, "tokenizer.json");
  if (has(directory, "tokenizer.json")) {
    const Json root = read_json_object(json_path);
    const std::string type = model_type(root);
    if (type == "Unigram") {
      return std::make_unique<UnigramTokenizer>(
          read_unigram_json(root, json_path, config), config, options,
          std::move(files));
    }
    if (!model_name.empty()) {
      return load_model_file(directory, model_name, config, options,
                             std::move(files));
    }
    if (type != "BPE" && type != "") {
      throw ModelError(json_path + ": a tokenizer of type " + type +
                       " is not supported; supported are byte-level BPE and "
                       "SentencePiece");
    }
    return std::make_unique<ByteLevelBpe>(read_byte_level_json(root, json_path),
                                          config, options, std::move(files));
  }
  if (!model_name.empty()) {
    return load_model_file(directory, model_name, config, options,
                           std::move(files));
  }
  if (has(directory, "vocab.json") || has(directory, "merges.txt")) {
    return std::make_unique<ByteLevelBpe>(
        read_vocabulary_and_merges(directory, config), config, options,
        std::move(files));
  }
  throw ModelError(directory +
                   ": has no tokenizer: neither tokenizer.json, nor "
                   "vocab.json with merges.txt, nor a SentencePiece *.model");
}

}  // namespace longformer
