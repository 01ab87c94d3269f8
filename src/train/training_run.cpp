// SPDX-License-Identifier: MIT
#include "longformer/train/training_run.h"

#include <chrono>
#include <csignal>
#include <cstdio>

#include "longformer/base/fault_point.h"
#include "longformer/base/log.h"
#include "longformer/base/version.h"
#include "longformer/config/option_reader.h"
#include "longformer/distributed/agreement.h"
#include "longformer/distributed/replicas.h"
#include "longformer/io/atomic_write.h"
#include "longformer/io/file_system.h"
#include "longformer/train/best_model.h"
#include "longformer/train/checkpoint_store.h"
#include "longformer/train/counting_allocator.h"
#include "longformer/train/disk_space.h"
#include "longformer/train/evaluator.h"
#include "longformer/train/metric_lines.h"
#include "longformer/train/metric_names.h"
#include "longformer/train/metrics_log.h"
#include "longformer/train/progress.h"
#include "longformer/train/run_folders.h"
#include "longformer/train/saved_tensors.h"
#include "longformer/train/stop_signal.h"
#include "longformer/train/training_checkpoint.h"

#include "resume_checks.h"

namespace longformer {
namespace {

std::string hex(std::uint64_t value) {
  char text[17];
  std::snprintf(text, sizeof(text), "%016llx",
                static_cast<unsigned long long>(value));
  return text;
}

double seconds_now() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

class TrainingRun {
 public:
  TrainingRun(TrainingSetup setup, const TrainingDisplay& display)
      : setup_(std::move(setup)),
        options_(options_to_json(setup_.options)),
        folders_(run_folders(setup_.options.run)),
        store_(folders_.checkpoints),
        trainer_(setup_.classifier, setup_.train_data, setup_.trainer,
                 setup_.communicator.get()),
        best_(setup_.best_metric, larger_is_better(setup_.best_metric),
              setup_.options.run.early_stopping_patience),
        balance_([](std::string_view line) { log_warning(line); }),
        terminal_columns_(display.terminal_columns),
        metric_lines_(setup_.is_main() ? display.print_metrics : nullptr,
                      setup_.total_steps) {}

  ExitCode run() {
    const StopSignal stop;
    start();
    ProgressDisplay progress = make_progress();
    // Other lines of the log do not run into the progress line.
    const LogPrelude prelude([&progress] { progress.clear(); });
    bool is_stop_wanted = false;
    while (state_.step < setup_.total_steps && !best_.should_stop()) {
      // Several ranks stop together, when a step has told all of them.
      if (!setup_.communicator) is_stop_wanted = stop.received() != 0;
      if (is_stop_wanted) return interrupted(stop.received(), progress);
      is_stop_wanted = take_step(stop.received() != 0, progress);
      if (is_due(setup_.options.run.validate_every)) {
        progress.clear();
        validate();
      }
      if (is_due(setup_.options.run.checkpoint_every)) save_checkpoint();
    }
    progress.clear();
    finish();
    if (setup_.communicator) setup_.communicator->leave();
    return ExitCode::kSuccess;
  }

 private:
  /// Continues from a checkpoint if there is one to.
  void start() {
    const auto& checkpoint = setup_.checkpoint;
    state_.total_steps = setup_.total_steps;
    state_.seed = setup_.options.run.seed;
    state_.dataset_fingerprint = hex(setup_.train_data.fingerprint());
    if (checkpoint) continue_from(*checkpoint);
    agree_on_start();
    if (setup_.is_main()) open_output();
    await_all();
  }

  void open_output() {
    check_room();
    const auto& checkpoint = setup_.checkpoint;
    store_.set_aside_after(checkpoint ? checkpoint->step : 0);
    if (checkpoint) unpack_run(checkpoint->directory, folders_);
    metrics_ = std::make_unique<MetricsLog>(
        join_path(folders_.output, kMetricsLogName),
        checkpoint ? std::optional(checkpoint->step) : std::nullopt);
    write_file_atomically(join_path(folders_.output, "run.json"),
                          options_.dump(2) + "\n");
    log_info("training: " + std::to_string(setup_.total_steps) + " steps of " +
             std::to_string(setup_.options.optimizer.batch_size) +
             " documents, " + std::to_string(trainer_.steps_per_epoch()) +
             " an epoch; " + trainer_.optimizer().describe_groups());
  }

