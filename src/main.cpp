// SPDX-License-Identifier: MIT
#include "longformer/cli/run.h"

int main(int argc, char** argv) { return longformer::run(argc, argv); }
