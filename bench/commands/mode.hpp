// The common part of saturate, overload and soak: the options of a run and of its client, without
// those that the command sets itself, and how runs are made and shown.
#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

#include "bench/commands/command.hpp"
#include "bench/processes/interrupts.hpp"
#include "bench/search/mode_forms.hpp"
#include "bench/search/objective.hpp"
#include "bench/search/search.hpp"
#include "callgen/corba/corba_experiment.hpp"
#include "core/config/options.hpp"

namespace xbind::callgen {

struct ModeOptions {
  ClientOptions client;
  RunOptions run;
  std::string out;
};

// `word` is the command's word, which names the files in --out. The options in `ours` are refused
// when given: the command sets them.
void declare_mode_options(config::OptionSet& set, ModeOptions& options, const std::string& word,
                          std::initializer_list<const char*> ours);

// --objective, with its default and the bound of refusals (with_refusal_bound()).
struct ObjectiveOption {
  std::vector<std::string> texts;
  std::vector<Objective> objectives;  // of the loaded options
};
void declare_objective(config::OptionSet& set, ObjectiveOption& option);

// Makes one run after another, each under its own client name, with a progress line on a terminal.
// When `stop` returns true the current run ends with an error. `options` and `runtime` must outlive
// it.
RunFunction runs_of(const ModeOptions& options, orb::Runtime& runtime, StopFunction stop);

// The ORB and the signals of a command while it runs. The first signal stops it in order, the
// second ends the process.
class ModeSession {
 public:
  ModeSession(int argc, char** argv, const ClientOptions& client);

  orb::Runtime& runtime() { return runtime_; }
  // After a signal, or when nobody reads the progress any more (print_progress()).
  static bool stop();
  // The exit code after `error`, which is printed: 4 when stop() caused it, else 1.
  static int failed(const Error& error);

 private:
  orb::Runtime runtime_;
  Interrupts interrupts_{Interrupts::Second::kEndsTheProcess};
};

// Prints a line while the command still measures. If nobody can read it, because the reader of the
// pipe has left, the command stops in order; a full disk does not stop it, because the files of
// --json and --out may still be written.
void print_progress(const std::string& line);

// Writes --json and the files of --out, as far as they are given; 1 when that failed. `csv` and
// `page` are called for --out alone.
int write_results(const ModeOptions& options, const std::string& word, const std::string& json,
                  const std::function<std::string()>& csv,
                  const std::function<Result<std::string>()>& page);

}  // namespace xbind::callgen
