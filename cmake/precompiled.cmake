# Precompiles headers of other projects that nearly every file includes (decision 0028;
# docs/performance.md, "Building", has the measurements). Our own headers are never among them, so a
# change of one rebuilds only the files that include it. Every file still includes what it uses:
# ./check --long builds once with this option off.
option(XBIND_PRECOMPILED "Parse the standard library's and other projects' headers once" ON)

# ccache shares results that depend on a precompiled header only with these settings. In depend mode
# it reads the compiler's list of a file's headers instead of preprocessing the file again.
if(CCACHE AND XBIND_PRECOMPILED)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env ${XBIND_CCACHE_SETTINGS} CCACHE_DEPEND=1
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${CCACHE})
endif()

# xbind_precompiled(NAME HEADERS <h> ... [OPTIONS flag ...] LINK lib ...): for targets that are
# compiled with the same options (g++ 12 crashes when the optimisation differs) and that find those
# headers.
function(xbind_precompiled name)
  cmake_parse_arguments(ARG "" "" "HEADERS;OPTIONS;LINK" ${ARGN})
  if(NOT XBIND_PRECOMPILED)
    return()
  endif()
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
  file(GENERATE OUTPUT ${source} CONTENT "")
  add_library(${name} OBJECT EXCLUDE_FROM_ALL ${source})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} xbind_warnings)  # some of them define macros
  target_compile_options(${name} PRIVATE ${ARG_OPTIONS})
  target_precompile_headers(${name} PRIVATE ${ARG_HEADERS})
endfunction()

# xbind_share_precompiled(TARGET NAME)
function(xbind_share_precompiled target name)
  if(TARGET ${name})
    target_precompile_headers(${target} REUSE_FROM ${name})
  endif()
endfunction()

# What a release compiles with little optimisation: tests, and code that runs rarely. At -O1 g++ 12 reports
# false writes past the end of a std::string made of a long literal.
set(xbind_light_options $<$<CONFIG:Release>:-O1> -Wno-array-bounds)

set(xbind_standard_headers
  <algorithm> <array> <atomic> <chrono> <cstdint> <deque> <functional> <map> <memory> <mutex> <optional> <random>
  <set> <span> <sstream> <string> <string_view> <thread> <tuple> <unordered_map> <utility> <variant> <vector>
  <fmt/format.h> <tl/expected.hpp>)
