// SPDX-License-Identifier: MIT
#include "file_operations.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include "longformer/io/fault_injection.h"
#include "longformer/io/file_system.h"

namespace longformer {
namespace {

FileFaultHook& fault_hook() {
  static FileFaultHook hook;
  return hook;
}

/// What a test wants to happen instead of this operation; 0 for nothing.
int injected_error(const char* name, const std::string& path,
                   std::size_t* bytes = nullptr) {
  if (!fault_hook()) return 0;
  std::size_t ignored = 0;
  return fault_hook()({name, path, bytes != nullptr ? bytes : &ignored});
}

std::string advice(int error_number) {
  switch (error_number) {
    case ENOSPC:
      return "; free space on that file system or choose another folder";
    case EDQUOT:
      return "; the disk quota is used up: free space or choose another "
             "folder";
    case EACCES:
    case EPERM:
      return "; check owner and permissions";
    case EROFS:
      return "; choose a folder that can be written";
    case EMFILE:
      return "; raise the limit of open files (ulimit -n)";
    default:
      return "";
  }
}

}  // namespace

ScopedFileFaults::ScopedFileFaults(FileFaultHook hook) {
  fault_hook() = std::move(hook);
}

ScopedFileFaults::~ScopedFileFaults() { fault_hook() = nullptr; }

namespace file_operations {

void fail(const std::string& path, const std::string& action,
          int error_number) {
  throw FileError(path + ": cannot " + action + ": " +
                      std::system_category().message(error_number) +
                      advice(error_number),
                  error_number);
}

Descriptor open_regular_file(const std::string& path) {
  // O_NONBLOCK: opening a pipe without a writer must not wait.
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.is_open()) fail(path, "open", errno);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) fail(path, "open", errno);
  if (S_ISDIR(status.st_mode)) fail(path, "read", EISDIR);
  if (!S_ISREG(status.st_mode)) {
    throw FileError(path + ": cannot read: not a regular file; copy it to one",
                    EINVAL);
  }
  return file;
}

std::uint64_t size_of(const Descriptor& file, const std::string& path) {
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) fail(path, "read its size", errno);
  return static_cast<std::uint64_t>(status.st_size);
}

std::size_t read_at(int descriptor, const std::string& path,
                    std::uint64_t offset, char* data, std::size_t size) {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t count = ::pread(descriptor, data + done, size - done,
                                  static_cast<off_t>(offset + done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      const int error_number = errno;
      fail(path,
           "read " + std::to_string(size) + " bytes at offset " +
               std::to_string(offset),
           error_number);
    }
    if (count == 0) break;
    done += static_cast<std::size_t>(count);
  }
  return done;
}

Descriptor create_file(const std::string& path) {
  int error_number = injected_error("open", path);
  if (error_number == 0) {
    Descriptor file(
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (file.is_open()) return file;
    error_number = errno;
  }
  fail(path, "create", error_number);
}

Descriptor open_lock_file(const std::string& path) {
  int error_number = injected_error("open", path);
  if (error_number == 0) {
    Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
    if (file.is_open()) return file;
    error_number = errno;
  }
  fail(path, "create", error_number);
}

void write_all(const Descriptor& file, const std::string& path,
               const char* data, std::size_t size, std::uint64_t offset) {
  std::size_t done = 0;
  while (done < size) {
    std::size_t chunk = size - done;
    int error_number = injected_error("write", path, &chunk);
    if (error_number == 0) {
      const ssize_t count = ::write(file.get(), data + done, chunk);
      if (count > 0) {
        done += static_cast<std::size_t>(count);
        continue;
      }
      // A write of nothing at all would be repeated for ever.
      error_number = count == 0 ? EIO : errno;
    }
    if (error_number == EINTR) continue;
    if (error_number == EAGAIN) {  // A pipe that does not wait by itself.
      pollfd writable{file.get(), POLLOUT, 0};
      ::poll(&writable, 1, -1);
      continue;
    }
    fail(path,
         "write " + std::to_string(size) + " bytes at offset " +
             std::to_string(offset),
         error_number);
  }
}

void reserve(const Descriptor& file, const std::string& path,
             std::uint64_t bytes) {
  if (bytes == 0) return;
  int error_number = injected_error("fallocate", path);
  if (error_number == 0 && ::fallocate(file.get(), FALLOC_FL_KEEP_SIZE, 0,
                                       static_cast<off_t>(bytes)) != 0) {
    error_number = errno;
  }
  // Anything but a lack of space only means that it cannot be known early.
  if (error_number == ENOSPC || error_number == EDQUOT) {
    fail(path, "reserve " + std::to_string(bytes) + " bytes", error_number);
  }
}

void sync(const Descriptor& file, const std::string& path) {
  int error_number = injected_error("fsync", path);
  if (error_number == 0 && ::fsync(file.get()) != 0) error_number = errno;
  // Some file systems have nothing to sync for a folder and say so.
  if (error_number != 0 && error_number != EINVAL && error_number != ENOTSUP) {
    fail(path, "make its content durable (fsync)", error_number);
  }
}

void close(Descriptor&& file, const std::string& path) {
  int error_number = injected_error("close", path);
  // Never repeated after EINTR: the descriptor is gone then.
  if (::close(file.release()) != 0 && error_number == 0 && errno != EINTR) {
    error_number = errno;
  }
  if (error_number != 0) fail(path, "close", error_number);
}

void make_directory(const std::string& path) {
  int error_number = injected_error("mkdir", path);
  if (error_number == 0 && ::mkdir(path.c_str(), 0777) != 0) {
    error_number = errno;
  }
  if (error_number != 0) fail(path, "create the folder", error_number);
}

Descriptor open_directory(const std::string& path) {
  Descriptor directory(
      ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory.is_open()) fail(path, "open the folder", errno);
  return directory;
}

void rename(const std::string& from, const std::string& to) {
  int error_number = injected_error("rename", from);
  if (error_number == 0 && ::rename(from.c_str(), to.c_str()) != 0) {
    error_number = errno;
  }
  if (error_number != 0) fail(from, "rename to " + to, error_number);
}

bool exchange(const std::string& one, const std::string& other) {
  int error_number = injected_error("exchange", one);
  if (error_number == 0 && ::renameat2(AT_FDCWD, one.c_str(), AT_FDCWD,
                                       other.c_str(), RENAME_EXCHANGE) != 0) {
    error_number = errno;
  }
  if (error_number == 0) return true;
  if (error_number == EINVAL || error_number == ENOSYS ||
      error_number == ENOTSUP || error_number == EXDEV) {
    return false;
  }
  fail(one, "exchange with " + other, error_number);
}

bool lock(const Descriptor& file) {
  return ::flock(file.get(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

}  // namespace file_operations
}  // namespace longformer