  void check_room() {
    const auto bytes_of = [](const std::vector<NamedParameter>& tensors) {
      std::uint64_t bytes = 0;
      for (const auto& tensor : tensors) bytes += tensor.tensor.nbytes();
      return bytes;
    };
    DiskNeed need;
    need.model_bytes = bytes_of(named_parameters(*setup_.classifier));
    need.checkpoint_bytes =
        need.model_bytes + bytes_of(trainer_.optimizer().state());
    if (trainer_.average() != nullptr) {
      need.checkpoint_bytes += bytes_of(trainer_.average()->state());
    }
    if (folders_.are_checkpoints_elsewhere && setup_.validation_data) {
      need.checkpoint_bytes += need.model_bytes;  // The best one.
    }
    need.kept = setup_.options.run.keep_checkpoints;
    need.present = static_cast<std::int64_t>(store_.steps().size());
    const std::string& place = folders_.are_checkpoints_elsewhere
                                   ? folders_.checkpoints
                                   : folders_.output;
    const auto warning = check_disk_space(place, free_bytes(place), need);
    if (warning) log_warning(*warning);
  }

  void continue_from(const Checkpoint& checkpoint) {
    const TrainingState saved = checkpoint_state(checkpoint.directory);
    if (saved.dataset_fingerprint != state_.dataset_fingerprint) {
      refuse_other_data(checkpoint.directory, setup_.options);
    }
    read_checkpoint(checkpoint.directory, saved, trainer_);
    const std::int64_t total_steps = state_.total_steps;
    state_ = saved;
    state_.total_steps = total_steps;
    if (state_.best_model.is_object()) {
      best_.restore(state_.best_model,
                    join_path(checkpoint.directory, "training_state.json"));
    }
    log_info("resumed from " + checkpoint.directory + " at step " +
             std::to_string(state_.step));
  }

  /// Returns when all ranks are here: one may have had something to do for all.
  void await_all() {
    if (setup_.communicator) setup_.communicator->await_all();
  }

  void set_activity(const std::string& activity) {
    if (!setup_.communicator) return;
    setup_.communicator->set_activity(activity + " after step " +
                                      std::to_string(state_.step));
  }

  std::vector<Replica> replicas() {
    std::vector<Replica> all;
    for (const NamedParameter& parameter :
         named_parameters(*setup_.classifier)) {
      all.push_back({parameter.name, parameter.tensor.detach()});
    }
    return all;
  }

  /// Every rank must be about to compute the same.
  void agree_on_start() {
    if (!setup_.communicator) return;
    CommonValues values{
        {"the program's version", std::string(program_version())}};
    for (const auto& [name, value] : options_.items()) {
      if (may_differ_between_ranks(name)) continue;
      values.emplace_back("option " + name, value.dump());
    }
    values.emplace_back("the data's fingerprint", state_.dataset_fingerprint);
    for (const auto& [name, dataset] :
         {std::pair("validation", &setup_.validation_data),
          std::pair("test", &setup_.test_data)}) {
      if (!*dataset) continue;
      values.emplace_back("the " + std::string(name) + " data's fingerprint",
                          hex((*dataset)->fingerprint()));
    }
    values.emplace_back("the step to start from", std::to_string(state_.step));
    check_agreement(*setup_.communicator, values);
    verify_replicas();
    copy_from_main(*setup_.communicator, replicas());
    log_info("rank " + std::to_string(setup_.communicator->rank()) + " of " +
             std::to_string(setup_.communicator->size()) +
             ": all agree on options, data and weights");
  }

  /// Throws on all ranks if their weights differ.
  void verify_replicas() {
    const auto difference =
        find_replica_difference(*setup_.communicator, replicas());
    if (!difference) return;
    if (state_.step == 0) {
      throw ConfigError("the processes of the job do not agree: " +
                        *difference + "; start all with the same model");
    }
    throw Error(ExitCode::kInternal,
                "step " + std::to_string(state_.step) + ": " + *difference +
                    ": a processor or its memory makes errors, or a process "
                    "was tampered with; continue from the last checkpoint "
                    "with --resume auto, on other machines");
  }

  ProgressDisplay make_progress() const {
    ProgressOptions options;
    options.is_terminal = terminal_columns_ > 0;
    if (options.is_terminal) options.columns = terminal_columns_;
    options.total_steps = setup_.total_steps;
    options.first_step = state_.step;
    if (options.is_terminal) {
      return {options, [](std::string_view text) {
                std::fwrite(text.data(), 1, text.size(), stderr);
              }};
    }
    return {options, [](std::string_view line) { log_info(line); }};
  }

