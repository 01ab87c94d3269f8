// SPDX-License-Identifier: MIT
#include "longformer/base/log.h"
#include "longformer/base/quoting.h"
#include "longformer/base/threads.h"
#include "longformer/config/command_options.h"
#include "longformer/data/input_files.h"
#include "longformer/data/record_reader.h"
#include "longformer/data/summary.h"
#include "longformer/io/file_system.h"
#include "longformer/io/model_files.h"
#include "longformer/train/checkpoint_manifest.h"
#include "longformer/train/model_place.h"
#include "longformer/train/pretrained.h"
#include "longformer/train/training_state.h"

#include "command_start.h"
#include "commands.h"
#include "standard_output.h"

namespace longformer {
namespace {

/// Names out of files must not command the terminal.
void print_line(const std::string& line) { print(printable(line) + "\n"); }

bool ends_with_any(const std::string& path,
                   std::initializer_list<const char*> endings) {
  for (const char* ending : endings) {
    if (path.ends_with(ending)) return true;
  }
  return false;
}

void print_tensors(const std::string& path) {
  const ModelFiles files = ModelFiles::open(path);
  for (const std::string& note : files.notes()) log_warning(note);
  std::int64_t elements = 0;
  std::int64_t bytes = 0;
  for (const ModelFiles::Tensor& tensor : files.tensors()) {
    const WeightEntry& entry = *tensor.entry;
    print_line(entry.name + "  " + std::string(dtype_name(entry.dtype)) + " " +
               shape_text(entry.shape));
    elements += entry.num_elements;
    bytes += entry.num_bytes;
  }
  print_line(files.path() + ": " + std::to_string(files.tensors().size()) +
             " tensors, " + std::to_string(elements) + " values, " +
             std::to_string(bytes) + " bytes");
}

void print_model(const std::string& directory) {
  // Also what is still to be lengthened.
  const ModelConfig config =
      read_model_config(directory, {.use = ConfigUse::kShortModel});
  print_tensors(directory);
  std::string windows;
  for (const std::int64_t window : config.attention_window) {
    windows += (windows.empty() ? "" : ", ") + std::to_string(window);
  }
  print_line("layers " + std::to_string(config.num_hidden_layers) +
             ", hidden " + std::to_string(config.hidden_size) + ", heads " +
             std::to_string(config.num_attention_heads) + ", vocabulary " +
             std::to_string(config.vocab_size) + ", longest document " +
             std::to_string(config.usable_length()) + " tokens");
  print_line(windows.empty()
                 ? "attention windows: none; `longformer convert` lengthens "
                   "the model"
                 : "attention windows (both sides together): " + windows);
  std::string labels;
  for (const std::string& label : config.labels) {
    labels += (labels.empty() ? "" : ", ") + label;
  }
  print_line("labels: " + labels);
}

void print_checkpoint(const std::string& directory) {
  const auto problem = problem_of_checkpoint(directory);
  const std::string path = join_path(directory, "training_state.json");
  print_line(parse_training_state(read_file(path), path).to_json().dump(2));
  print_model(join_path(directory, "model"));
  if (problem) throw ModelError(directory + ": not complete: " + *problem);
  print_line("complete: every file has its size and digest");
}

void print_data(const InspectOptions& options) {
  ReaderSettings settings;
  settings.reading = options.reading;
  settings.label_column = options.task.label_column;
  RecordReader reader(expand_inputs({options.task.path}), settings);
  std::unique_ptr<Tokenizer> tokenizer;
  if (!options.task.tokenizer.empty()) {
    tokenizer = load_tokenizer(options.task.tokenizer);
  }
  const DataSummary summary =
      summarize(reader, tokenizer.get(), available_threads());
  print(printable(to_text(summary)));
}

}  // namespace

ExitCode inspect_command(const Arguments& arguments) {
  const auto options = start_command<InspectOptions>(
      "inspect", "Shows what a weight, model, checkpoint or data file holds.",
      arguments);
  if (!options) return ExitCode::kSuccess;
  const std::string& path = options->task.path;
  if (exists(join_path(path, "training_state.json"))) {
    print_checkpoint(path);
  } else if (exists(join_path(path, "config.json"))) {
    print_model(path);
  } else if (file_name(path) == "config.json" && exists(path)) {
    print_model(parent_path(path));
  } else if (const auto place = find_model_place(path)) {
    if (place->model.empty()) refuse_model_place(path);
    print_model(place->model);
  } else if (ends_with_any(path, {".safetensors", ".bin", ".pt", ".pth",
                                  ".index.json", ".ckpt"})) {
    print_tensors(path);
  } else {
    print_data(*options);
  }
  return ExitCode::kSuccess;
}

}  // namespace longformer
