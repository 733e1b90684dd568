// Loads option values from their sources in order of precedence.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/program_options/errors.hpp>
#include <boost/program_options/options_description.hpp>
#include <boost/program_options/parsers.hpp>
#include <boost/program_options/value_semantic.hpp>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "core/check.hpp"
#include "core/config/nearest_name.hpp"
#include "core/config/options.hpp"
#include "core/config/options_file.hpp"
#include "core/config/variable_name.hpp"
#include "core/config/variable_names.hpp"
#include "core/name.hpp"
#include "core/output.hpp"
#include "core/read_file.hpp"
#include "core/version.hpp"

namespace xbind::config {
namespace {

namespace po = boost::program_options;

constexpr std::size_t kFileOctetsMax = 1 << 20;
constexpr int kRefused = 2;

constexpr const char* kCommandLine = "command line";

// The arguments for this program, split at "--": what follows it is never an option.
struct Arguments {
  std::vector<std::string> before;
  std::vector<std::string> after;
};

Arguments without_orb_options(int argc, const char* const* argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--") {
      arguments.after.assign(argv + i + 1, argv + argc);
      break;
    }
    if (argument.starts_with("-ORB")) {
      ++i;  // skip its value
      continue;
    }
    arguments.before.emplace_back(argument);
  }
  return arguments;
}

std::string_view name_of(ValueKind kind) {
  switch (kind) {
    case ValueKind::kText: return "text";
    case ValueKind::kWhole: return "a whole number";
    case ValueKind::kReal: return "a number";
    case ValueKind::kFlag: return "true or false";
    case ValueKind::kList: break;
  }
  return "a list of texts";
}

}  // namespace

struct OptionSet::CommandLine {
  bool help = false;
  bool version = false;
  bool check_config = false;
  bool print_options = false;
  bool print_timers = false;
  bool print_metrics = false;
  std::optional<std::string> config;
  std::vector<std::optional<Given>> values;  // one per option of the set
  std::vector<std::string> arguments;
};

Environment process_environment() {
  return [](const std::string& variable) -> std::optional<std::string> {
    const char* value = std::getenv(variable.c_str());
    if (value == nullptr) return std::nullopt;
    return value;
  };
}

std::string OptionSet::meant(std::string_view typed) const {
  std::vector<std::string> known{"help", "version", "check-config", "config"};
  for (const Option& option : options_) known.push_back(option.name);
  const auto nearest = nearest_name(typed, known);
  return nearest ? fmt::format("; did you mean {}?", *nearest) : std::string{};
}

// Stores one command-line option with a value. `adjacent`: the value follows an equal sign.
Result<void> OptionSet::keep_value(const std::string& name, const std::string& text, bool adjacent,
                                   CommandLine& line) const {
  if (!adjacent && text.starts_with("--")) {
    return fail(ErrorCode::kBadInput,
                "the value of option --{0} is missing before {1}; if {1} is the value, write "
                "--{0}={1}",
                name, text);
  }
  if (name == "config") {
    if (line.config) {
      return fail(ErrorCode::kBadInput, "option --config is given twice: {} and {}", *line.config,
                  text);
    }
    line.config = text;
    return {};
  }
  const Option* option = find(name);
  XB_CHECK(option != nullptr, name);
  std::optional<Given>& value = line.values[static_cast<std::size_t>(option - options_.data())];
  if (value && !option->list()) {
    return fail(ErrorCode::kBadInput, "option --{} is given twice: {} and {}", name, value->text,
                text);
  }
  value = Given{value ? value->text + "," + text : text, kCommandLine};
  return {};
}

Result<OptionSet::CommandLine> OptionSet::read_command_line(int argc,
                                                            const char* const* argv) const {
  Arguments arguments = without_orb_options(argc, argv);
  po::options_description description;
  for (const Option& option : options_) {
    description.add_options()(option.name.c_str(), po::value<std::string>());
    if (!option.value_name.empty()) continue;
    // Otherwise Boost's optional values would consume the argument after the flag.
    std::ranges::replace(arguments.before, "--" + option.name, "--" + option.name + "=true");
  }
  description.add_options()("help", "")("version", "")("check-config", "")("print-options", "")(
      "print-timers", "")("print-metrics", "")("config", po::value<std::string>());

  po::parsed_options parsed(&description);
  try {
    namespace style = po::command_line_style;
    parsed = po::command_line_parser(arguments.before)
                 .options(description)
                 .style(style::allow_long | style::long_allow_adjacent | style::long_allow_next)
                 .allow_unregistered()
                 .run();
  } catch (const po::error& error) {  // "the required argument for option '--rate' is missing"
    return fail(ErrorCode::kBadInput, "{}", error.what());
  }

  CommandLine line;
  line.values.resize(options_.size());
  for (const po::option& seen : parsed.options) {
    const std::string& name = seen.string_key;
    if (seen.position_key >= 0) {
      line.arguments.insert(line.arguments.end(), seen.value.begin(), seen.value.end());
    } else if (seen.unregistered) {
      return fail(ErrorCode::kBadInput, "unknown option --{}{}", name, meant(name));
    } else if (name == "help") {
      line.help = true;
    } else if (name == "version") {
      line.version = true;
    } else if (name == "check-config") {
      line.check_config = true;
    } else if (name == "print-options") {
      line.print_options = true;
    } else if (name == "print-timers") {
      line.print_timers = true;
    } else if (name == "print-metrics") {
      line.print_metrics = true;
    } else {
      XB_CHECK(seen.value.size() == 1, name, seen.value.size());
      const bool adjacent = seen.original_tokens.size() == 1;
      const Result<void> kept = keep_value(name, seen.value.front(), adjacent, line);
      if (!kept) return tl::make_unexpected(kept.error());
    }
  }
  if (std::erase(line.arguments, "-h") != 0) line.help = true;
  for (const std::string& argument : line.arguments) {
    if (argument.size() > 1 && argument.front() == '-') {
      return fail(ErrorCode::kBadInput, "unknown option {}; options begin with two hyphens{}",
                  argument, meant(argument.substr(1)));
    }
  }
  line.arguments.insert(line.arguments.end(), arguments.after.begin(), arguments.after.end());
  return line;
}

