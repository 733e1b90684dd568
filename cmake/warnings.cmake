# One target with all warning flags; all our targets link it privately.
add_library(xbind_warnings INTERFACE)
target_compile_options(xbind_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Werror -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Wcast-qual
  -Woverloaded-virtual -Wconversion -Wno-sign-conversion -Wimplicit-fallthrough -Wundef
  # False positives of g++ 12: overlaps in "literal" + std::to_string(x), unset members in any
  # std::variant that is moved at -O3, and writes past the end where a std::vector of bytes grows.
  # The sanitizer builds find real cases.
  -Wno-restrict -Wno-maybe-uninitialized -Wno-stringop-overflow)
