// SPDX-License-Identifier: MIT
#pragma once

namespace longformer {

/// Opens something in place of standard input, output and error where the
/// program was started without them (2>&-): otherwise the next file that is
/// opened takes their number, and log lines go into it. Reading from such an
/// input and writing to such an output fail, what goes to such an error stream
/// is lost. To be called before any file is opened.
void open_closed_standard_streams();

}  // namespace longformer
