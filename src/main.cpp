// SPDX-License-Identifier: MIT
#include "longformer/cli/run.h"
#include "longformer/cli/standard_streams.h"
#include "longformer/cli/waiting_threads.h"

int main(int argc, char** argv) {
  longformer::open_closed_standard_streams();
  longformer::restart_with_sleeping_threads(argc, argv);
  return longformer::run(argc, argv);
}
