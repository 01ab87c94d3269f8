// SPDX-License-Identifier: MIT
#include "longformer/train/training_state.h"

#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longformer/base/error.h"
#include "longformer/base/random.h"

namespace longformer {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TrainingState example() {
  TrainingState state;
  state.step = 103;
  state.updates = 101;
  state.epoch = 2;
  state.step_in_epoch = 3;
  state.documents = 3296;
  state.tokens = 5'000'000'000;
  state.total_steps = 150;
  state.seed = std::numeric_limits<std::int64_t>::min();
  state.loss_scale = 65536;
  state.best_model = {{"metric", "loss"}};
  state.options_digest = "aa";
  state.dataset_fingerprint = "bb";
  state.history_digest = "cc";
  return state;
}

/// What is said about the example with `key` set to `value`.
std::string complaint(const std::string& key, const Json& value) {
  Json json = example().to_json();
  json[key] = value;
  try {
    parse_training_state(json.dump(), "run/training_state.json");
  } catch (const ModelError& error) {
    return error.what();
  }
  return "";
}

TEST(TrainingStateTest, EverythingReadsBackAsItWasWritten) {
  const TrainingState state = example();
  const TrainingState read =
      parse_training_state(state.to_json().dump(), "file");
  EXPECT_EQ(read.to_json(), state.to_json());
  EXPECT_EQ(read.tokens, 5'000'000'000);
  EXPECT_EQ(read.seed, std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(read.loss_scale, 65536);
}

TEST(TrainingStateTest, TheStateOfANewRunReadsBack) {
  const TrainingState read =
      parse_training_state(TrainingState().to_json().dump(), "file");
  EXPECT_EQ(read.to_json(), TrainingState().to_json());
  EXPECT_FALSE(read.loss_scale);
  EXPECT_TRUE(read.best_model.is_null());
}

TEST(TrainingStateTest, NonsenseIsRefusedByFileAndKey) {
  const struct {
    const char* key;
    Json value;
  } cases[] = {{"step", -1},
               {"step", 1.5},
               {"step", "3"},
               {"step", nullptr},
               {"step", true},
               {"step", std::numeric_limits<std::uint64_t>::max()},
               {"updates", 104},
               {"step_in_epoch", 104},
               {"epoch", Json::array()},
               {"seed", 0.5},
               {"loss_scale", 0},
               {"loss_scale", "big"},
               {"best_model", 3},
               {"options_digest", 3},
               {"history_digest", nullptr},
               {"version", 2},
               {"surprise", 1}};
  for (const auto& item : cases) {
    const std::string text = complaint(item.key, item.value);
    EXPECT_THAT(text, StartsWith("run/training_state.json: "))
        << item.key << " = " << item.value;
    const std::string named = std::string(item.key) == "version"
                                  ? "version 2"
                                  : "\"" + std::string(item.key) + "\"";
    EXPECT_THAT(text, HasSubstr(named));
  }
}

TEST(TrainingStateTest, EveryKeyIsRequired) {
  const Json whole = example().to_json();
  for (const auto& item : whole.items()) {
    Json json = whole;
    json.erase(item.key());
    EXPECT_THROW(parse_training_state(json.dump(), "file"), ModelError)
        << item.key();
  }
}

TEST(TrainingStateTest, DamagedTextIsRefusedOrHarmless) {
  RandomStream random(random_key(1, RandomPurpose::kShuffle, 0), 0);
  const std::string whole = example().to_json().dump();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_THROW(parse_training_state(whole.substr(0, length), "file"),
                 ModelError);
  }
  for (int trial = 0; trial < 1000; ++trial) {
    std::string text = whole;
    text[random.next_below(text.size())] =
        static_cast<char>(random.next_below(256));
    try {
      parse_training_state(text, "file");
    } catch (const ModelError&) {
      // The only error that may come out.
    }
  }
}

}  // namespace
}  // namespace longformer