Result<std::vector<std::optional<OptionSet::Given>>> OptionSet::read_file_of(
    const std::string& path) const {
  Result<std::string> text = read_file(path, kFileOctetsMax);
  if (!text) return tl::make_unexpected(std::move(text).error());
  const auto settings = parse_settings(*text, path, kFileOctetsMax);
  if (!settings) return tl::make_unexpected(settings.error());

  std::vector<std::optional<Given>> values(options_.size());
  for (const FileSetting& setting : *settings) {
    const std::string source = fmt::format("{} line {}", path, setting.line);
    const Option* option = find(setting.name);
    if (option == nullptr) {
      return fail(ErrorCode::kBadInput, "{}: unknown option {}{}", source, setting.name,
                  meant(setting.name));
    }
    if (const auto good = option->check_kind(setting, source); !good) {
      return tl::make_unexpected(good.error());
    }
    Given given{setting.text, source};
    if (const auto good = read_value(*option, given); !good) {
      return tl::make_unexpected(good.error());
    }
    values[static_cast<std::size_t>(option - options_.data())] = std::move(given);
  }
  return values;
}

// An option of numbers with a fraction also takes a whole number. The refusal says how to write the
// value where that is clear.
Result<void> OptionSet::Option::check_kind(const FileSetting& setting,
                                           const std::string& place) const {
  const ValueKind given = setting.kind;
  if (given == kind) return {};
  if (kind == ValueKind::kReal && given == ValueKind::kWhole) return {};
  std::string value;
  if (kind == ValueKind::kText && given != ValueKind::kList) {
    value = fmt::format("\"{}\"", setting.text);
  } else if (kind == ValueKind::kList) {
    value = fmt::format("[\"{}\"]", setting.text);
  } else if (given == ValueKind::kText && read(setting.text)) {
    value = setting.text;
  }
  return fail(ErrorCode::kBadInput, "{}: option {} takes {}, not {}{}", place, name, name_of(kind),
              name_of(given), value.empty() ? "" : fmt::format("; write {} = {}", name, value));
}

Result<OptionSet::Assign> OptionSet::read_value(const Option& option, const Given& given) const {
  Result<Assign> assign = option.read(given.text);
  if (assign) return assign;
  return fail(ErrorCode::kBadInput, "option --{} ({}): {}", option.name, given.source,
              assign.error().text);
}

Result<void> OptionSet::load_values(const CommandLine& line, const Environment& environment) {
  std::vector<std::optional<Given>> from_file(options_.size());
  if (line.config) {
    auto read = read_file_of(*line.config);
    if (!read) return tl::make_unexpected(std::move(read).error());
    from_file = std::move(*read);
  }

  // Check all values before any is assigned.
  std::vector<std::optional<Given>> chosen(options_.size());
  std::vector<Assign> assignments;
  for (std::size_t i = 0; i < options_.size(); ++i) {
    const Option& option = options_[i];
    if (option.first) chosen[i] = Given{option.first->first, option.first->second};
    if (!chosen[i]) chosen[i] = line.values[i];
    if (!chosen[i]) {
      const std::string variable = variable_of(option.name);
      if (const auto text = environment(variable)) {
        chosen[i] = Given{*text, "environment " + variable};
      }
    }
    if (!chosen[i]) chosen[i] = from_file[i];
    if (!chosen[i]) {
      if (option.required) {
        return fail(ErrorCode::kBadInput, "option --{} must be given: {}", option.name,
                    option.help);
      }
      assignments.push_back(option.assign_default);
      continue;
    }
    Result<Assign> assign = read_value(option, *chosen[i]);
    if (!assign) return tl::make_unexpected(std::move(assign).error());
    assignments.push_back(std::move(*assign));
  }

  if (!commands_.empty() && !line.arguments.empty()) {
    if (const auto good = check_command(line.arguments); !good) return good;
  }
  const std::size_t count = line.arguments.size();
  if (arguments_ == nullptr && count != 0) {
    return fail(ErrorCode::kBadInput, "stray argument '{}': {} takes options only",
                line.arguments.front(), program_);
  }
  if (count < arguments_min_) {
    return fail(ErrorCode::kBadInput, "{} of {} arguments given; expected {}", count,
                arguments_min_, arguments_usage_);
  }
  if (count > arguments_max_) {
    return fail(ErrorCode::kBadInput, "stray argument '{}': at most {} may be given ({})",
                line.arguments[arguments_max_], arguments_max_, arguments_usage_);
  }

  for (const Assign& assign : assignments) assign();
  if (arguments_ != nullptr) *arguments_ = line.arguments;
  for (std::size_t i = 0; i < options_.size(); ++i) {
    options_[i].source = chosen[i] ? chosen[i]->source : "";
    options_[i].given_text = chosen[i] ? chosen[i]->text : "";
  }
  return {};
}

