// SPDX-License-Identifier: MIT
#include "option_reference.h"

#include "longformer/config/option_documents.h"
#include "longformer/io/atomic_write.h"
#include "longformer/io/file_system.h"

namespace longformer {

void write_option_reference(const std::string& directory) {
  create_directories(directory);
  write_file_atomically(directory + "/README.md", option_reference());
  write_file_atomically(directory + "/schema.json", train_schema());
}

}  // namespace longformer
