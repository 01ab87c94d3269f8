// SPDX-License-Identifier: MIT
#include "longformer/train/pretrained.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>

#include <ATen/Functions.h>
#include <ATen/Parallel.h>

#include "longformer/base/error.h"
#include "longformer/base/threads.h"
#include "longformer/io/atomic_write.h"
#include "longformer/io/file_system.h"
#include "longformer/io/half.h"
#include "longformer/io/safetensors_writer.h"
#include "longformer/train/model_place.h"
#include "longformer/train/weight_names.h"

namespace longformer {
namespace {

std::string shape_of(const at::Tensor& tensor) {
  return shape_text(tensor.sizes().vec());
}

std::string first_names(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 4;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kShown); ++i) {
    text += (i == 0 ? "" : ", ") + names[i];
  }
  if (names.size() > kShown) text += ", ...";
  return text;
}

std::string counted(const char* what, const std::vector<std::string>& names) {
  std::string text = std::string(what) + " " + std::to_string(names.size());
  if (!names.empty()) text += " (" + first_names(names) + ")";
  return text;
}

/// One tensor of a file, and the tensor of the model that takes its values.
struct WeightRead {
  const ModelFiles::Tensor* source;
  at::Tensor destination;
  bool is_mapped = false;  ///< `destination` is the file itself.
};

void check_shape(const ModelFiles::Tensor& source, const at::Tensor& wanted,
                 const std::string& advice) {
  if (source.entry->shape == wanted.sizes().vec()) return;
  throw ModelError(source.file->path() + ": " + source.name() + " has shape " +
                   shape_text(source.entry->shape) + ", config.json asks for " +
                   shape_of(wanted) + "; " + advice);
}

[[noreturn]] void refuse_non_finite(const ModelFiles::Tensor& source) {
  throw ModelError(source.file->path() + ": " + source.name() +
                   " holds a value that is not finite; the file is damaged "
                   "or comes from a run that diverged");
}

/// Reads a tensor whose shape has been checked, and checks the values.
void read_values(const ModelFiles::Tensor& source,
                 const at::Tensor& destination) {
  const auto numel = static_cast<std::size_t>(destination.numel());
  std::optional<std::size_t> non_finite;
  if (destination.scalar_type() == at::kDouble) {
    const std::span values(destination.data_ptr<double>(), numel);
    source.read_as_double(values);
    non_finite = find_non_finite(values);
  } else {
    const std::span values(destination.data_ptr<float>(), numel);
    source.read_as_float(values);
    non_finite = find_non_finite(values);
  }
  if (non_finite) refuse_non_finite(source);
}

/// The same for some of the elements of a tensor that is stored as float, in
/// blocks that the processor's cache still holds when they are checked.
void read_floats(const ModelFiles::Tensor& source, std::int64_t first,
                 std::span<float> values) {
  constexpr std::size_t kBlock = std::size_t{64} << 10;
  while (!values.empty()) {
    const auto block = values.first(std::min(kBlock, values.size()));
    source.file->read_part(*source.entry, first * std::int64_t{sizeof(float)},
                           std::as_writable_bytes(block));
    if (find_non_finite(block)) refuse_non_finite(source);
    first += static_cast<std::int64_t>(block.size());
    values = values.subspan(block.size());
  }
}

/// The check alone, of some of the elements of a mapped tensor.
void check_mapped_floats(const ModelFiles::Tensor& source, std::int64_t first,
                         std::span<const float> values) {
  const auto size = static_cast<std::int64_t>(values.size_bytes());
  source.file->present_part(*source.entry, first * std::int64_t{sizeof(float)},
                            size);
  if (find_non_finite(values)) refuse_non_finite(source);
}

/// The values of a float tensor inside its file, which lives as long as the
/// tensor; undefined where they can only be copied.
at::Tensor mapped_tensor(const ModelFiles::Tensor& source,
                         const std::shared_ptr<const ModelFiles>& files) {
  const auto bytes = source.file->mapped(*source.entry);
  // The probe fails on kernels that cannot make pages present.
  if (source.entry->dtype != DType::kF32 || bytes.empty() ||
      !source.file->present_part(*source.entry, 0, 1)) {
    return {};
  }
  return at::from_blob(
      const_cast<std::byte*>(bytes.data()), source.entry->shape,
      [files](void*) {}, at::TensorOptions(at::kFloat));
}

bool is_read_in_parts(const WeightRead& read) {
  return read.source->entry->dtype == DType::kF32 &&
         read.destination.scalar_type() == at::kFloat &&
         read.source->file->can_read_parts(*read.source->entry);
}

/// Cuts large tensors into parts, so that all threads have the same to do.
std::vector<std::function<void()>> parts_of(
    const std::vector<WeightRead>& reads) {
  constexpr std::int64_t kPart = std::int64_t{1} << 20;
  std::vector<std::function<void()>> parts;
  for (const WeightRead& read : reads) {
    const ModelFiles::Tensor& source = *read.source;
    if (!is_read_in_parts(read)) {
      parts.emplace_back([&] { read_values(source, read.destination); });
      continue;
    }
    float* values = read.destination.data_ptr<float>();
    const std::int64_t numel = read.destination.numel();
    for (std::int64_t first = 0; first < numel; first += kPart) {
      const std::span part(values + first, static_cast<std::size_t>(
                                               std::min(kPart, numel - first)));
      parts.emplace_back([&, first, part] {
        if (read.is_mapped) {
          check_mapped_floats(*read.source, first, part);
        } else {
          read_floats(*read.source, first, part);
        }
      });
    }
  }
  return parts;
}