Result<void> OptionSet::check_command(const std::vector<std::string>& words) const {
  const Command* const asked = command(words.front());
  if (asked == nullptr) {
    std::vector<std::string> verbs;
    for (const Command& each : commands_) verbs.push_back(each.verb);
    const auto nearest = nearest_name(words.front(), verbs);
    return fail(ErrorCode::kBadInput, "'{}' is no command{}", words.front(),
                nearest ? fmt::format("; did you mean {}?", *nearest) : "");
  }
  const std::vector<std::string>& wanted = asked->arguments;
  const std::size_t given = words.size() - 1;
  const auto may_miss = [](const std::string& argument) { return argument.starts_with('['); };
  const auto needed = static_cast<std::size_t>(
      std::find_if_not(wanted.rbegin(), wanted.rend(), may_miss).base() - wanted.begin());
  if (given > wanted.size() || given < needed) {
    return fail(
        ErrorCode::kBadInput, "{} with {} argument{}{}; it is: {}", asked->verb, given,
        given == 1 ? "" : "s",
        given < wanted.size() ? "" : fmt::format(", '{}' is too much", words[wanted.size() + 1]),
        asked->usage());
  }
  return {};
}

Result<void> OptionSet::check_options_of(const Command& command) const {
  for (const Option& option : options_) {
    if (option.source != kCommandLine) continue;
    const std::vector<std::string> takers = takers_of(option.name);
    if (takers.empty() || std::ranges::find(takers, command.verb) != takers.end()) continue;
    return fail(ErrorCode::kBadInput, "option --{} does not go with {}; it goes with {}",
                option.name, command.verb, fmt::join(takers, ", "));
  }
  return {};
}

Exit OptionSet::refusal(const std::string& sentence, const Command* asked) const {
  std::string shown = printable(sentence, kRefusalOctetsMax);
  std::string text = fmt::format("{0}: {1}\nTry '{0} {2}--help'.\n", program_, shown,
                                 asked == nullptr ? "" : asked->verb + " ");
  return Exit{kRefused, std::move(text), std::move(shown)};
}

std::optional<Exit> OptionSet::load(int argc, const char* const* argv,
                                    const Environment& environment,
                                    const std::vector<std::string>& variables) {
  const Result<CommandLine> line = read_command_line(argc, argv);
  if (!line) return refusal(line.error().text);
  if (line->help) return Exit{0, help(line->arguments.empty() ? "" : line->arguments.front())};
  if (line->version) return Exit{0, fmt::format("{} {} (OpenXbind)\n", program_, version())};
  if (line->print_options) return Exit{0, markdown()};
  if (line->print_timers) return Exit{0, timers_markdown()};
  if (line->print_metrics) return Exit{0, metrics_markdown()};
  const Command* const asked = line->arguments.empty() ? nullptr : command(line->arguments.front());
  std::vector<std::string> own;  // known even if the list of all options lacks one
  for (const Option& option : options_) own.push_back(variable_of(option.name));
  if (const auto fault = fault_of_variables(variables, own)) return refusal(*fault, asked);
  if (const Result<void> loaded = load_values(*line, environment); !loaded) {
    return refusal(loaded.error().text, asked);
  }
  if (!commands_.empty()) {
    if (const auto good = check_options_of(*asked); !good) {
      return refusal(good.error().text, asked);
    }
  }
  for (const auto& check : checks_) {
    if (const auto sentence = check()) return refusal(*sentence, asked);
  }
  if (line->check_config) return Exit{0, fmt::format("{}: all options are right\n", program_)};
  return std::nullopt;
}

std::optional<int> load_or_explain(OptionSet& set, int argc, const char* const* argv) {
  hold_standard_streams();
  const std::optional<Exit> exit = set.load(argc, argv, process_environment(), process_variables());
  if (!exit) return std::nullopt;
  if (exit->code != 0) {
    std::fputs(exit->text.c_str(), stderr);
    return exit->code;
  }
  print_output(exit->text);
  return end_output(set.program(), exit->code);
}

}  // namespace xbind::config
