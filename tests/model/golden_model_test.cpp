// SPDX-License-Identifier: MIT
//
// Every classification case of the reference: hidden states, logits, loss and
// all gradients, in fp64 and fp32, by the dense reference and the blocked
// path, with the documents one at a time and packed together.
#include <gtest/gtest.h>

#include "longformer/train/label_matching.h"
#include "longformer/train/pretrained.h"

#include "golden_case.h"

namespace longformer::test {
namespace {

// The tolerances of the golden data: absolute, times the scale of what is
// compared (its largest entry, at least 1; for gradients the largest gradient
// entry of the whole model).
constexpr double kTolerance64 = 1e-10;
constexpr double kTolerance32 = 2e-5;

struct Run {
  AttentionPath path;
  at::ScalarType dtype;
};

/// Without this, the bytes of the object would be part of the test's name.
void PrintTo(const Run& run, std::ostream* out) { *out << run.dtype; }

double tolerance(const Run& run) {
  return run.dtype == at::kDouble ? kTolerance64 : kTolerance32;
}

std::string prefix(const Run& run) {
  return run.dtype == at::kDouble ? "f64." : "f32.";
}

double largest(const at::Tensor& tensor) {
  return tensor.numel() == 0
             ? 0.0
             : tensor.abs().max().to(at::kDouble).item<double>();
}

void expect_close(const at::Tensor& actual, const at::Tensor& expected,
                  double scale, const Run& run, const std::string& what) {
  ASSERT_EQ(actual.sizes(), expected.sizes()) << what;
  const double difference =
      largest(actual.to(at::kDouble) - expected.to(at::kDouble));
  EXPECT_LE(difference, tolerance(run) * scale) << what;
}

double scale_of(const at::Tensor& expected) {
  return std::max(1.0, largest(expected));
}

/// The rows of a padded [B, n, H] tensor that belong to live tokens.
at::Tensor live_rows(const at::Tensor& padded,
                     const std::vector<GoldenDocument>& documents) {
  std::vector<at::Tensor> rows;
  for (const GoldenDocument& document : documents) {
    rows.push_back(
        padded[document.row].index_select(0, at::tensor(document.columns)));
  }
  return at::cat(rows);
}

at::Tensor live_documents_of(const at::Tensor& rows,
                             const std::vector<GoldenDocument>& documents) {
  std::vector<std::int64_t> index;
  for (const GoldenDocument& document : documents) {
    index.push_back(document.row);
  }
  return rows.index_select(0, at::tensor(index));
}

class GoldenModelTest : public testing::TestWithParam<Run> {
 protected:
  /// Skips nothing silently: returns whether the case can be packed.
  static bool can_be_packed(const std::vector<GoldenDocument>& documents) {
    return std::none_of(documents.begin(), documents.end(), has_hole);
  }

  void check_case(const std::string& name) {
    SCOPED_TRACE(name);
    golden_ = load_golden_case(name);
    documents_ = live_documents(golden_);
    if (!can_be_packed(documents_)) {
      ++refused_;
      return;
    }
    const ModelConfig config = read_model_config(golden_.directory);
    classifier_ =
        load_classifier(golden_.directory, config, {}, GetParam().dtype)
            .classifier;
    settings_.attention_path = GetParam().path;
    check_hidden_states();
    check_loss_and_gradients();
    ++checked_;
  }

  void check_hidden_states() {
    const PackedInput packed = pack(documents_);
    const auto together = classifier_->hidden_states(packed, settings_);
    for (std::size_t i = 0; i < together.size(); ++i) {
      const std::string key =
          prefix(GetParam()) + "hidden." + std::to_string(i);
      if (!golden_.expected.contains(key)) continue;  // Long cases keep few.
      const at::Tensor expected = live_rows(golden_.expect(key), documents_);
      expect_close(together[i], expected, scale_of(expected), GetParam(), key);
    }
    std::vector<at::Tensor> alone;
    for (const GoldenDocument& document : documents_) {
      alone.push_back(
          classifier_->hidden_states(pack({document}), settings_).back());
    }
    const at::Tensor difference = at::cat(alone) - together.back();
    EXPECT_LE(largest(difference), 1e-6 * scale_of(together.back()))
        << "packed together against one at a time";
  }

