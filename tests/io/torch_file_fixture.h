// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longformer/base/error.h"
#include "longformer/io/weight_file.h"

#include "support/temp_dir.h"

namespace longformer::test {

/// Opens files that torch.save might have written.
class TorchFileFixture : public ::testing::Test {
 protected:
  std::unique_ptr<WeightFile> open(const std::string& content) {
    return WeightFile::open(dir_.write("m.bin", content).string());
  }

  /// Opens and reads everything; the message if that is refused.
  std::string refusal(const std::string& content) {
    try {
      const auto file = open(content);
      for (const WeightEntry& entry : file->entries()) {
        std::vector<std::byte> bytes(static_cast<std::size_t>(entry.num_bytes));
        file->read(entry, bytes);
      }
    } catch (const ModelError& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr("m.bin"));
      return error.what();
    }
    return "accepted";
  }

  /// Values of the only tensor.
  std::vector<float> values(const std::string& content) {
    const auto file = open(content);
    std::vector<float> result(
        static_cast<std::size_t>(file->entries().at(0).num_elements));
    file->read_as_float(file->entries()[0], result);
    return result;
  }

  TempDir dir_;
};

}  // namespace longformer::test
