// SPDX-License-Identifier: MIT
#pragma once

namespace longformer {

/// Makes the threads of LibTorch sleep while they wait for each other, by
/// starting the program again with OMP_WAIT_POLICY=passive: the OpenMP library
/// reads it before main begins. Only for the commands that compute, and only if
/// neither that variable nor GOMP_SPINCOUNT is set; costs the time of loading
/// LibTorch once more (0.2 to 0.4 s).
///
/// By default waiting threads spin. As soon as anything else runs on the
/// machine, one of them spins away the time that another needs to arrive:
/// predicting 1,000 short rows took 19 to 50 s instead of 1 s beside two busy
/// processes on two cores.
///
/// Returns if there is nothing to do, or if the system does not allow it.
void restart_with_sleeping_threads(int argc, char** argv);

}  // namespace longformer
