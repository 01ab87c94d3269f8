// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "longformer/config/data_options.h"

#include "csv_dialect.h"

namespace longformer {

/// The format that the ending of `name` (".gz" apart) stands for; kAuto if it
/// says nothing. kJson may still turn out as JSON lines.
DataFormat format_of_name(std::string_view name);

/// The format of a file whose content begins with `sample`, when the option
/// data_format is auto.
/// Throws DataError (naming the file) if neither name nor content tells.
DataFormat detect_format(const std::string& name, std::string_view sample,
                         const DataReadingOptions& options,
                         const ColumnNames& columns);

}  // namespace longformer
