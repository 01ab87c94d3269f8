// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "longformer/base/descriptor.h"

/// Every system call with which the io layer changes or reads files, each once,
/// with retries, errors that name the path, and the hook of fault_injection.h.
namespace longformer::file_operations {

/// Throws FileError "path: cannot <action>: <reason>[; <advice>]".
[[noreturn]] void fail(const std::string& path, const std::string& action,
                       int error_number);

/// Opens for reading; regular files only (a pipe could block for ever).
Descriptor open_regular_file(const std::string& path);
std::uint64_t size_of(const Descriptor& file, const std::string& path);
/// Reads up to `size` bytes at `offset`; fewer only at the end of the file.
std::size_t read_at(int descriptor, const std::string& path,
                    std::uint64_t offset, char* data, std::size_t size);

/// Creates a file that does not exist yet.
Descriptor create_file(const std::string& path);
/// Opens a lock file, which is created where it is missing.
Descriptor open_lock_file(const std::string& path);
/// Appends all of it.
void write_all(const Descriptor& file, const std::string& path,
               const char* data, std::size_t size, std::uint64_t offset);
/// Reserves space, if the file system can, so that a full disk shows early.
void reserve(const Descriptor& file, const std::string& path,
             std::uint64_t bytes);
void sync(const Descriptor& file, const std::string& path);
void close(Descriptor&& file, const std::string& path);

void make_directory(const std::string& path);
Descriptor open_directory(const std::string& path);
void rename(const std::string& from, const std::string& to);
/// Swaps two existing entries in one step; false where the file system cannot.
bool exchange(const std::string& one, const std::string& other);

/// Takes the lock that marks what a living writer holds; false if another
/// holds it. Where the file system has no locks, nothing is locked.
bool lock(const Descriptor& file);

}  // namespace longformer::file_operations
