// How every program declares and loads its options. Each option is declared once, with name, help
// sentence, default and bounds; --help, the refusals, docs/options.md and the check derive from it.
//
//   struct Options { std::uint64_t hop_timeout_ms; std::string name; bool watch; };
//   Options options;
//   config::OptionSet set("xbind-cmgr", "Sets up, changes and releases connections.");
//   set.add_string("name", &options.name, "cm1", "Name bound under xbind/cmgr/.");
//   set.add_uint("hop-timeout-ms", &options.hop_timeout_ms, 2000, {10, 60000},
//                "Milliseconds to wait for a hop's answer before the call is undone.");
//   set.add_flag("watch", &options.watch, "Release a client's connections when it dies.");
//   if (auto exit_code = config::load_or_explain(set, argc, argv)) return *exit_code;
//
// Where a value comes from, first match wins:
//   1. --name value or --name=value on the command line (a flag: --name, --name=false)
//   2. the environment: XBIND_ and the name in upper case, hyphens as underscores. One environment
//      serves all programs, so an option of another program is ignored; a variable that begins with
//      XBIND_ and names no option of any program is refused (variable_names.hpp)
//   3. the TOML file of --config FILE: `name = value`, each value of the kind that the option takes
//      (options_file.hpp)
//   4. the default
// A file is checked whole, even where a value is overridden; a variable only when it is used. A
// list option takes several values: repeat it, or separate them by commas. Values of different
// sources are not combined.
//
// Every program also has, on the command line only: --help (or -h), --version, --check-config
// (reports whether everything above is valid, and exits), --config FILE, and the hidden
// --print-options and --print-timers (its parts of docs/options.md and docs/timers.md); where it
// has a status, also --print-metrics (docs/metrics.md). Refused, with exit code 2 and one sentence
// that names option, value and bound: unknown names, values that cannot be parsed or are out of
// bounds, a value given twice in one source, stray arguments. omniORB's own options (-ORBname
// value) are skipped together with their value; the ORB reads them from the same argv.
//
// A program with several commands declares them with take_commands() when most options serve many
// commands; else it inspects argv[1] itself and makes one set per subcommand:
//   OptionSet set("xbind-callgen run", "..."); load_or_explain(set, argc - 1, argv + 1);
//
// Targets must outlive load(). Declaring sets the target to its default; load() changes either all
// targets or, when it refuses, none. Mistakes in a declaration (a name twice, a default out of
// bounds) are our bugs: XB_CHECK. One thread.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/config/options_file.hpp"
#include "core/durations.hpp"
#include "core/metrics/metric_table.hpp"
#include "core/result.hpp"

namespace xbind::config {

struct UintBounds {  // both ends included
  std::uint64_t min = 0;
  std::uint64_t max = std::numeric_limits<std::uint64_t>::max();
  std::string_view why_max = {};  // ends the refusal of a greater value; of static storage
};

struct DoubleBounds {  // both ends included; values are finite in any case
  double min = std::numeric_limits<double>::lowest();
  double max = std::numeric_limits<double>::max();
};

// What to print and return when the program must not run.
struct Exit {
  int code;                   // 0: print `text` on stdout; 2: on stderr
  std::string text;           // whole lines
  std::string sentence = {};  // why, with code 2: without the program's name
};

// The value of an environment variable, or nothing when it is not set.
using Environment = std::function<std::optional<std::string>(const std::string& variable)>;
Environment process_environment();

// One command of a program that has several: "drain SWITCH [PORT]".
struct Command {
  std::string verb;
  std::vector<std::string> arguments;  // those at the end in brackets are optional
  std::string help;                    // one sentence
  std::vector<std::string> options;    // options that only this and other naming commands have

  std::string usage() const;  // "drain SWITCH [PORT]"
};

// Commands that --help lists together, below a title.
struct CommandGroup {
  std::string title;
  std::vector<std::string> verbs;  // in this order
};

// An option whose value differs between two loads of the same declarations.
struct OptionChange {
  std::string name;
  std::string before;  // as an operator would type it; may be empty
  std::string after;
  std::string source;  // of `after`: "command line", "FILE line 3"; empty: the default
  bool live = false;   // see OptionSet::set_live()

  friend bool operator==(const OptionChange&, const OptionChange&) = default;
};

// One option as it is in use.
struct OptionValue {
  std::string name;
  std::string text;
  std::string source;  // as in OptionChange
  bool live = false;
};

class OptionSet {
 public:
  // `program`: as the operator types it, "xbind-callgen run". `purpose`: one sentence.
  OptionSet(std::string program, std::string purpose);

