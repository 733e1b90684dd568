// Refuses misspelt environment variables. One environment serves all programs, so a program must
// know the options of the others: option_names.cpp lists them, and a test compares the list with
// docs/options.md.
//
// Pure, except for process_variables(); any thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace xbind::config {

// The names of all variables of the process that begin with XBIND_.
std::vector<std::string> process_variables();

// The options of all programs, sorted, as they are typed after the two hyphens.
std::span<const std::string_view> option_names();

// A sentence about the first of `variables` that is neither the variable of an option of some
// program, nor one of `own`, nor one that the lab, the tests or the build use; nullopt: there is
// none. It names the nearest variable of an option, if one is near.
std::optional<std::string> fault_of_variables(const std::vector<std::string>& variables,
                                              std::span<const std::string> own);

}  // namespace xbind::config
