// SPDX-License-Identifier: MIT
#pragma once

namespace longformer {

/// Ends the process on SIGINT, SIGTERM and SIGHUP with 128 + the signal's
/// number, after removing the files that were not complete yet. Signals that
/// the parent set to be ignored (nohup) stay ignored.
///
/// To be made before the first thread is started, since it takes the signals
/// away from all threads but its own. Once a signal came, the destructor does
/// not return: nobody may report the failures that the removal causes.
class EndOnSignal {
 public:
  EndOnSignal();
  ~EndOnSignal();
  EndOnSignal(const EndOnSignal&) = delete;
  EndOnSignal& operator=(const EndOnSignal&) = delete;
};

}  // namespace longformer
