// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace longformer {

/// The files that `inputs` stand for, in the order in which they are read.
///
/// Each input is a file, a directory (its data files, also in sub-folders), a
/// pattern with `*`, `?` or `[...]`, or "-" for standard input (alone only).
/// The files of a directory or pattern are sorted by path, bytewise, so that
/// the order is the same on every machine. From a directory those with a known
/// ending are taken (.jsonl .ndjson .json .csv .tsv .txt, each also .gz), or
/// all when none has one; names that begin with "." or "_" are left out.
///
/// Throws DataError if an input does not exist or stands for no file, or if a
/// file would be read twice, under whatever names.
std::vector<std::string> expand_inputs(const std::vector<std::string>& inputs);

/// The first of the files `others` that is also among `some`, under whatever
/// name; empty if there is none.
std::string shared_file(const std::vector<std::string>& some,
                        const std::vector<std::string>& others);

}  // namespace longformer