/// Several tensors at a time: one thread does not use all of the memory's
/// bandwidth, and the kernel spends as long on the fresh pages as on the copy.
/// More than a few gain nothing, but each may need a buffer (fp64 files).
void read_all(const std::vector<WeightRead>& reads) {
  constexpr int kMostThreads = 8;
  const std::vector<std::function<void()>> parts = parts_of(reads);
  parallel_parts(static_cast<std::int64_t>(parts.size()), 1,
                 std::min(at::get_num_threads(), kMostThreads),
                 [&](std::int64_t begin, std::int64_t end) {
                   for (std::int64_t i = begin; i < end; ++i) {
                     parts[static_cast<std::size_t>(i)]();
                   }
                 });
}

/// Fills a classifier from files and keeps account of every tensor.
class Loader {
 public:
  Loader(std::shared_ptr<const ModelFiles> files,
         LongformerClassifier& classifier, const LoadRules& rules)
      : files_(std::move(files)), classifier_(classifier), rules_(rules) {
    report_.notes = files_->notes();
    for (const ModelFiles::Tensor& tensor : files_->tensors()) {
      const PublishedName published = published_name(tensor.name());
      if (published.role == WeightRole::kIgnored) {
        report_.ignored.push_back(tensor.name());
      } else if (!by_name_.emplace(published.name, &tensor).second) {
        throw ModelError(tensor.file->path() + ": " + tensor.name() + " and " +
                         by_name_[published.name]->name() + " are both " +
                         published.name + "; remove one of them");
      }
    }
  }

  bool keeps_mapped() const { return keeps_mapped_; }

  LoadReport load() {
    const std::vector<NamedParameter> parameters =
        named_parameters(classifier_);
    const bool has_global = has_global_projections();
    std::vector<NamedParameter> missing;
    for (const NamedParameter& parameter : parameters) {
      if (is_head_parameter(parameter.name) && rules_.reinit_head) {
        report_.initialised.push_back(parameter.name);
      } else if (const auto* tensor = find(parameter.name)) {
        plan(*tensor, parameter);
        ++report_.num_loaded;
      } else if (const auto* local =
                     has_global ? nullptr
                                : find(local_counterpart(parameter.name))) {
        plan(*local, parameter);
        report_.copied.push_back(parameter.name);
      } else {
        missing.push_back(parameter);
      }
    }
    check_head(parameters, missing);
    note_unused(parameters);
    check_missing(missing);
    initialise(missing);
    read_all(reads_);
    return std::move(report_);
  }

 private:
  const ModelFiles::Tensor* find(const std::string& name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : found->second;
  }

  bool has_global_projections() const {
    for (const auto& [name, tensor] : by_name_) {
      if (!local_counterpart(name).empty()) return true;
    }
    return false;
  }

  void plan(const ModelFiles::Tensor& tensor, const NamedParameter& parameter) {
    check_shape(tensor, parameter.tensor,
                is_head_parameter(parameter.name) && !rules_.only_answers
                    ? "give --reinit-head to start with a new head, or the "
                      "labels that the model was trained with"
                    : "the weights do not belong to this config.json");
    WeightRead read{&tensor, parameter.tensor};
    if (rules_.only_answers && is_read_in_parts(read)) {
      if (at::Tensor mapped = mapped_tensor(tensor, files_); mapped.defined()) {
        parameter.tensor.set_data(mapped);
        read.is_mapped = true;
        keeps_mapped_ = true;
      }
    }
    reads_.push_back(std::move(read));
  }

  /// A head is loaded whole or not at all.
  void check_head(const std::vector<NamedParameter>& parameters,
                  const std::vector<NamedParameter>& missing) const {
    std::size_t head = 0;
    std::size_t missing_head = 0;
    std::string first;
    for (const NamedParameter& p : parameters) {
      if (is_head_parameter(p.name)) ++head;
    }
    for (const NamedParameter& p : missing) {
      if (!is_head_parameter(p.name)) continue;
      if (missing_head++ == 0) first = p.name;
    }
    if (missing_head > 0 && missing_head < head) {
      throw ModelError(files_->path() + ": " + first +
                       " is missing while other tensors of the "
                       "classification head are there; " +
                       (rules_.only_answers
                            ? "the file is incomplete"
                            : "give --reinit-head to start with a new head"));
    }
  }

  void note_unused(const std::vector<NamedParameter>& parameters) {
    std::set<std::string> wanted;
    for (const NamedParameter& p : parameters) wanted.insert(p.name);
    for (const auto& [name, tensor] : by_name_) {
      if (!wanted.contains(name)) report_.ignored.push_back(tensor->name());
    }
  }

