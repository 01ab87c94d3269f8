// SPDX-License-Identifier: MIT
#include "reducer.h"

#include "libtorch_release.h"

namespace longformer {
namespace {

/// Appends the arguments that newer releases added.
template <class Make>
auto with_added_arguments(Make make) {
  if constexpr (is_libtorch_at_least(2, 11)) {
    return make(/*skip_all_reduce_unused_params=*/false,
                /*use_python_reducer=*/false,
                /*bucket_bytes_cap_list=*/std::vector<std::int64_t>{});
  } else if constexpr (is_libtorch_at_least(2, 10)) {
    return make(/*skip_all_reduce_unused_params=*/false,
                /*use_python_reducer=*/false);
  } else {
    return make();
  }
}

std::vector<std::vector<std::size_t>> assign_buckets(
    const std::vector<at::Tensor>& parameters,
    const std::vector<std::int64_t>& hook_order,
    const GradientExchangeSettings& settings) {
  std::vector<at::Tensor> ordered;
  ordered.reserve(hook_order.size());
  for (const std::int64_t index : hook_order) {
    ordered.push_back(parameters[static_cast<std::size_t>(index)]);
  }
  return std::get<0>(c10d::compute_bucket_assignment_by_size(
      ordered,
      {static_cast<std::size_t>(settings.first_bucket_bytes),
       static_cast<std::size_t>(settings.bucket_bytes)},
      std::vector<bool>(parameters.size(), false), hook_order));
}

}  // namespace

ReducerPair make_reducer(const std::vector<at::Tensor>& parameters,
                         const std::vector<std::int64_t>& hook_order,
                         c10d::ProcessGroup& group,
                         const GradientExchangeSettings& settings,
                         ExchangeFailure& failure) {
  std::unordered_map<std::size_t, std::string> names;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    names[i] = std::to_string(i);
  }
  const auto shared_group =
      c10::intrusive_ptr<c10d::ProcessGroup>::reclaim_copy(&group);
  const std::vector<bool> is_sparse(parameters.size(), false);
  ReducerPair pair;
  pair.reducer = with_added_arguments([&](auto... added) {
    return std::make_shared<c10d::Reducer>(
        parameters, assign_buckets(parameters, hook_order, settings),
        shared_group, is_sparse, settings.bucket_bytes,
        /*find_unused_parameters=*/false,
        /*gradient_as_bucket_view=*/true, names, settings.first_bucket_bytes,
        added...);
  });
  pair.reducer->register_comm_hook(
      std::make_unique<ExchangeHook>(shared_group, settings.compress, failure));
  pair.logger = std::make_shared<c10d::Logger>(pair.reducer);
  pair.reducer->set_logger(pair.logger);
  pair.logger->set_construction_data_and_log(
      "longformer", /*device_ids=*/{}, /*output_device=*/-1,
      /*broadcast_buffers=*/false, /*has_sync_bn=*/false,
      /*static_graph=*/false);
  return pair;
}

}  // namespace longformer
