// SPDX-License-Identifier: MIT
#include "longformer/config/predict_options.h"
#include "longformer/data/input_files.h"
#include "longformer/train/data_loading.h"
#include "longformer/train/evaluator.h"
#include "longformer/train/label_matching.h"

#include "command_start.h"
#include "commands.h"
#include "model_for_use.h"
#include "output_file.h"
#include "overwriting.h"

namespace longformer {

ExitCode evaluate_command(const Arguments& arguments) {
  const auto options = start_command<EvaluateOptions>(
      "evaluate", "Measures a model on labelled documents.", arguments);
  if (!options) return ExitCode::kSuccess;
  check_devices(options->compute.devices);
  OutputFile output(
      options->task.output,
      with_model_files(expand_inputs(options->task.data),
                       {options->task.model, options->task.tokenizer}));
  const int threads = set_compute_threads(options->compute.threads);
  const ModelForUse model =
      load_model_for_use(options->task.model, options->task.tokenizer);
  const ModelConfig& config = model.classifier->config();
  const bool may_be_empty = problem_type_of(config) == ProblemType::kMultiLabel;
  Dataset dataset = load_dataset(
      "evaluation", options->task.data,
      {options->reading,
       {options->task.label_column, may_be_empty},
       model.tokenizer.get(),
       encode_options(config, options->task.max_length, model.tokenizer.get()),
       threads,
       /*cache_dir=*/""});
  const LabelMap labels = match_labels(config, dataset);
  dataset.set_targets(labels);
  const Answers answers =
      answer(*model.classifier, dataset, labels.problem_type(),
             options->compute.micro_batch_tokens, at::kCPU);
  const Json report =
      evaluate_answers(answers, dataset, labels.problem_type(), labels.names())
          .to_json();
  model.check_unchanged();
  output.write(report.dump(2) + "\n");
  output.finish();
  return ExitCode::kSuccess;
}

}  // namespace longformer
