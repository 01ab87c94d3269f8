// SPDX-License-Identifier: MIT
#include "longformer/train/metrics_log.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longformer/base/error.h"
#include "longformer/base/log.h"
#include "longformer/io/digest.h"

#include "support/temp_dir.h"

namespace longformer {
namespace {

using testing::HasSubstr;

class MetricsLogTest : public testing::Test {
 protected:
  std::string path() const { return (folder_ / "metrics.jsonl").string(); }
  std::string content() const { return test::read_file(path()); }

  void write_steps(std::int64_t first, std::int64_t last) {
    MetricsLog log(path());
    for (std::int64_t step = first; step <= last; ++step) {
      log.append({{"step", step}, {"loss", 0.1 * static_cast<double>(step)}});
    }
  }

  test::TempDir folder_;
};

TEST_F(MetricsLogTest, EveryRecordIsOneLineOfJsonWrittenAtOnce) {
  MetricsLog log(path());
  log.append({{"step", 1}, {"loss", 0.5}});
  EXPECT_EQ(content(), "{\"step\":1,\"loss\":0.5}\n");
  log.append({{"step", 2}, {"text", "two\nlines"}});
  EXPECT_EQ(content(),
            "{\"step\":1,\"loss\":0.5}\n"
            "{\"step\":2,\"text\":\"two\\nlines\"}\n");
}

TEST_F(MetricsLogTest, NumbersReadBackAsTheyWere) {
  MetricsLog log(path());
  for (const double number :
       {0.1, 1.0 / 3, 5e-324, 1.7976931348623157e308, -0.0, 1e22,
        static_cast<double>(0.1F), 123456789012345678.0}) {
    log.append({{"step", 1}, {"loss", number}});
    const std::string all = content();
    const std::size_t start = all.rfind('\n', all.size() - 2);
    const std::string line =
        all.substr(start == std::string::npos ? 0 : start + 1);
    const auto read = parse_strict_json(line)["loss"].get<double>();
    EXPECT_EQ(read, number);
    EXPECT_EQ(std::signbit(read), std::signbit(number));
  }
}

TEST_F(MetricsLogTest, NumbersThatAreNotFiniteBecomeNull) {
  MetricsLog log(path());
  log.append({{"step", 1},
              {"loss", std::nan("")},
              {"norm", std::numeric_limits<double>::infinity()},
              {"list", {1.5, -std::numeric_limits<double>::infinity()}}});
  const Json record = parse_strict_json(content());
  EXPECT_TRUE(record["loss"].is_null());
  EXPECT_TRUE(record["norm"].is_null());
  EXPECT_TRUE(record["list"][1].is_null());
}

TEST_F(MetricsLogTest, TextThatIsNotUtf8StillGivesValidJson) {
  MetricsLog log(path());
  log.append({{"step", 1}, {"name", "a\xff"}});
  EXPECT_NO_THROW(parse_strict_json(content()));
}

TEST_F(MetricsLogTest, ANewRunStartsEmpty) {
  write_steps(1, 5);
  MetricsLog log(path());
  EXPECT_EQ(content(), "");
}

TEST_F(MetricsLogTest, ResumingDropsTheLinesOfLaterStepsAndContinues) {
  write_steps(1, 5);
  const std::string whole = content();
  MetricsLog log(path(), 3);
  EXPECT_EQ(content(), whole.substr(0, whole.find("{\"step\":4")));
  log.append({{"step", 4}, {"loss", 0.4}});
  EXPECT_EQ(content(), whole.substr(0, whole.find("{\"step\":5")));
}

TEST_F(MetricsLogTest, ResumingAtTheEndKeepsEveryByte) {
  const std::string text = "{ \"step\" : 1 ,\"loss\":1e-3}\n{\"step\":2}\n";
  folder_.write("metrics.jsonl", text);
  const MetricsLog log(path(), 2);
  EXPECT_EQ(content(), text);
}

TEST_F(MetricsLogTest, ATornLastLineIsDropped) {
  write_steps(1, 3);
  const std::string whole = content();
  const std::string line = "{\"step\":3,\"loss\":0.30000000000000004}";
  for (std::size_t length = 1; length < line.size(); ++length) {
    folder_.write("metrics.jsonl", "{\"step\":2}\n" + line.substr(0, length));
    MetricsLog log(path(), 9);
    EXPECT_EQ(content(), "{\"step\":2}\n");
    log.append({{"step", 3}});
    EXPECT_EQ(content(), "{\"step\":2}\n{\"step\":3}\n");
  }
}

TEST_F(MetricsLogTest, ALastLineThatLacksOnlyItsEndIsCompleted) {
  folder_.write("metrics.jsonl", "{\"step\":1}\n{\"step\":2}");
  MetricsLog log(path(), 2);
  log.append({{"step", 3}});
  EXPECT_EQ(content(), "{\"step\":1}\n{\"step\":2}\n{\"step\":3}\n");
}

TEST_F(MetricsLogTest, LinesThatAreNoRecordsAreRemovedWithAWarning) {
  std::vector<std::string> warnings;
  set_log_observer([&](LogLevel level, std::string_view message) {
    if (level == LogLevel::kWarning) warnings.emplace_back(message);
  });
  folder_.write("metrics.jsonl", "{\"step\":1}\n" + std::string(3, '\0') +
                                     "\n[1]\n{\"step\":1.5}\n\n"
                                     "{\"step\":2}\n");
  const MetricsLog log(path(), 2);
  set_log_observer({});
  EXPECT_EQ(content(), "{\"step\":1}\n{\"step\":2}\n");
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_THAT(warnings[0], HasSubstr("4 damaged lines"));
}

TEST_F(MetricsLogTest, ResumingWarnsOfLinesThatAreLost) {
  std::vector<std::string> warnings;
  set_log_observer([&](LogLevel level, std::string_view message) {
    if (level == LogLevel::kWarning) warnings.emplace_back(message);
  });
  write_steps(1, 5);
  { const MetricsLog log(path(), 5); }
  EXPECT_TRUE(warnings.empty());
  { const MetricsLog log(path(), 9); }
  std::filesystem::remove(path());
  { const MetricsLog log(path(), 7); }
  set_log_observer({});
  ASSERT_EQ(warnings.size(), 2U);
  EXPECT_THAT(warnings[0], HasSubstr("ends at step 5"));
  EXPECT_THAT(warnings[0], HasSubstr("of step 9"));
  EXPECT_THAT(warnings[1], HasSubstr("holds no step"));
}

TEST_F(MetricsLogTest, AFileThatIsTakenAwayIsAnError) {
  MetricsLog log(path());
  log.append({{"step", 1}});
  std::filesystem::remove(path());
  EXPECT_THROW(log.append({{"step", 2}}), SystemError);
  std::ofstream(path()) << "another file";
  EXPECT_THROW(log.check_in_place(), SystemError);
}

TEST_F(MetricsLogTest, ResumingWithoutAFileStartsOne) {
  MetricsLog log(path(), 7);
  log.append({{"step", 8}});
  EXPECT_EQ(content(), "{\"step\":8}\n");
}

TEST_F(MetricsLogTest, TheDigestIsThatOfTheFile) {
  write_steps(1, 5);
  std::string digest;
  {
    MetricsLog log(path(), 3);
    log.append({{"step", 4}});
    log.sync();
    digest = log.digest();
  }
  EXPECT_EQ(digest, digest_of(content()));
  EXPECT_EQ(MetricsLog(path(), 4).digest(), digest);
  EXPECT_NE(MetricsLog(path(), 3).digest(), digest);
}

TEST_F(MetricsLogTest, ARecordWithoutAStepIsABug) {
  MetricsLog log(path());
  EXPECT_THROW(log.append({{"loss", 1}}), std::invalid_argument);
  EXPECT_THROW(log.append({{"step", 1.5}}), std::invalid_argument);
  EXPECT_THROW(log.append(Json::array({1})), std::invalid_argument);
  EXPECT_EQ(content(), "");
}

TEST_F(MetricsLogTest, AFullDiskIsNamedAndLeavesWholeLinesOnly) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{40, 40};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    MetricsLog log(path());
    log.append({{"step", 1}, {"text", "0123456"}});  // 29 bytes
    try {
      log.append({{"step", 2}, {"text", "0123456"}});
      ::_exit(1);
    } catch (const SystemError& error) {
      const bool is_named =
          std::string(error.what()).find(path()) != std::string::npos;
      ::_exit(is_named ? 0 : 2);
    }
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(content(), "{\"step\":1,\"text\":\"0123456\"}\n");
}

TEST_F(MetricsLogTest, AFolderThatIsNotThereIsNamed) {
  try {
    MetricsLog log((folder_ / "nowhere/metrics.jsonl").string());
    ADD_FAILURE();
  } catch (const SystemError& error) {
    EXPECT_THAT(error.what(), HasSubstr("nowhere/metrics.jsonl"));
    EXPECT_THAT(error.what(), HasSubstr("No such file"));
  }
}

}  // namespace
}  // namespace longformer
