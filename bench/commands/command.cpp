#include "bench/commands/command.hpp"

#include <fmt/format.h>

#include <cstdio>

namespace xbind::callgen {

int fail_with(const Error& error) {
  fmt::print(stderr, "xbind-callgen: {}\n", error.text);
  return 1;
}

int refuse(std::string_view word, const std::string& sentence) {
  fmt::print(stderr, "xbind-callgen {}: {}\n", word, sentence);
  return 2;
}

}  // namespace xbind::callgen
