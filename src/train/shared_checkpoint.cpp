// SPDX-License-Identifier: MIT
#include "shared_checkpoint.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "longformer/base/error.h"
#include "longformer/base/log.h"
#include "longformer/base/strict_json.h"
#include "longformer/io/atomic_write.h"
#include "longformer/io/file_lock.h"
#include "longformer/io/file_system.h"
#include "longformer/train/checkpoint_manifest.h"
#include "longformer/train/training_setup.h"

namespace longformer {
namespace {

constexpr std::size_t kChunkBytes = std::size_t{16} << 20;

struct SentFile {
  std::string path;  ///< Below the checkpoint's directory.
  std::uint64_t bytes = 0;
};

/// What rank 0 says about its checkpoint.
struct Offer {
  std::int64_t step = 0;
  std::string directory;
  /// Where other hosts may find it too: a folder that the user named, not one
  /// in the store.
  bool is_named = false;
  std::string manifest;

  std::vector<SentFile> files() const {
    std::vector<SentFile> files;
    const Json json = Json::parse(manifest);
    for (const Json& entry : json.at("files")) {
      files.push_back({entry.at("path").get<std::string>(),
                       entry.at("bytes").get<std::uint64_t>()});
    }
    return files;
  }
};

std::string manifest_of(const std::string& directory) {
  const std::string path = join_path(directory, kManifestName);
  return exists(path) ? read_file(path) : "";
}

/// The same on all ranks; nothing if rank 0 has found none.
std::optional<Offer> broadcast_offer(Communicator& communicator,
                                     const std::optional<Checkpoint>& found,
                                     const CheckpointStore& store) {
  std::string text;
  if (communicator.rank() == 0 && found) {
    text =
        Json{{"step", found->step},
             {"directory", found->directory},
             {"is_named", found->directory != store.directory_of(found->step)},
             {"manifest", manifest_of(found->directory)}}
            .dump(-1, ' ', false, Json::error_handler_t::replace);
  }
  text = communicator.broadcast(text, 0);
  if (text.empty()) return std::nullopt;
  const Json json = Json::parse(text);
  return Offer{json.at("step").get<std::int64_t>(),
               json.at("directory").get<std::string>(),
               json.at("is_named").get<bool>(),
               json.at("manifest").get<std::string>()};
}

bool is_intact_copy(const std::string& directory, const Offer& offer) {
  return manifest_of(directory) == offer.manifest &&
         !problem_of_checkpoint(directory);
}

/// Where this rank has the offered checkpoint, on a shared disk or as a copy.
std::optional<std::string> find_copy(const Offer& offer,
                                     const CheckpointStore& store) {
  const std::string own = store.directory_of(offer.step);
  if (is_intact_copy(own, offer)) return own;
  if (offer.is_named && is_intact_copy(offer.directory, offer)) {
    return offer.directory;
  }
  return std::nullopt;
}

void send_file(Communicator& communicator, const std::string& path,
               std::uint64_t bytes) {
  std::ifstream source(path, std::ios::binary);
  std::string chunk;
  while (bytes > 0) {
    chunk.resize(std::min<std::uint64_t>(bytes, kChunkBytes));
    source.read(chunk.data(), static_cast<std::streamsize>(chunk.size()));
    if (!source) throw FileError(path + ": cannot be read", EIO);
    communicator.broadcast(chunk, 0);
    bytes -= chunk.size();
  }
}

void receive_file(Communicator& communicator, std::uint64_t bytes,
                  AtomicFile* file) {
  while (bytes > 0) {
    const std::string chunk = communicator.broadcast("", 0);
    if (file != nullptr) file->write(chunk);
    bytes -= chunk.size();
  }
}

/// Takes part in the sending; `directory`: where to write, "" for a rank that
/// needs no copy.
void receive_files(Communicator& communicator, const Offer& offer,
                   const std::string& directory) {
  for (const SentFile& file : offer.files()) {
    if (directory.empty()) {
      receive_file(communicator, file.bytes, nullptr);
      continue;
    }
    const std::string path = join_path(directory, file.path);
    create_directories(parent_path(path));
    AtomicFile target(path, file.bytes);
    receive_file(communicator, file.bytes, &target);
    target.commit();
  }
}

void receive(Communicator& communicator, const Offer& offer, bool is_missing,
             CheckpointStore& store) {
  // Of the processes of one host, one writes.
  std::optional<FileLock> lock;
  if (is_missing) {
    create_directories(store.root());
    lock = FileLock::try_take(join_path(store.root(), "receiving.lock"));
  }
  if (!lock) {
    receive_files(communicator, offer, "");
    return communicator.await_all();  // The writer may need a while longer.
  }
  log_info("rank 0 sends the checkpoint of step " + std::to_string(offer.step) +
           ", which this host lacks");
  store.save(offer.step, [&](const std::string& directory) {
    receive_files(communicator, offer, directory);
  });
  communicator.await_all();
}

}  // namespace

std::optional<Checkpoint> share_checkpoint(
    Communicator& communicator, const std::optional<Checkpoint>& found,
    CheckpointStore store) {
  const auto offer = broadcast_offer(communicator, found, store);
  if (!offer) return std::nullopt;
  const bool is_main = communicator.rank() == 0;
  std::optional<std::string> directory =
      is_main ? found->directory : find_copy(*offer, store);
  std::array<double, 1> missing{directory ? 0.0 : 1.0};
  communicator.reduce(missing, Reduction::kMaximum);
  if (missing[0] > 0) {
    if (is_main) {
      for (const SentFile& file : offer->files()) {
        send_file(communicator, join_path(offer->directory, file.path),
                  file.bytes);
      }
      communicator.await_all();
    } else {
      receive(communicator, *offer, !directory, store);
    }
    if (!directory) directory = find_copy(*offer, store);
  }
  if (!directory) {
    throw SystemError(store.directory_of(offer->step) +
                      ": the checkpoint that rank 0 sent did not arrive whole");
  }
  return Checkpoint{offer->step, *directory};
}

}  // namespace longformer
