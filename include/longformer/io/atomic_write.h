// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "longformer/io/digest.h"

namespace longformer {

/// Durable replacement of files and folders. At every instant, and after a
/// crash or loss of power at any instant, the final path holds either the
/// complete old content or the complete new one. Everything is written under
/// a temporary name beside the final one, which holds ".partial-".
///
/// All functions throw FileError naming the final path, bytes and the system's
/// reason; the old content is then untouched and the temporary one removed.
/// (Only if the very last step fails, syncing the folder after the rename, is
/// the new content in place already.)

/// A file that appears under its name with commit().
class AtomicFile {
 public:
  /// Creates the temporary file. The folder must exist. Space for
  /// `expected_bytes` is reserved, where the file system can, so that a full
  /// disk shows before anything is written.
  explicit AtomicFile(const std::string& path,
                      std::uint64_t expected_bytes = 0);
  /// Without commit(): removes the temporary file.
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// Appends. Large pieces are cheap, small ones are collected.
  void write(std::span<const std::byte> bytes);
  void write(std::string_view bytes);

  /// Bytes given to write() so far.
  std::uint64_t bytes_written() const { return bytes_written_; }

  /// Flushes, syncs, opens the file again and compares size and digest with
  /// what was written, renames it and syncs the folder. Cost: the file is
  /// written and read once.
  FileDigest commit();

 private:
  struct Partial;

  std::string path_;
  std::uint64_t bytes_written_ = 0;
  Digest digest_;
  std::unique_ptr<Partial> partial_;
};

/// AtomicFile for content that is at hand.
FileDigest write_file_atomically(const std::string& path,
                                 std::string_view bytes);

enum class IfExists {
  kFail,     ///< An existing target is an error, but for an empty folder.
  kReplace,  ///< An existing folder is replaced as a whole.
};

/// A folder that appears under its name with commit():
///
///   AtomicDirectory checkpoint("run/checkpoints/step-100");
///   write_file_atomically(join_path(checkpoint.path(), "state.json"), text);
///   checkpoint.commit();
class AtomicDirectory {
 public:
  /// Creates the empty temporary folder, and missing parents, which go with it
  /// if they are not needed. With kFail an existing target is refused now and
  /// again at commit().
  explicit AtomicDirectory(const std::string& path,
                           IfExists if_exists = IfExists::kFail);
  /// Without commit(): removes the temporary folder.
  ~AtomicDirectory();
  AtomicDirectory(const AtomicDirectory&) = delete;
  AtomicDirectory& operator=(const AtomicDirectory&) = delete;

  /// Where to write until commit().
  const std::string& path() const { return partial_path_; }

  /// Syncs every file and folder below path(), renames, syncs the parent. An
  /// existing folder is exchanged in one step where the file system can;
  /// otherwise it is renamed to "<name>.old-..." for an instant, and
  /// recover_leftovers() brings it back if the process dies just then.
  void commit();

 private:
  struct Partial;

  std::string target_path_;
  std::string partial_path_;
  IfExists if_exists_;
  std::unique_ptr<Partial> partial_;
};

/// Cleans a folder after writers that died: removes their temporary files and
/// folders, and renames "<name>.old-..." back when "<name>" is missing. What a
/// living writer holds is left alone (writers hold a lock). Returns how many
/// entries were removed or renamed; what cannot be is a warning. Throws
/// FileError if the folder cannot be listed.
int recover_leftovers(const std::string& directory);

/// The same for what writers of one file or folder left beside it. Nothing is
/// done if the folder cannot be listed.
void recover_leftovers_of(const std::string& target_path);

/// Removes what AtomicFile and AtomicDirectory objects of this process have
/// not committed, whatever they do meanwhile: for a process that a signal is
/// about to end. From any thread.
void discard_unfinished_writes();

/// True for the names of such temporary files and folders, which whoever lists
/// a folder should pass over.
bool is_leftover_name(std::string_view name);

}  // namespace longformer
