# One target that carries every warning flag; every target of ours links it privately.
add_library(xbind_warnings INTERFACE)
target_compile_options(xbind_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Werror -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Wcast-qual
  -Woverloaded-virtual -Wconversion -Wno-sign-conversion -Wimplicit-fallthrough -Wundef
  # What g++ 12 sees and is not there: overlaps in "literal" + std::to_string(x), unset members in any
  # std::variant that is moved at -O3, and writes past the end where a std::vector of bytes grows.
  # The sanitizer builds look for the true ones.
  -Wno-restrict -Wno-maybe-uninitialized -Wno-stringop-overflow)