  void check_loss_and_gradients() {
    const at::Tensor expected_logits = live_documents_of(
        golden_.expect(prefix(GetParam()) + "logits"), documents_);
    expect_close(classifier_->logits(pack(documents_), settings_),
                 expected_logits, scale_of(expected_logits), GetParam(),
                 "logits");
    LossSettings loss_settings;
    loss_settings.problem_type = problem_type_of(classifier_->config());
    if (golden_.description.at("problem_type").is_null()) {
      loss_settings.problem_type = ProblemType::kSingleLabel;
    }
    const auto result = classifier_->loss(
        pack(documents_), golden_targets(golden_, documents_), loss_settings,
        1.0 / static_cast<double>(documents_.size()), settings_);
    const at::Tensor expected_loss =
        golden_.expect(prefix(GetParam()) + "loss");
    expect_close(result.loss.detach(), expected_loss, scale_of(expected_loss),
                 GetParam(), "loss");
    result.loss.backward();
    ASSERT_FALSE(settings_.failure->failed) << settings_.failure->message;
    check_gradients();
  }

  void check_gradients() {
    const double scale =
        golden_.description.at("largest_gradient_entry_f64").get<double>();
    for (const NamedParameter& parameter : named_parameters(*classifier_)) {
      const at::Tensor gradient = parameter.tensor.grad();
      ASSERT_TRUE(gradient.defined()) << parameter.name;
      const std::string key = "f64.grad." + parameter.name;
      if (!golden_.expected.contains(key)) {
        // Absent in the reference: takes no part.
        EXPECT_EQ(largest(gradient), 0.0) << parameter.name;
        continue;
      }
      expect_close(gradient, golden_.expect(key), scale, GetParam(), key);
    }
    for (const auto& name :
         golden_.description.at("parameters_with_exactly_zero_gradient")) {
      const at::Tensor gradient =
          classifier_->named_parameters()[name.get<std::string>()].grad();
      EXPECT_EQ(largest(gradient), 0.0) << name;
    }
  }

  PackedInput pack(const std::vector<GoldenDocument>& documents) const {
    return pack_golden(golden_, documents, classifier_->config().pad_token_id);
  }

  GoldenCase golden_;
  std::vector<GoldenDocument> documents_;
  std::shared_ptr<LongformerClassifier> classifier_;
  ForwardSettings settings_;
  int checked_ = 0;
  int refused_ = 0;
};

TEST_P(GoldenModelTest, EqualsTheReferenceInEveryClassificationCase) {
  const std::vector<std::string> cases = classification_cases();
  for (const std::string& name : cases) check_case(name);
  // mask_holes is the only case that has no packed form.
  EXPECT_EQ(cases.size(), 33U);
  EXPECT_EQ(checked_, 32);
  EXPECT_EQ(refused_, 1);
}

std::string run_name(const testing::TestParamInfo<Run>& info) {
  const std::string path =
      info.param.path == AttentionPath::kDenseReference ? "Dense" : "";
  const std::string kind =
      info.param.path == AttentionPath::kBlocked ? "Blocked" : path;
  return (kind.empty() ? "Auto" : kind) +
         (info.param.dtype == at::kDouble ? "Fp64" : "Fp32");
}

INSTANTIATE_TEST_SUITE_P(
    AllPaths, GoldenModelTest,
    testing::Values(Run{AttentionPath::kDenseReference, at::kDouble},
                    Run{AttentionPath::kDenseReference, at::kFloat},
                    Run{AttentionPath::kBlocked, at::kDouble},
                    Run{AttentionPath::kBlocked, at::kFloat},
                    Run{AttentionPath::kAuto, at::kDouble},
                    Run{AttentionPath::kAuto, at::kFloat}),
    run_name);

}  // namespace
}  // namespace longformer::test