  /// Returns whether a rank was told to stop.
  bool take_step(bool wants_stop, ProgressDisplay& progress) {
    CountingAllocator::reset_peak();
    const double begin = seconds_now();
    const StepRecord record = step_or_advise(wants_stop);
    const double seconds = seconds_now() - begin;
    const AllocatorStatistics memory = CountingAllocator::statistics();
    state_.step = record.step;
    state_.updates = trainer_.optimizer().updates();
    state_.epoch = record.step / trainer_.steps_per_epoch();
    state_.step_in_epoch = record.step % trainer_.steps_per_epoch();
    state_.documents += record.documents;
    state_.tokens += record.tokens;
    append_metrics(
        {{"step", record.step},
         {"epoch", record.epoch},
         {"loss", record.loss},
         {"learning_rate", record.learning_rate},
         {"grad_norm", record.grad_norm},
         {"documents", record.documents},
         {"tokens", record.tokens},
         {"micro_batches", record.micro_batches},
         {"seconds", seconds},
         {"tokens_per_second", static_cast<double>(record.tokens) / seconds},
         {"memory_bytes", memory.current_bytes},
         {"peak_memory_bytes", memory.peak_bytes},
         {"exchanged_bytes", record.exchanged_bytes},
         {"ranks", to_json(record.ranks)}});
    progress.update({record.step, record.epoch, record.loss,
                     record.learning_rate, record.tokens, record.ranks});
    metric_lines_.add_step(record.step, record.loss, record.learning_rate,
                           record.tokens, begin + seconds);
    if (setup_.is_main()) balance_.add(record.ranks);
    const std::int64_t verify = setup_.options.exchange.verify_replicas;
    if (setup_.communicator && verify > 0 && record.step % verify == 0) {
      verify_replicas();
    }
    return record.is_stop_wanted;
  }

  static Json to_json(const std::vector<RankLoad>& ranks) {
    Json list = Json::array();
    for (const RankLoad& load : ranks) {
      list.push_back({{"busy", load.busy()},
                      {"data_wait_seconds", load.data_seconds},
                      {"exchange_wait_seconds", load.exchange_seconds},
                      {"peak_memory_bytes", load.peak_memory_bytes}});
    }
    return list;
  }

  void append_metrics(const Json& record) {
    if (metrics_) metrics_->append(record);
  }

  /// A step; if the run diverges in it, the error says how to go on.
  StepRecord step_or_advise(bool wants_stop) {
    try {
      return trainer_.step(wants_stop);
    } catch (const DivergenceError& error) {
      const bool has_checkpoint = !store_.steps().empty();
      throw DivergenceError(
          error.what() +
          std::string(has_checkpoint
                          ? ", and continue from the last checkpoint with "
                            "--resume auto"
                          : ", and start again in another output_dir"));
    }
  }

  /// Whether something that happens every `interval` steps (0: every epoch) is
  /// due now; the last step always counts.
  bool is_due(std::int64_t interval) const {
    if (state_.step == setup_.total_steps) return true;
    if (interval == 0) interval = trainer_.steps_per_epoch();
    return state_.step % interval == 0;
  }

  /// Of all ranks together.
  MetricsReport measure(const Dataset& dataset) {
    const ProblemType type = setup_.labels->problem_type();
    return evaluate_answers(answer(*setup_.classifier, dataset, type,
                                   setup_.options.compute.micro_batch_tokens,
                                   setup_.communicator.get()),
                            dataset, type, setup_.labels->names());
  }

  void validate() {
    if (!setup_.validation_data) return;
    set_activity("the validation");
    measure_and_keep_best();
    if (!setup_.communicator) return;
    await_all();
    // Whether to stop has to be the same decision on all kinds of processors.
    const std::string best =
        setup_.communicator->broadcast(best_.to_json().dump(), 0);
    best_.restore(Json::parse(best), "rank 0's best model");
    state_.best_model = best_.to_json();
  }

  void measure_and_keep_best() {
    const double begin = seconds_now();
    const AveragedWeights averaged(trainer_.average());
    const MetricsReport report = measure(*setup_.validation_data);
    if (!setup_.is_main()) return;
    const auto value = report.value(setup_.best_metric);
    const bool is_best = best_.observe(state_.step, value);
    state_.best_model = best_.to_json();
    metrics_->append(
        {{"step", state_.step},
         {"epoch", static_cast<double>(state_.step) /
                       static_cast<double>(trainer_.steps_per_epoch())},
         {"seconds", seconds_now() - begin},
         {"validation", report.to_json()}});
    log_validation(report, is_best);
    metric_lines_.add_report("validation", state_.step, report);
    if (is_best) save_model();
  }

