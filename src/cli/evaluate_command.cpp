// SPDX-License-Identifier: MIT
#include <optional>

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
#include "shared_command.h"

namespace longformer {

namespace {

void evaluate(const EvaluateOptions& options, Communicator* communicator,
              const ComputeDevice& device) {
  const EvaluateTask& task = options.task;
  std::optional<OutputFile> output;
  if (communicator == nullptr || communicator->rank() == 0) {
    output.emplace(task.output, with_model_files(expand_inputs(task.data),
                                                 {task.model, task.tokenizer}));
  }
  const ModelForUse model =
      load_model_for_use(task.model, task.tokenizer, device.device);
  const ModelConfig& config = model.classifier->config();
  const bool may_be_empty = problem_type_of(config) == ProblemType::kMultiLabel;
  Dataset dataset = load_dataset(
      "evaluation", task.data,
      {options.reading,
       {task.label_column, may_be_empty},
       model.tokenizer.get(),
       encode_options(config, task.max_length, model.tokenizer.get()),
       device.threads,
       /*cache_dir=*/""},
      communicator);
  const LabelMap labels = match_labels(config, dataset);
  dataset.set_targets(labels);
  const Answers answers =
      answer(*model.classifier, dataset, labels.problem_type(),
             options.compute.micro_batch_tokens, communicator);
  model.check_unchanged();
  if (!output) return;
  const Json report =
      evaluate_answers(answers, dataset, labels.problem_type(), labels.names())
          .to_json();
  output->write(report.dump(2) + "\n");
  output->finish();
}

}  // namespace

ExitCode evaluate_command(const Arguments& arguments) {
  const auto parsed = parse_command_line<EvaluateOptions>(
      {"evaluate", "Measures a model on labelled documents.", arguments});
  if (parsed.help_requested) {
    print(parsed.help);
    return ExitCode::kSuccess;
  }
  const EvaluateOptions& options = parsed.options;
  const SharedCommand command{
      "evaluate",
      arguments,
      options.launch,
      options.compute,
      /*reads_standard_input=*/false,
      [&] {
        log_options(parsed.warnings, describe_changes(options, parsed.sources));
      }};
  return run_shared(
      command, [&](Communicator* communicator, const ComputeDevice& device) {
        evaluate(options, communicator, device);
      });
}

}  // namespace longformer
