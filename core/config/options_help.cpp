// Prints an option set: --help and its parts of docs/options.md and docs/timers.md.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/program_options/options_description.hpp>
#include <boost/program_options/value_semantic.hpp>
#include <sstream>

#include "core/config/options.hpp"
#include "core/config/timer_option.hpp"
#include "core/metrics/exposed_metric.hpp"

namespace xbind::config {
namespace {

namespace po = boost::program_options;

constexpr unsigned kHelpColumns = 100;
constexpr std::size_t kUsageColumns = 24;  // of a command whose help stands beside it
constexpr const char* kSources =
    "An option may also come from the environment (--rate: XBIND_RATE) or from the file of "
    "--config;\n"
    "the command line goes first, then the environment, then the file.\n";

constexpr const char* kLive =
    "An option marked live may change while the program runs: `xbindctl reload NAME` or SIGHUP "
    "loads the environment and the file of --config again, whole or not at all.";
constexpr const char* kLiveMarkdown =
    "*Live*: taken while the program runs, by `xbindctl reload` or SIGHUP "
    "([operating.md](operating.md#reload)).";

// Escapes '|', which would end a table cell.
std::string cell(std::string_view text) {
  std::string escaped;
  for (char c : text) {
    if (c == '|') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

// Breaks `note` between words into lines of at most kHelpColumns; lines after the first begin with
// `indent` blanks.
std::string wrapped(const std::string& note, std::size_t column = 0, std::size_t indent = 0) {
  std::string text;
  std::istringstream words(note);
  bool first = true;
  for (std::string word; words >> word; column += word.size()) {
    if (!first) {
      const bool fits = column + 1 + word.size() < kHelpColumns;
      text += fits ? ' ' : '\n';
      if (!fits) text.append(indent, ' ');
      column = fits ? column + 1 : indent;
    }
    first = false;
    text += word;
  }
  return text + '\n';
}

// Lists the commands with their help, in groups if there are any. The help of a command whose usage
// is long has a line of its own.
std::string list_of(const std::vector<Command>& commands, const std::vector<CommandGroup>& groups) {
  std::size_t width = 0;
  for (const Command& each : commands) {
    if (each.usage().size() <= kUsageColumns) width = std::max(width, each.usage().size() + 4);
  }
  std::string text;
  const auto add_line = [&](const Command& command) {
    const std::string usage = "  " + command.usage();
    const std::string gap = usage.size() + 2 <= width ? std::string(width - usage.size(), ' ')
                                                      : '\n' + std::string(width, ' ');
    text += usage + gap + wrapped(command.help, width, width);
  };
  for (const CommandGroup& group : groups) {
    text += fmt::format("\n{}\n", group.title);
    for (const std::string& verb : group.verbs) {
      add_line(*std::ranges::find(commands, verb, &Command::verb));
    }
  }
  if (groups.empty()) std::ranges::for_each(commands, add_line);
  return text;
}

void add(po::options_description& description, const std::string& name,
         const std::string& value_name, const std::string& text) {
  if (value_name.empty()) {
    description.add_options()(name.c_str(), text.c_str());
  } else {
    description.add_options()(name.c_str(), po::value<std::string>()->value_name(value_name),
                              text.c_str());
  }
}

std::string text_of(const po::options_description& description) {
  std::ostringstream text;
  text << description;
  return text.str();
}

}  // namespace

std::string Command::usage() const {
  std::string usage = verb;
  for (const std::string& argument : arguments) usage += " " + argument;
  return usage;
}

std::string OptionSet::meaning_of(const Option& option) {
  std::vector<std::string> parts;
  if (option.value_name.empty()) {  // a flag
    // Its default is false.
  } else if (option.required) {
    parts.emplace_back("must be given");
  } else if (!option.default_text.empty()) {
    parts.push_back("default " + option.default_text);
  }
  if (!option.value_name.empty() && !option.range.empty()) parts.push_back(option.range);
  if (option.live) parts.emplace_back("live");
  return option.help + (parts.empty() ? "" : fmt::format(" ({})", fmt::join(parts, "; ")));
}

std::string OptionSet::common_options_text() const {
  po::options_description description(commands_.empty() ? "Options" : "Options of every command",
                                      kHelpColumns);
  for (const Option& option : options_) {
    if (takers_of(option.name).empty()) {
      add(description, option.name, option.value_name, meaning_of(option));
    }
  }
  add(description, "config", "FILE",
      "Read options from FILE, in TOML: one name = value a line, text in quotes.");
  add(description, "check-config", "", "Check all options, and exit.");
  if (!metrics_.empty()) {
    add(description, "print-metrics", "", "Print the metrics of the status, and exit.");
  }
  add(description, "version", "", "Print the version, and exit.");
  add(description, "help", "", "Print this, and exit; also -h.");
  return text_of(description) + '\n' + kSources;
}

std::string OptionSet::command_help(const Command& command) const {
  po::options_description own("Options of this command", kHelpColumns);
  for (const std::string& name : command.options) {
    const Option& option = *find(name);
    add(own, name, option.value_name, meaning_of(option));
  }
  const std::string usage = program_ + " " + command.usage();
  std::string text = fmt::format("{}\nUsage: {}\n\n", wrapped(usage + ": " + command.help),
                                 program_ + " [options] " + command.usage());
  if (!command.options.empty()) text += text_of(own) + '\n';
  return text + common_options_text();
}

bool OptionSet::has_live() const { return std::ranges::any_of(options_, &Option::live); }

std::string OptionSet::help(std::string_view verb) const {
  if (const Command* const one = command(verb)) return command_help(*one);
  std::string text =
      fmt::format("{}\nUsage: {} [options]{}\n\n", wrapped(program_ + ": " + purpose_), program_,
                  arguments_usage_.empty() ? "" : " " + arguments_usage_);
  if (!commands_.empty()) {
    text += fmt::format("Commands; `{} COMMAND --help` lists the options of one:\n{}\n", program_,
                        list_of(commands_, groups_));
  }
  text += common_options_text();
  if (has_live()) text += wrapped(kLive);
  if (commands_.empty()) {
    text += timers_text();
  } else if (!timers_.empty()) {
    text += fmt::format("\n`{} --print-timers` lists the timers.\n", program_);
  }
  for (const std::string& note : notes_) text += '\n' + wrapped(note);
  return text;
}

std::vector<NamedDuration> OptionSet::timers_of(const TimerTable& table) const {
  std::vector<NamedDuration> rows;
  for (NamedDuration row : table.rows) {
    if (row.source == TimerSource::kOption) {
      const Option* const option = find(row.name);
      if (option == nullptr) continue;
      // A program may have its own default.
      row.value = Duration{static_cast<Duration::rep>(
          std::stod(option->default_text) * static_cast<double>(unit_of(row.name).count()))};
    }
    rows.push_back(row);
  }
  return rows;
}

std::string OptionSet::timers_text() const {
  if (timers_.empty()) return "";
  constexpr std::size_t kNameColumns = 30;
  constexpr std::size_t kValueColumns = 8;
  std::string text = "\nTimers, fixed where no option sets them:\n";
  for (const TimerTable& table : timers_) {
    text += fmt::format("  {}\n", table.room);
    for (const NamedDuration& row : timers_of(table)) {
      const bool option = row.source == TimerSource::kOption;
      // The help of an option already describes its duration.
      text += fmt::format("    {:<{}}{:<{}}", fmt::format("{}{}", option ? "--" : "", row.name),
                          kNameColumns, duration_text(row.value), option ? 0 : kValueColumns);
      text += option ? "\n"
                     : wrapped(std::string(row.guards), 4 + kNameColumns + kValueColumns,
                               4 + kNameColumns + kValueColumns);
    }
  }
  return text;
}

std::string OptionSet::timers_markdown() const {
  std::string text = fmt::format(
      "## {}\n\n| room | timer | default | option | guards |\n| --- | --- | --- | --- | --- |\n",
      program_);
  for (const TimerTable& table : timers_) {
    for (const NamedDuration& row : timers_of(table)) {
      text += fmt::format("| {} | {} | {} | {} | {} |\n", table.room, row.name,
                          duration_text(row.value),
                          row.source == TimerSource::kOption ? fmt::format("`--{}`", row.name) : "",
                          cell(row.guards));
    }
  }
  return text;
}

std::string OptionSet::markdown() const {
  std::string text = fmt::format("## {}\n\n{}\n\n", program_, purpose_);
  if (commands_.empty() && !arguments_usage_.empty()) {
    text += fmt::format("Arguments: `{}`\n\n", arguments_usage_);
  }
  if (!commands_.empty()) {
    text += "| command | what it does |\n| --- | --- |\n";
    for (const Command& each : commands_) {
      text += fmt::format("| `{}` | {} |\n", cell(each.usage()), cell(each.help));
    }
    text += '\n';
  }
  if (options_.empty()) return text;
  text += commands_.empty()
              ? "| option | default | range | meaning |\n| --- | --- | --- | --- |\n"
              : "| option | of | default | range | meaning |\n| --- | --- | --- | --- | --- |\n";
  for (const Option& option : options_) {
    const std::string default_text =
        option.required ? "must be given"
                        : (option.default_text.empty() ? "empty" : "`" + option.default_text + "`");
    const auto takers = takers_of(option.name);
    const std::string of =
        commands_.empty()
            ? ""
            : fmt::format(" {} |",
                          takers.empty() ? "all" : fmt::format("{}", fmt::join(takers, ", ")));
    text += fmt::format("| `--{}` |{} {} | {} | {}{} |\n", option.name, of, cell(default_text),
                        cell(option.range.empty() ? "any" : option.range), cell(option.help),
                        option.live ? " *Live.*" : "");
  }
  if (has_live()) text += fmt::format("\n{}\n", kLiveMarkdown);
  for (const std::string& note : notes_) text += fmt::format("\n{}\n", note);
  return text;
}

std::string OptionSet::metrics_markdown() const {
  std::string text = fmt::format(
      "## {}\n\n| room | metric | kind | unit | meaning | in Prometheus |\n"
      "| --- | --- | --- | --- | --- | --- |\n",
      program_);
  for (const MetricTable& table : metrics_) {
    for (const MetricInfo& row : table.rows) {
      text += fmt::format("| {} | {} | {} | {} | {} | `{}` |\n", table.room, row.name,
                          to_string(row.kind), row.unit, cell(row.help),
                          exposed_metric(table.room, row).text());
    }
  }
  return text;
}

}  // namespace xbind::config
