# The one rule that runs omniidl. Stubs live in the build tree only.
find_package(PkgConfig REQUIRED)
pkg_check_modules(OMNIORB REQUIRED IMPORTED_TARGET omniORB4>=4.2)
find_program(OMNIIDL omniidl REQUIRED)

# A union of omniidl does not know that it owns a member until the member is unmarshalled. A message that ends
# within the member would leak it, up to the size of the message. So the union learns it before.
set(XBIND_UNION_OWNS_MEMBER "s/^( *)[(][*]_pd_[A-Za-z0-9_]+[)] <<= _n/\\1_pd__initialised = 1,\\n&/")

# xbind_add_idl(TARGET a.idl ...): a static library with the stubs and skeletons of the files, whose
# headers are included as "a.hh". Every file is compiled again when any of them changes.
function(xbind_add_idl target)
  set(sources)
  set(inputs)
  foreach(file ${ARGN})
    list(APPEND inputs ${CMAKE_CURRENT_SOURCE_DIR}/${file})
  endforeach()
  foreach(file ${ARGN})
    get_filename_component(stem ${file} NAME_WE)
    set(out ${CMAKE_CURRENT_BINARY_DIR}/${stem})
    add_custom_command(
      OUTPUT ${out}SK.cc ${out}.hh
      # The Debian modules belong to the system's Python, whichever Python is first in PATH.
      COMMAND ${CMAKE_COMMAND} -E env PATH=/usr/bin:/bin PYTHONPATH=/usr/lib/python3/dist-packages
              ${OMNIIDL} -bcxx -Wbh=.hh -Wbs=SK.cc -C${CMAKE_CURRENT_BINARY_DIR}
              ${CMAKE_CURRENT_SOURCE_DIR}/${file}
      COMMAND sed -E -i ${XBIND_UNION_OWNS_MEMBER} ${out}SK.cc
      VERBATIM
      DEPENDS ${inputs}
      COMMENT "omniidl ${file}")
    list(APPEND sources ${out}SK.cc ${out}.hh)
  endforeach()
  add_custom_target(${target}_headers DEPENDS ${sources})  # the stubs, not compiled
  add_library(${target} STATIC ${sources})
  target_include_directories(${target} SYSTEM PUBLIC ${CMAKE_CURRENT_BINARY_DIR})
  target_link_libraries(${target} PUBLIC PkgConfig::OMNIORB)
  target_compile_options(${target} PRIVATE -w)  # generated code
endfunction()