  void check_missing(const std::vector<NamedParameter>& missing) {
    for (const NamedParameter& p : missing) {
      if (!is_head_parameter(p.name) && !rules_.allow_missing_weights) {
        std::string message = files_->path() + ": " + p.name + " is missing";
        if (!report_.ignored.empty()) {
          message +=
              " (not needed by this model: " + first_names(report_.ignored) +
              ")";
        }
        throw ModelError(
            message + "; the file belongs to another kind of model" +
            (rules_.only_answers ? " or is incomplete"
                                 : ", or give --allow-missing-weights to "
                                   "initialise what is missing"));
      }
      report_.initialised.push_back(p.name);
    }
  }

  /// Gives initial values where the files give none. They are the same
  /// whatever else is initialised, so anything more is simply read over.
  void initialise(const std::vector<NamedParameter>& missing) {
    if (report_.initialised.empty()) return;
    const bool head_only =
        std::all_of(missing.begin(), missing.end(),
                    [](const auto& p) { return is_head_parameter(p.name); });
    initialize_weights(classifier_, rules_.seed, head_only);
  }

  std::shared_ptr<const ModelFiles> files_;
  LongformerClassifier& classifier_;
  LoadRules rules_;
  std::map<std::string, const ModelFiles::Tensor*> by_name_;
  std::vector<WeightRead> reads_;
  LoadReport report_;
  bool keeps_mapped_ = false;
};

TensorSource source_of(const NamedParameter& parameter) {
  const at::Tensor& tensor = parameter.tensor;
  const DType dtype =
      tensor.scalar_type() == at::kDouble ? DType::kF64 : DType::kF32;
  return {parameter.name, dtype, tensor.sizes().vec(),
          [tensor](const ByteSink& sink) {
            const at::Tensor host = tensor.detach().cpu().contiguous();
            sink({static_cast<const std::byte*>(host.const_data_ptr()),
                  static_cast<std::size_t>(host.nbytes())});
          }};
}

std::vector<TensorSource> sources_of(
    const std::vector<NamedParameter>& tensors) {
  std::vector<TensorSource> sources;
  for (const NamedParameter& tensor : tensors) {
    sources.push_back(source_of(tensor));
  }
  return sources;
}

}  // namespace

std::string LoadReport::summary() const {
  std::string text = "loaded " + std::to_string(num_loaded) + ", " +
                     counted("new", initialised) + ", " +
                     counted("ignored", ignored);
  if (!copied.empty()) {
    text += ", " + counted("copied from the local projections", copied);
  }
  return text;
}

ModelConfig read_model_config(const std::string& directory,
                              const ModelConfigRules& rules) {
  if (!is_directory(directory)) {
    throw ModelError(directory +
                     (exists(directory)
                          ? ": is a file; give the folder that it "
                            "lies in: a model is a directory "
                          : ": there is no such directory; a model "
                            "is a directory ") +
                     "with config.json and model.safetensors");
  }
  const std::string path = join_path(directory, "config.json");
  if (!exists(path)) {
    refuse_model_place(directory);
    throw ModelError(path +
                     ": not found; a model is a directory with "
                     "config.json and model.safetensors");
  }
  return parse_model_config_text(read_file(path), path, rules);
}

LoadedClassifier load_classifier(const std::string& directory,
                                 const ModelConfig& config,
                                 const LoadRules& rules, at::ScalarType dtype) {
  const at::NoGradGuard no_gradients;
  const auto files =
      std::make_shared<const ModelFiles>(ModelFiles::open(directory));
  LoadedClassifier result;
  result.classifier = std::make_shared<LongformerClassifier>(config);
  if (dtype != at::kFloat) result.classifier->to(dtype);
  Loader loader(files, *result.classifier, rules);
  result.report = loader.load();
  if (loader.keeps_mapped()) result.mapped_files = files;
  return result;
}

void save_classifier(const LongformerClassifier& classifier,
                     const std::string& directory) {
  write_file_atomically(join_path(directory, "config.json"),
                        to_json(classifier.config(), "float32").dump(2) + "\n");
  write_model_weights(directory, sources_of(named_parameters(classifier)));
}

void save_tensors(const std::vector<NamedParameter>& tensors,
                  const std::string& path) {
  write_safetensors(path, sources_of(tensors));
}

void load_tensors(const std::vector<NamedParameter>& tensors,
                  const std::string& path) {
  const at::NoGradGuard no_gradients;
  const ModelFiles files = ModelFiles::open(path);
  std::vector<WeightRead> reads;
  for (const NamedParameter& tensor : tensors) {
    const ModelFiles::Tensor* source = files.find(tensor.name);
    if (source == nullptr) {
      throw ModelError(path + ": " + tensor.name +
                       " is missing; the file belongs to another model");
    }
    check_shape(*source, tensor.tensor, "the file belongs to another model");
    reads.push_back({source, tensor.tensor});
  }
  if (files.tensors().size() != tensors.size()) {
    throw ModelError(
        path + ": holds " + std::to_string(files.tensors().size()) +
        " tensors, the model has " + std::to_string(tensors.size()) +
        "; the file belongs to another model");
  }
  read_all(reads);
}

}  // namespace longformer
