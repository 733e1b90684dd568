# -DXBIND_SANITIZE=address,undefined | thread: applies to everything, including generated stubs.
set(XBIND_SANITIZE "" CACHE STRING "Sanitizers, as the compiler's -fsanitize= takes them")
if(XBIND_SANITIZE)
  add_compile_options(-fsanitize=${XBIND_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${XBIND_SANITIZE})
  # Indexes beyond a std::vector's end that stay within its capacity, empty optionals, and the like.
  add_compile_definitions(_GLIBCXX_ASSERTIONS)
  if(XBIND_SANITIZE STREQUAL "thread")
    # Boost.Asio has fences, which the sanitizer does not understand; its locks do not need them.
    add_compile_options($<$<CXX_COMPILER_ID:GNU>:-Wno-tsan>)
  endif()
endif()