  // Names: lower-case words, digits and hyphens, beginning with a letter. `help`: one sentence with
  // the unit; default and bounds are added by the printers.
  void add_string(std::string name, std::string* target, std::string default_value,
                  std::string help);
  void add_flag(std::string name, bool* target, std::string help);  // default: false
  // Decimal digits alone: no sign, no exponent, no unit.
  template <std::unsigned_integral T>
  requires(!std::same_as<T, bool>) void add_uint(std::string name, T* target,
                                                 std::uint64_t default_value, UintBounds bounds,
                                                 std::string help) {
    add_uint_with(
        std::move(name), [target](std::uint64_t value) { *target = static_cast<T>(value); },
        default_value, bounds, std::numeric_limits<T>::max(), std::move(help));
  }
  void add_double(std::string name, double* target, double default_value, DoubleBounds bounds,
                  std::string help);
  void add_choice(std::string name, std::string* target, std::string default_value,
                  std::vector<std::string> choices, std::string help);
  // The same for an enum: {{"none", Durability::kNone}, {"disk", Durability::kDisk}}.
  template <class E>
  requires std::is_enum_v<E>
  void add_enum(std::string name, E* target, E default_value,
                std::initializer_list<std::pair<std::string, E>> choices, std::string help) {
    const std::vector<std::pair<std::string, E>> pairs{choices};
    std::vector<std::string> words;
    std::size_t default_index = pairs.size();
    for (const auto& [word, value] : pairs) {
      if (value == default_value && default_index == pairs.size()) default_index = words.size();
      words.push_back(word);
    }
    add_choice_with(
        std::move(name), [target, pairs](std::size_t index) { *target = pairs[index].second; },
        default_index, std::move(words), std::move(help));
  }
  // A list holds no empty value and no value with a comma. The default is the empty list.
  void add_strings(std::string name, std::vector<std::string>* target, std::string help);

  // Some source must set the option: its default is no valid value. --help and the like still work.
  void require(std::string_view name);
  // Accepts `min` to `max` arguments that belong to no option; `usage` is their name in --help,
  // "NAME". Without this call every such argument is refused.
  void take_arguments(std::string usage, std::vector<std::string>* target, std::size_t min,
                      std::size_t max);
  // Accepts a command and its arguments, verb first, instead of take_arguments(). Call it after all
  // options are declared. An option that no command names belongs to all of them. An option that
  // only other commands name is refused on the command line (not from the environment or a file,
  // which serve all commands). `PROGRAM COMMAND --help` describes that command only. `groups`: each
  // command is in one of them; none: --help lists the commands as they are.
  void take_commands(std::vector<Command> commands, std::vector<std::string>* target,
                     std::vector<CommandGroup> groups = {});
  // The program takes these options while it runs when they are loaded again (reload.hpp); any
  // other change needs a restart. --help and docs/options.md say so. They must be declared.
  void set_live(std::initializer_list<std::string_view> names);
  // Adds a paragraph about the program as a whole, after the options in --help and docs/options.md.
  void add_note(std::string note) { notes_.push_back(std::move(note)); }
  // Adds the durations of a room that the program runs; --help and docs/timers.md list them after
  // the options. A row that is an option of another program is left out. The --help of a program
  // with commands says how to list them instead.
  void add_timers(TimerTable table) { timers_.push_back(table); }
  // Metrics of the program's status: --print-metrics lists them.
  void add_metrics(MetricTable table) { metrics_.push_back(std::move(table)); }
  // Adds a check that involves several options. It runs after everything is loaded, also with
  // --check-config, and returns the sentence that describes the fault, or nullopt.
  void add_check(std::function<std::optional<std::string>()> check);

  // A value that goes before those of all sources, with `source` as its place. Call it before
  // load(), which checks the value. kBadInput: there is no such option.
  Result<void> put_first(std::string_view name, std::string text, std::string source);

  // Loads all values. nullopt: the targets are set and the program may run. Ignores args[0].
  // `variables`: the names of the environment that begin with XBIND_; a misspelt one is refused.
  std::optional<Exit> load(int argc, const char* const* argv, const Environment& environment,
                           const std::vector<std::string>& variables = {});

  // After load(): given() reports whether some source set the option. given_text() lists all
  // options that were set, "rate=300 (command line) ...", for the first line of a log.
  bool given(std::string_view name) const;
  std::string given_text() const;