  void log_validation(const MetricsReport& report, bool is_best) const {
    log_info("validation at step " + std::to_string(state_.step) + ":" +
             shown_metrics(report) + (is_best ? ", best so far" : ""));
  }

  /// " loss 0.4, f1_macro 0.8".
  std::string shown_metrics(const MetricsReport& report) const {
    std::string text;
    std::vector<std::string> names{"loss"};
    if (setup_.best_metric != "loss") names.push_back(setup_.best_metric);
    for (const std::string& name : names) {
      const auto value = report.value(name);
      text += (text.empty() ? " " : ", ") + name + " " +
              (value ? std::to_string(*value)
                     : "undefined (" + report.reason(name) + ")");
    }
    return text;
  }

  void save_model() {
    if (folders_.is_model_elsewhere) {
      create_directories(folders_.model);
      write_model_directory(*setup_.classifier, setup_.tokenizer.get(),
                            folders_.model);
      return;
    }
    AtomicDirectory directory(folders_.model, IfExists::kReplace);
    write_model_directory(*setup_.classifier, setup_.tokenizer.get(),
                          directory.path());
    directory.commit();
  }

  void save_checkpoint() {
    set_activity("the checkpoint");
    if (setup_.is_main()) {
      write_newest_checkpoint();
    } else {
      fault_point("save");
    }
    await_all();
  }

  void write_newest_checkpoint() {
    metrics_->check_in_place();  // Not into a folder that is made anew.
    store_.save(state_.step, [&](const std::string& directory) {
      write_checkpoint(trainer_, setup_.tokenizer.get(), state_, options_,
                       directory);
      pack_run(folders_, best_.best_step().has_value(), directory);
      fault_point("save");
    });
    store_.prune(setup_.options.run.keep_checkpoints);
  }

  ExitCode interrupted(int signal_number, ProgressDisplay& progress) {
    progress.clear();
    save_checkpoint();
    if (setup_.is_main()) save_stopped_model();
    log_warning("stopped by a signal after step " +
                std::to_string(state_.step) + "; continue with --resume auto");
    if (setup_.communicator) setup_.communicator->leave();
    // A rank that got no signal itself stops as if told by the system.
    return signal_number == SIGINT   ? ExitCode::kInterrupted
           : signal_number == SIGHUP ? ExitCode::kHungUp
                                     : ExitCode::kTerminated;
  }

  /// Platforms keep the model of a job that they stop, if there is one.
  void save_stopped_model() {
    if (!folders_.is_model_elsewhere || best_.best_step()) return;
    const AveragedWeights averaged(trainer_.average());
    save_model();
  }

  /// Exports the model that counts and measures it.
  void finish() {
    set_activity("the end");
    if (metrics_) metrics_->check_in_place();
    if (trainer_.average() != nullptr) trainer_.average()->swap();
    if (setup_.is_main()) keep_final_model();
    if (setup_.communicator) {
      await_all();
      copy_from_main(*setup_.communicator, replicas());
    }
    write_metrics("validation", setup_.validation_data);
    write_metrics("test", setup_.test_data);
    if (!setup_.is_main()) return;
    metrics_->check_in_place();
    log_info("the model is in " + folders_.model);
  }

  /// Leaves in memory what is in the folder of the model.
  void keep_final_model() {
    const std::string& model = folders_.model;
    if (!best_.best_step() || !exists(model)) return save_model();
    if (*best_.best_step() == state_.step) return;
    log_info("the best model is that of step " +
             std::to_string(*best_.best_step()));
    load_tensors(named_parameters(*setup_.classifier),
                 join_path(model, "model.safetensors"));
  }

  void write_metrics(const char* name, const std::optional<Dataset>& dataset) {
    if (!dataset) return;
    const MetricsReport report = measure(*dataset);
    if (!setup_.is_main()) return;
    metric_lines_.add_report(name, best_.best_step().value_or(state_.step),
                             report);
    write_file_atomically(
        join_path(folders_.output, std::string(name) + ".json"),
        report.to_json().dump(2) + "\n");
    log_info(std::string(name) + " of the model:" + shown_metrics(report));
  }

  TrainingSetup setup_;
  Json options_;
  RunFolders folders_;
  CheckpointStore store_;
  Trainer trainer_;
  BestModel best_;
  BalanceWatch balance_;
  std::size_t terminal_columns_;
  MetricLines metric_lines_;
  TrainingState state_;
  std::unique_ptr<MetricsLog> metrics_;
};

}  // namespace

ExitCode run_training(TrainingSetup setup, const TrainingDisplay& display) {
  return TrainingRun(std::move(setup), display).run();
}

}  // namespace longformer
