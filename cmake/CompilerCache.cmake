# Uses ccache where it is installed.
include_guard(GLOBAL)

find_program(CCACHE_PROGRAM ccache)
mark_as_advanced(CCACHE_PROGRAM)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Without pch_defines and time_macros, ccache does not cache a file that uses
  # GCC's precompiled headers; the other two because the precompiled header is
  # newer than its users when the build starts from nothing.
  set(CMAKE_CXX_COMPILER_LAUNCHER
    "${CMAKE_COMMAND}" -E env
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
    "${CCACHE_PROGRAM}")
endif()
