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
#include "shared_command.h"

namespace longformer {

namespace {

PredictionSettings settings_of(const PredictOptions& options, int threads) {
  return {options.task.max_length, options.compute.micro_batch_tokens, threads,
          options.task.logits};
}

/// Of the process that reads and writes.
void predict_as_main(const PredictOptions& options, Communicator* communicator,
                     const ComputeDevice& device) {
  const PredictTask& task = options.task;
  const std::vector<std::string> data = expand_inputs(task.data);
  OutputFile output(task.output,
                    with_model_files(data, {task.model, task.tokenizer}));
  const ModelForUse model =
      load_model_for_use(task.model, task.tokenizer, device.device);
  ReaderSettings settings;
  settings.reading = options.reading;
  settings.label_column.clear();
  settings.keep_bad_rows = true;
  RecordReader reader(data, settings);
  const PredictionCounts counts = predict(
      *model.classifier, model.tokenizer.get(),
      labels_of_model(model.classifier->config()), reader,
      settings_of(options, device.threads),
      [&](std::string_view line) {
        model.check_unchanged();
        output.write(line);
      },
      communicator);
  output.finish();
  log_info(std::to_string(counts.rows) + " rows answered, " +
           std::to_string(counts.truncated) + " of them truncated, " +
           std::to_string(counts.bad_rows) + " bad");
}

void predict_as_helper(const PredictOptions& options,
                       Communicator& communicator,
                       const ComputeDevice& device) {
  const ModelForUse model = load_model_for_use(
      options.task.model, options.task.tokenizer, device.device);
  help_predict(*model.classifier, model.tokenizer.get(),
               settings_of(options, device.threads), communicator);
  model.check_unchanged();
}

}  // namespace

ExitCode predict_command(const Arguments& arguments) {
  const auto parsed = parse_command_line<PredictOptions>(
      {"predict", "Labels documents, one line of JSON each.", arguments});
  if (parsed.help_requested) {
    print(parsed.help);
    return ExitCode::kSuccess;
  }
  const PredictOptions& options = parsed.options;
  const bool reads_standard_input =
      options.task.data == std::vector<std::string>{"-"};
  const SharedCommand command{
      "predict",
      arguments,
      options.launch,
      options.compute,
      reads_standard_input,
      [&] {
        log_options(parsed.warnings, describe_changes(options, parsed.sources));
      }};
  return run_shared(
      command, [&](Communicator* communicator, const ComputeDevice& device) {
        if (communicator == nullptr || communicator->rank() == 0) {
          predict_as_main(options, communicator, device);
        } else {
          predict_as_helper(options, *communicator, device);
        }
      });
}

}  // namespace longformer
