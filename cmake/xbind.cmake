# Functions that define the project's targets.

# Release and sanitizer builds compile the sources of a target in batches, as one file each (decisions 0056, 0129): headers
# are parsed and templates are compiled once for a batch. Functions and types of unnamed namespaces share one
# scope in a batch, so their names differ within a target. `cmake --preset includes` compiles file by file.
option(XBIND_UNITY "Compile the sources of a library or program in batches" OFF)

# xbind_compile_in_batches(TARGET [SIZE]): SIZE files in a batch, by default 24.
function(xbind_compile_in_batches target)
  if(XBIND_UNITY)
    set(size 24)
    if(ARGC GREATER 1)
      set(size ${ARGV1})
    endif()
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${size})
    # g++ takes the members of a batch for headers, in which a type of an unnamed namespace is a mistake.
    # It collects garbage from 512 MiB on instead of 128: a batch needs that much, and collecting costs
    # up to a tenth of its time.
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage
      $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=524288>)
  endif()
endfunction()

# xbind_compile_alone(FILE ...): sources that stay outside the batches, each an object of its own. The simulator
# replaces these members of the library by those with planted mistakes (tests/sim/CMakeLists.txt).
function(xbind_compile_alone)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# Options and precompiled headers of a target. RARE: its code runs a few times in a process (options, reports,
# operators' commands), so the time to compile it counts for more than its speed (xbind_light_options).
function(xbind_compile_rare_or_hot target rare)
  if(rare)
    target_compile_options(${target} PRIVATE ${xbind_light_options})
    xbind_share_precompiled(${target} xbind_standard_rare)
  else()
    xbind_share_precompiled(${target} xbind_standard)
  endif()
  xbind_compile_in_batches(${target})
endfunction()

# xbind_library(NAME [RARE] SOURCES a.cpp ... [LINK lib ...]): a static library; headers are included by
# their path from the root.
function(xbind_library name)
  cmake_parse_arguments(ARG "RARE" "" "SOURCES;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_include_directories(${name} PUBLIC ${CMAKE_SOURCE_DIR})
  target_link_libraries(${name} PUBLIC ${ARG_LINK} PRIVATE xbind_warnings)
  xbind_compile_rare_or_hot(${name} ${ARG_RARE})
endfunction()

# The programs that users start, without those that measure.
add_custom_target(xbind_programs)

# xbind_program(NAME [RARE] [SERVER] SOURCES main.cpp ... LINK lib ...): a program in <build>/bin. SERVER:
# it runs for a long time, and one thread frees what another has allocated, so it uses jemalloc
# (docs/performance.md has the measurements), except in sanitizer builds, which have their own
# allocator.
function(xbind_program name)
  cmake_parse_arguments(ARG "RARE;SERVER" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} xbind_warnings)
  xbind_compile_rare_or_hot(${name} ${ARG_RARE})
  if(NOT name MATCHES "^fuzz_|_bench$|^add_rate$")
    add_dependencies(xbind_programs ${name})
  endif()
  if(ARG_SERVER AND XBIND_JEMALLOC AND NOT XBIND_SANITIZE)
    target_link_libraries(${name} PRIVATE PkgConfig::jemalloc)
  endif()
endfunction()

# Targets of the sanitizer builds: all unit tests, those with several threads, and those with a real ORB.
add_custom_target(xbind_orb_tests)
add_custom_target(xbind_unit_tests)
add_custom_target(xbind_thread_tests)

# Compile options of tests that use GoogleTest. -O1 overrides -O3 of a release: the tested code is
# in the libraries.
function(xbind_test_options name)
  target_compile_options(${name} PRIVATE ${xbind_light_options})
  xbind_share_precompiled(${name} xbind_testing)
endfunction()

# xbind_discover_tests(PROGRAM PREFIX LABEL): registers each test of a GoogleTest program with ctest
# as "PREFIXSuite.Test", with a time limit. A sanitizer build registers the whole program as one
# test, because starting an instrumented program costs more than most of its tests; WITHOUT: except
# for the tests that this filter of GoogleTest names.
function(xbind_discover_tests program prefix label)
  cmake_parse_arguments(PARSE_ARGV 3 ARG "" "WITHOUT" "")
  if(XBIND_SANITIZE)
    set(arguments --gtest_brief=1)
    if(ARG_WITHOUT)
      list(APPEND arguments "--gtest_filter=-${ARG_WITHOUT}")
    endif()
    add_test(NAME ${prefix}all COMMAND ${program} ${arguments})
    set_tests_properties(${prefix}all PROPERTIES LABELS "${label}" TIMEOUT 1800)
  else()
    gtest_discover_tests(${program} TEST_PREFIX "${prefix}"
      PROPERTIES LABELS ${label} TIMEOUT 120 DISCOVERY_TIMEOUT 60)
  endif()
endfunction()

# Batches of tests are small: who edits a test waits for its batch.
set(xbind_test_batch 8)

# xbind_unit_test(NAME [THREADS] [BATCHES] SOURCES x_test.cpp ... LINK lib ...): one GoogleTest program. Unit
# tests use no ORB, no socket and no sleep. THREADS: some of its tests start threads, so the thread
# sanitizer runs it too (label unit-threads). BATCHES: its files are compiled in batches, so their
# names in unnamed namespaces differ. UNSANITIZED filter: tests that the sanitizers do not run, because they
# repeat what others execute until a statistic is exact.
function(xbind_unit_test name)
  cmake_parse_arguments(ARG "THREADS;BATCHES" "UNSANITIZED" "SOURCES;LINK" ${ARGN})
  set(label unit)
  add_dependencies(xbind_unit_tests ${name})
  if(ARG_THREADS)
    set(label unit-threads)
    add_dependencies(xbind_thread_tests ${name})
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} xbind_test_source_dir GTest::gmock GTest::gtest_main xbind_warnings)
  xbind_test_options(${name})
  if(ARG_BATCHES)
    xbind_compile_in_batches(${name} ${xbind_test_batch})
  endif()
  xbind_discover_tests(${name} "${name}/" ${label} WITHOUT "${ARG_UNSANITIZED}")
endfunction()
