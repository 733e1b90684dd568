# One target that carries every warning flag; every target of ours links it privately.
add_library(xbind_warnings INTERFACE)
target_compile_options(xbind_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Werror -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Wcast-qual
  -Woverloaded-virtual -Wconversion -Wno-sign-conversion -Wimplicit-fallthrough -Wundef
  -Wno-restrict)  # g++ 12 sees overlaps in "literal" + std::to_string(x) that are not there
