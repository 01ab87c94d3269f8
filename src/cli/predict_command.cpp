// SPDX-License-Identifier: MIT
#include "longformer/base/log.h"
#include "longformer/config/predict_options.h"
#include "longformer/data/input_files.h"
#include "longformer/train/label_matching.h"
#include "longformer/train/predictor.h"

#include "command_start.h"
#include "commands.h"
#include "model_for_use.h"
#include "output_file.h"
#include "overwriting.h"

namespace longformer {

ExitCode predict_command(const Arguments& arguments) {
  const auto options = start_command<PredictOptions>(
      "predict", "Labels documents, one line of JSON each.", arguments);
  if (!options) return ExitCode::kSuccess;
  check_devices(options->compute.devices);
  const std::vector<std::string> data = expand_inputs(options->task.data);
  OutputFile output(
      options->task.output,
      with_model_files(data, {options->task.model, options->task.tokenizer}));
  const int threads = set_compute_threads(options->compute.threads);
  const ModelForUse model =
      load_model_for_use(options->task.model, options->task.tokenizer);
  ReaderSettings settings;
  settings.reading = options->reading;
  settings.label_column.clear();
  settings.keep_bad_rows = true;
  RecordReader reader(data, settings);
  const PredictionCounts counts =
      predict(*model.classifier, model.tokenizer.get(),
              labels_of_model(model.classifier->config()), reader,
              {options->task.max_length, options->compute.micro_batch_tokens,
               threads, options->task.logits},
              [&](std::string_view line) {
                model.check_unchanged();
                output.write(line);
              });
  output.finish();
  log_info(std::to_string(counts.rows) + " rows answered, " +
           std::to_string(counts.truncated) + " of them truncated, " +
           std::to_string(counts.bad_rows) + " bad");
  return ExitCode::kSuccess;
}

}  // namespace longformer
