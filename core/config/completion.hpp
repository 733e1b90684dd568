// Shell completion of a program with commands, made from its option tables (options.hpp): verbs,
// the options of each command, the words of options that are a choice, and arguments. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/config/options.hpp"

namespace xbind::config {

enum class Shell : std::uint8_t { kBash, kZsh };

struct CompletionHints {
  // What completes an argument of a command, by the argument's name ("ID"): shell words, which may
  // contain $(...); "$program" is the program as it was typed. Arguments without an entry complete
  // to the lower-case parts of their name, as "bash|zsh" does, or to nothing.
  std::map<std::string, std::string> arguments;
  // Options whose value is given with an equal sign only: the word after them is no value.
  std::vector<std::string> adjacent;
};

// The script to source; it defines the function _PROGRAM. bash 4 or zsh 5. The program must have
// been declared with take_commands().
std::string completion_script(const OptionSet& set, Shell shell, const CompletionHints& hints);

}  // namespace xbind::config
