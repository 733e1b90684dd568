#include "core/config/completion.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

namespace xbind::config {
namespace {

using Words = std::vector<std::string>;

constexpr std::string_view kChoice = "one of ";  // begins the range of a choice
constexpr const char* kCommon[] = {"--config", "--check-config", "--version", "--help"};

// One branch of a case statement.
std::string branch(const std::string& pattern, const std::string& candidates) {
  return fmt::format("      {}) candidates=({}) ;;\n", pattern, candidates);
}

std::string joined(const Words& words, const char* separator = " ") {
  return fmt::format("{}", fmt::join(words, separator));
}

// "a, b, c" as "a b c".
std::string without_commas(std::string words) {
  std::erase(words, ',');
  return words;
}

// "bash zsh" of "bash|zsh", "all" of "SWITCH|all".
std::string literal_parts(std::string argument) {
  std::erase_if(argument, [](char c) { return c == '[' || c == ']'; });
  Words parts;
  for (std::size_t start = 0; start <= argument.size();) {
    const std::size_t end = std::min(argument.find('|', start), argument.size());
    const std::string part = argument.substr(start, end - start);
    const bool literal =
        !part.empty() && std::ranges::none_of(part, [](char c) { return c >= 'A' && c <= 'Z'; });
    if (literal) parts.push_back(part);
    start = end + 1;
  }
  return joined(parts);
}

constexpr const char* kBashBegin = R"(# Completion of {0} for bash, made by `{0} completion bash`.
_{0}() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}}
  # bash splits --option=value at the equal sign.
  [[ $word == = ]] && word=
  [[ $before == = ]] && before=${{COMP_WORDS[COMP_CWORD-2]}}
  local verb= place=0 i program=${{COMP_WORDS[0]}}
  local -a candidates=()
  for ((i = 1; i < COMP_CWORD; ++i)); do
    case ${{COMP_WORDS[i]}} in
      {1}) if [[ ${{COMP_WORDS[i+1]}} == = ]]; then ((i += 2)); else ((++i)); fi ;;
      =) ((++i)) ;;
      -*) ;;
      *) if [[ -z $verb ]]; then verb=${{COMP_WORDS[i]}}; else ((++place)); fi ;;
    esac
  done
)";
constexpr const char* kBashFiles = "COMPREPLY=($(compgen -f -- \"$word\"))";
constexpr const char* kBashEnd = R"(  COMPREPLY=($(compgen -W "${{candidates[*]}}" -- "$word"))
}}
complete -F _{0} {0}
)";

constexpr const char* kZshBegin = R"(#compdef {0}
# Completion of {0} for zsh, made by `{0} completion zsh`.
_{0}() {{
  local word=${{words[CURRENT]}} before=${{words[CURRENT-1]}} verb= place=0 i
  local program=${{words[1]}}
  local -a candidates
  for ((i = 2; i < CURRENT; ++i)); do
    case ${{words[i]}} in
      {1}) ((++i)) ;;
      -*) ;;
      *) if [[ -z $verb ]]; then verb=${{words[i]}}; else ((++place)); fi ;;
    esac
  done
)";
constexpr const char* kZshFiles = "_files";
constexpr const char* kZshEnd = R"(  compadd -- $candidates
}}
if [[ $funcstack[1] == _{0} ]]; then _{0} "$@"; else compdef _{0} {0}; fi
)";

}  // namespace

// Has access to the declared options.
struct CompletionWriter {
  const OptionSet& set;
  const CompletionHints& hints;

  bool takes_next_word(const OptionSet::Option& option) const {
    return !option.value_name.empty() &&
           std::ranges::find(hints.adjacent, option.name) == hints.adjacent.end();
  }

  // "--a|--b": every option whose value is the next word.
  std::string valued() const {
    Words names{"--config"};
    for (const OptionSet::Option& option : set.options_) {
      if (takes_next_word(option)) names.push_back("--" + option.name);
    }
    return joined(names, "|");
  }

  // The branches for a word that is the value of the option before it.
  std::string values(const char* files) const {
    std::string text = fmt::format("    --config) {}; return ;;\n", files);
    Words unknown;
    for (const OptionSet::Option& option : set.options_) {
      if (option.range.starts_with(kChoice)) {
        text += fmt::format("    --{}) candidates=({}) ;;\n", option.name,
                            without_commas(option.range.substr(kChoice.size())));
      } else if (takes_next_word(option)) {
        unknown.push_back("--" + option.name);
      }
    }
    return text + fmt::format("    {}) return ;;\n", joined(unknown, "|"));
  }

  // The branches for options, by verb.
  std::string options() const {
    Words common;
    for (const OptionSet::Option& option : set.options_) {
      if (set.takers_of(option.name).empty()) common.push_back("--" + option.name);
    }
    common.insert(common.end(), std::begin(kCommon), std::end(kCommon));
    std::string text;
    for (const Command& command : set.commands_) {
      Words own;
      for (const std::string& name : command.options) own.push_back("--" + name);
      if (!own.empty()) text += branch(command.verb, joined(own));
    }
    return text + fmt::format("    esac\n    candidates+=({})\n", joined(common));
  }

  // The branches for arguments, by verb and place.
  std::string arguments() const {
    std::string text;
    for (const Command& command : set.commands_) {
      for (std::size_t i = 0; i < command.arguments.size(); ++i) {
        const auto hint = hints.arguments.find(command.arguments[i]);
        const std::string words =
            hint == hints.arguments.end() ? literal_parts(command.arguments[i]) : hint->second;
        if (!words.empty()) text += branch(fmt::format("{}:{}", command.verb, i), words);
      }
    }
    return text;
  }

  std::string verbs() const {
    Words all;
    for (const Command& command : set.commands_) all.push_back(command.verb);
    return joined(all);
  }
};

std::string completion_script(const OptionSet& set, Shell shell, const CompletionHints& hints) {
  const CompletionWriter writer{set, hints};
  const bool bash = shell == Shell::kBash;
  std::string text =
      fmt::format(fmt::runtime(bash ? kBashBegin : kZshBegin), set.program(), writer.valued());
  text += "  case $before in\n" + writer.values(bash ? kBashFiles : kZshFiles) + "  esac\n";
  text += "  if ((${#candidates[@]} > 0)); then\n    :\n";
  text += "  elif [[ $word == -* ]]; then\n    case $verb in\n" + writer.options();
  text += fmt::format("  elif [[ -z $verb ]]; then\n    candidates=({})\n", writer.verbs());
  text += "  else\n    case $verb:$place in\n" + writer.arguments() + "    esac\n  fi\n";
  return text + fmt::format(fmt::runtime(bash ? kBashEnd : kZshEnd), set.program());
}

}  // namespace xbind::config
