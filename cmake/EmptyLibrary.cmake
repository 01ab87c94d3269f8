# A static library needs at least one source. Gives an empty one to a library
# that no layer has added anything to yet.
function(longformer_fill_if_empty library)
  get_target_property(sources ${library} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  if(NOT sources)
    file(WRITE "${PROJECT_BINARY_DIR}/${library}_empty.cpp" "")
    target_sources(${library} PRIVATE "${PROJECT_BINARY_DIR}/${library}_empty.cpp")
  endif()
endfunction()
