#include "core/config/variable_names.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "core/config/nearest_name.hpp"
#include "core/config/variable_name.hpp"

namespace xbind::config {
namespace {

// Variables that are no options: of the lab and its tools, of tests and of the build. A program
// that meets one runs in a test or a lab.
constexpr std::array<std::string_view, 13> kOthers{
    "XBIND_BIN_DIR",      "XBIND_FOREIGN_DIR",    "XBIND_INTEROP_DIR", "XBIND_KILL_ROUNDS",
    "XBIND_PLANTED_BUGS", "XBIND_REWRITE_GOLDEN", "XBIND_SANITIZE",    "XBIND_LAB_DIR",
    "XBIND_TESTS",        "XBIND_WATCH_PID",      "XBIND_WRITE_DOCS",  "XBIND_SEED",
    "XBIND_CORBA"};
// The same for whole families.
constexpr std::array<std::string_view, 6> kFamilies{"XBIND_CONFORMANCE_", "XBIND_FUZZ",
                                                    "XBIND_HOSTILE_",     "XBIND_SIM_",
                                                    "XBIND_TEST_",        "XBIND_CCACHE_"};

bool is_other(std::string_view variable) {
  if (std::ranges::find(kOthers, variable) != kOthers.end()) return true;
  return std::ranges::any_of(kFamilies,
                             [&](std::string_view family) { return variable.starts_with(family); });
}

}  // namespace

std::vector<std::string> process_variables() {
  std::vector<std::string> names;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view whole = *entry;
    if (whole.starts_with("XBIND_")) names.emplace_back(whole.substr(0, whole.find('=')));
  }
  return names;
}

std::optional<std::string> fault_of_variables(const std::vector<std::string>& variables,
                                              std::span<const std::string> own) {
  std::vector<std::string> known(own.begin(), own.end());
  for (const std::string_view option : option_names()) known.push_back(variable_of(option));
  for (const std::string& variable : variables) {
    if (is_other(variable) || std::ranges::find(known, variable) != known.end()) continue;
    const auto nearest = nearest_name(variable, known);
    return fmt::format("the environment variable {} names no option of any program{}", variable,
                       nearest ? fmt::format("; did you mean {}?", *nearest) : "");
  }
  return std::nullopt;
}

}  // namespace xbind::config
