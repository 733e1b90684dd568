# cmake -DSOURCES=dir -DOUT=file -P WriteRevision.cmake: writes a header with the git revision,
# "8b9424e", "8b9424e+" when the tree differs from it, "" outside git. Writes only when it has
# changed, so that no file is recompiled without need.
execute_process(COMMAND git -C ${SOURCES} describe --always --dirty=+ --exclude=*
  OUTPUT_VARIABLE revision OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed)
  set(revision "")
endif()
set(text "#define XBIND_REVISION \"${revision}\"\n")
set(before "")
if(EXISTS ${OUT})
  file(READ ${OUT} before)
endif()
if(NOT text STREQUAL before)
  file(WRITE ${OUT} "${text}")
endif()
