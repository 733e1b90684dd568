# How this project names its targets.

# xbind_library(NAME SOURCES a.cpp ... [LINK lib ...]): a static library, headers by path from the root.
function(xbind_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_include_directories(${name} PUBLIC ${CMAKE_SOURCE_DIR})
  target_link_libraries(${name} PUBLIC ${ARG_LINK} PRIVATE xbind_warnings)
endfunction()

# xbind_program(NAME SOURCES main.cpp ... LINK lib ...): lands in <build>/bin.
function(xbind_program name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} xbind_warnings)
endfunction()

# xbind_unit_test(NAME SOURCES x_test.cpp ... LINK lib ...): one GoogleTest binary, each test its own
# ctest entry. Unit tests touch no ORB, no socket, no sleep.
function(xbind_unit_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gmock GTest::gtest_main xbind_warnings)
  # g++ 12 at -O3 takes vectors that start empty for regions of size 0.
  target_compile_options(${name} PRIVATE -Wno-stringop-overflow)
  target_compile_definitions(${name} PRIVATE XBIND_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  gtest_discover_tests(${name} TEST_PREFIX "${name}/" PROPERTIES LABELS unit DISCOVERY_TIMEOUT 60)
endfunction()