  // After load(): all options in order of declaration.
  std::vector<OptionValue> values() const;
  // What differs in `other`, a loaded set of the same declarations. Numbers are compared by their
  // values, everything else as text.
  std::vector<OptionChange> changes_to(const OptionSet& other) const;

  // Help of the whole program; with a verb of take_commands(), of that command.
  std::string help(std::string_view verb = {}) const;
  std::string markdown() const;         // output of --print-options
  std::string timers_markdown() const;  // output of --print-timers
  std::string metrics_markdown() const;
  const std::string& program() const { return program_; }

 private:
  friend struct CompletionWriter;  // completion.hpp reads the declared options
  using Assign = std::function<void()>;
  struct Option {
    std::string name;
    std::string help;
    std::string value_name;             // "N"; empty: a flag, which needs no value
    std::string default_text;           // as an operator would type it
    std::string range;                  // "10 to 60000"; empty: anything
    ValueKind kind = ValueKind::kText;  // in a file
    bool required = false;
    bool live = false;

    bool list() const { return kind == ValueKind::kList; }
    // Refuses a setting of another kind; `place`: its file and line.
    Result<void> check_kind(const FileSetting& setting, const std::string& place) const;
    // Returns what to assign, or what is wrong with the text: "5 is less than 10 ...".
    std::function<Result<Assign>(const std::string& text)> read;
    Assign assign_default;
    std::optional<std::pair<std::string, std::string>> first;  // put_first(): text and source
    std::string source;      // after load(): "command line", ...; empty: default
    std::string given_text;  // after load(): the text as given

    const std::string& text() const { return source.empty() ? default_text : given_text; }
  };
  // One value from one source.
  struct Given {
    std::string text;
    std::string source;
  };
  struct CommandLine;

  Option& declare(Option option);
  void add_uint_with(std::string name, std::function<void(std::uint64_t)> assign,
                     std::uint64_t default_value, UintBounds bounds, std::uint64_t type_max,
                     std::string help);
  void add_choice_with(std::string name, std::function<void(std::size_t)> assign,
                       std::size_t default_index, std::vector<std::string> choices,
                       std::string help);
  const Option* find(std::string_view name) const;
  const Command* command(std::string_view verb) const;
  // The verbs of the commands that name the option; empty: the option belongs to every command.
  std::vector<std::string> takers_of(const std::string& option) const;
  Result<void> check_command(const std::vector<std::string>& words) const;
  Result<void> check_options_of(const Command& command) const;
  // The help text with default and bounds: "Calls to set up. (default 2000; 1 to 1000000)".
  static std::string meaning_of(const Option& option);
  bool has_live() const;
  // The options that belong to every command, below a title, with --help and its like.
  std::string common_options_text() const;
  std::string timers_text() const;
  // The rows of the table that this program has, with the program's own defaults.
  std::vector<NamedDuration> timers_of(const TimerTable& table) const;
  std::string command_help(const Command& command) const;
  std::string meant(std::string_view typed) const;  // ", did you mean --rate?" or empty

  Result<CommandLine> read_command_line(int argc, const char* const* argv) const;
  Result<void> keep_value(const std::string& name, const std::string& text, bool adjacent,
                          CommandLine& line) const;
  Result<std::vector<std::optional<Given>>> read_file_of(const std::string& path) const;
  Result<void> load_values(const CommandLine& line, const Environment& environment);
  Result<Assign> read_value(const Option& option, const Given& given) const;
  // `asked`: the command that was typed, whose --help is named; or null.
  Exit refusal(const std::string& sentence, const Command* asked = nullptr) const;

  std::string program_;
  std::string purpose_;
  std::vector<Option> options_;  // in order of declaration
  std::string arguments_usage_;
  std::vector<std::string>* arguments_ = nullptr;
  std::size_t arguments_min_ = 0;
  std::size_t arguments_max_ = 0;
  std::vector<Command> commands_;
  std::vector<CommandGroup> groups_;  // of the commands; may be empty
  std::vector<std::function<std::optional<std::string>()>> checks_;
  std::vector<std::string> notes_;
  std::vector<TimerTable> timers_;
  std::vector<MetricTable> metrics_;
};

// Calls load() with the environment of the process and prints the text of Exit. Returns the exit
// code of main(), or nullopt when the program may run.
std::optional<int> load_or_explain(OptionSet& set, int argc, const char* const* argv);

}  // namespace xbind::config
