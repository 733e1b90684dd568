#include "bench/commands/command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace xbind::callgen {

int fail_with(const Error& error) {
  fmt::print(stderr, "xbind-callgen: {}\n", error.text);
  return 1;
}

bool given_explicitly(const config::OptionSet& set, std::string_view name) {
  return std::ranges::any_of(set.values(), [&](const config::OptionValue& one) {
    return one.name == name && !one.source.empty() && !one.source.starts_with("environment ");
  });
}

int refuse(std::string_view word, const std::string& sentence) {
  fmt::print(stderr, "xbind-callgen {}: {}\n", word, sentence);
  return 2;
}

}  // namespace xbind::callgen
