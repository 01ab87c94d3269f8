# The libraries besides LibTorch, each behind one target `longformer::<name>`.
include_guard(GLOBAL)

find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
find_package(fmt 9 REQUIRED)
find_package(spdlog 1.10 REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(CLI11 2.1 REQUIRED)

add_library(longformer::json ALIAS nlohmann_json::nlohmann_json)
add_library(longformer::logging ALIAS spdlog::spdlog)
add_library(longformer::cli11 ALIAS CLI11::CLI11)

# xxHash and SentencePiece come without CMake packages.
find_path(XXHASH_INCLUDE_DIR xxhash.h REQUIRED)
find_library(XXHASH_LIBRARY xxhash REQUIRED)
mark_as_advanced(XXHASH_INCLUDE_DIR XXHASH_LIBRARY)
add_library(longformer::xxhash INTERFACE IMPORTED GLOBAL)
target_include_directories(longformer::xxhash SYSTEM INTERFACE
  "${XXHASH_INCLUDE_DIR}")
target_link_libraries(longformer::xxhash INTERFACE "${XXHASH_LIBRARY}")

find_path(SENTENCEPIECE_INCLUDE_DIR sentencepiece_trainer.h REQUIRED)
find_library(SENTENCEPIECE_LIBRARY sentencepiece REQUIRED)
find_library(SENTENCEPIECE_TRAIN_LIBRARY sentencepiece_train REQUIRED)
mark_as_advanced(SENTENCEPIECE_INCLUDE_DIR SENTENCEPIECE_LIBRARY
                 SENTENCEPIECE_TRAIN_LIBRARY)
add_library(longformer::sentencepiece INTERFACE IMPORTED GLOBAL)
target_include_directories(longformer::sentencepiece SYSTEM INTERFACE
  "${SENTENCEPIECE_INCLUDE_DIR}")
target_link_libraries(longformer::sentencepiece INTERFACE
  "${SENTENCEPIECE_TRAIN_LIBRARY}" "${SENTENCEPIECE_LIBRARY}")

# LibTorch ships its own, newer fmt in its include folder, which comes before
# /usr/include; the system's spdlog does not compile with it. So code that sees
# LibTorch gets a folder that holds nothing but a link to the system's fmt. It
# has to be a plain -I: those are searched before every -isystem, whatever the
# order of the libraries. (LibTorch's headers compile with fmt 9 as well.)
find_path(SYSTEM_FMT_INCLUDE_DIR fmt/core.h PATHS /usr/include
          NO_DEFAULT_PATH)
find_path(SYSTEM_FMT_INCLUDE_DIR fmt/core.h REQUIRED)
mark_as_advanced(SYSTEM_FMT_INCLUDE_DIR)
file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/fmt_first")
file(CREATE_LINK "${SYSTEM_FMT_INCLUDE_DIR}/fmt"
     "${PROJECT_BINARY_DIR}/fmt_first/fmt" SYMBOLIC)
add_library(longformer::fmt_before_torch INTERFACE IMPORTED GLOBAL)
target_compile_options(longformer::fmt_before_torch INTERFACE
  "-I${PROJECT_BINARY_DIR}/fmt_first")
target_link_libraries(longformer::fmt_before_torch INTERFACE fmt::fmt)
