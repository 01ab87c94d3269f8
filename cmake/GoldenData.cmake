# Unpacks tests/golden/*.tar.xz into the build folder, each again only when it
# has changed, and puts the vocabulary that scripts/setup.sh --tests made
# beside the byte-level BPE cases (it was made by others and is not committed).
include_guard(GLOBAL)

function(longformer_unpack_golden_data)
  set(target "${PROJECT_BINARY_DIR}/golden")
  file(MAKE_DIRECTORY "${target}")
  file(GLOB archives CONFIGURE_DEPENDS
       "${PROJECT_SOURCE_DIR}/tests/golden/*.tar.xz")
  foreach(archive IN LISTS archives)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${archive}")
    get_filename_component(name "${archive}" NAME)
    string(REGEX REPLACE "\\.tar\\.xz$" "" name "${name}")
    file(SHA256 "${archive}" digest)
    set(stamp "${target}/${name}.sha256")
    set(unpacked "")
    if(EXISTS "${stamp}")
      file(READ "${stamp}" unpacked)
    endif()
    if(NOT unpacked STREQUAL digest)
      message(STATUS "Unpacking golden data: ${name}")
      file(REMOVE "${stamp}")
      file(REMOVE_RECURSE "${target}/${name}")
      file(ARCHIVE_EXTRACT INPUT "${archive}" DESTINATION "${target}")
      file(WRITE "${stamp}" "${digest}")
    endif()
  endforeach()

  longformer_cache_dir(cache)
  set(vocabulary "${cache}/bpe-vocabulary")
  if(IS_DIRECTORY "${target}/tokenizer/bpe")
    if(EXISTS "${vocabulary}/vocab.json")
      foreach(file vocab.json merges.txt tokenizer.json)
        configure_file("${vocabulary}/${file}" "${target}/tokenizer/bpe/${file}"
                       COPYONLY)
      endforeach()
    else()
      message(STATUS "No BPE vocabulary in ${vocabulary}: the tests that need it "
                     "will fail. scripts/setup.sh --tests makes it.")
    endif()
  endif()
  set(LONGFORMER_GOLDEN_DIR "${target}" PARENT_SCOPE)
endfunction()
