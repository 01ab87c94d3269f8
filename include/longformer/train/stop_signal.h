// SPDX-License-Identifier: MIT
#pragma once

namespace longformer {

/// Turns SIGINT, SIGTERM and SIGHUP into a wish that training looks at between
/// steps, so that a checkpoint is complete before the process ends. A second
/// signal ends the process at once. SIGHUP stays ignored where it is (nohup).
class StopSignal {
 public:
  /// Installs the handlers. At most one object exists at a time.
  StopSignal();
  /// Puts the former handlers back.
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  /// The signal that asked to stop, 0 if none did.
  int received() const;
};

}  // namespace longformer
