// SPDX-License-Identifier: MIT
// Damaged configurations are read rightly or refused with a typed error.
#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "longformer/base/error.h"
#include "longformer/base/random.h"
#include "longformer/config/model_config.h"
#include "longformer/config/option_checks.h"
#include "longformer/config/option_reader.h"

#include "support/paths.h"
#include "support/temp_dir.h"

namespace longformer {
namespace {

constexpr int kCopies = 3000;

/// `text` with a few random changes: bytes replaced, parts cut out, doubled or
/// moved.
std::string damaged(const std::string& text, RandomStream& random) {
  std::string copy = text;
  const std::uint64_t changes = 1 + random.next_below(3);
  for (std::uint64_t i = 0; i < changes && !copy.empty(); ++i) {
    const std::size_t at = random.next_below(copy.size());
    const std::size_t length = random.next_below(copy.size() - at) % 20;
    switch (random.next_below(5)) {
      case 0:
        copy[at] = static_cast<char>(random.next_below(256));
        break;
      case 1:
        copy.resize(at);
        break;
      case 2:
        copy.erase(at, length);
        break;
      case 3:
        copy.insert(at, copy.substr(at, length));
        break;
      default:
        copy[at] = "0123456789-.eE\"{}[],:tfn"[random.next_below(24)];
    }
  }
  return copy;
}

RandomStream stream(std::uint64_t number) {
  return {random_key(/*seed=*/7, RandomPurpose::kShuffle, /*step=*/0), number};
}

TEST(DamagedConfigTest, ModelConfigsAreRefusedAsModelErrors) {
  const std::string good = test::read_file(test::source_dir() / "configs" /
                                           "quickstart_architecture.json");
  RandomStream random = stream(1);
  int refused = 0;
  for (int i = 0; i < kCopies; ++i) {
    try {
      const ModelConfig config =
          parse_model_config_text(damaged(good, random), "config.json",
                                  {.use = ConfigUse::kArchitecture});
      EXPECT_EQ(config.hidden_size % config.num_attention_heads, 0);
      EXPECT_GE(config.usable_length(), 1);
      parse_model_config(to_json(config), "written",
                         {.use = ConfigUse::kArchitecture});
    } catch (const ModelError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, kCopies / 4);
  EXPECT_LT(refused, kCopies);
}

TEST(DamagedConfigTest, OptionFilesAreRefusedAsConfigErrors) {
  TrainOptions defaults;
  const std::string good = options_to_json(defaults).dump(1);
  RandomStream random = stream(2);
  int refused = 0;
  for (int i = 0; i < kCopies; ++i) {
    TrainOptions options;
    OptionReader reader(bind_fields(options));
    const std::string text = damaged(good, random);
    reader.read_config(text, "c.json");
    reader.read_platform(text, "h.json");
    reader.add_checks(validate(options));
    try {
      reader.throw_problems();
    } catch (const ConfigError&) {
      ++refused;
    }
    EXPECT_NO_THROW(options_to_json(options).dump()) << "valid UTF-8 only";
  }
  EXPECT_GT(refused, kCopies / 4);
}

}  // namespace
}  // namespace longformer
