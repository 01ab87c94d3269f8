// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

namespace longformer::test {

/// The executable under test, in the same build folder as the test.
std::filesystem::path longformer_binary();

/// The root of the source tree.
std::filesystem::path source_dir();

/// Where scripts/setup.sh keeps what it downloaded, by the rule the script
/// uses: LONGFORMER_CACHE_DIR, else XDG_CACHE_HOME/longformer, else
/// ~/.cache/longformer.
std::filesystem::path cache_dir();

/// The manual pages of Debian's manpages and manpages-dev 6.03-2
/// (man1/getent.1.gz and so on), which scripts/setup.sh --tests unpacks.
std::filesystem::path man_pages_dir();

/// The Python of the reference implementation's environment, which
/// scripts/setup.sh --tests makes. Tests labelled `peer` run it.
std::filesystem::path peer_python();

}  // namespace longformer::test
