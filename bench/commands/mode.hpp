// What saturate, overload and soak have in common: the options of a run and of its client, of which those
// that the command decides itself are refused, and how a run is made and shown.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

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

// `word` is the command's, which names the files in --out. The options in `ours` are refused when given:
// the command sets them.
void declare_mode_options(config::OptionSet& set, ModeOptions& options, const std::string& word,
                          std::initializer_list<const char*> ours);

// --objective, with what is meant without it.
struct ObjectiveOption {
  std::vector<std::string> texts;
  std::vector<Objective> objectives;  // of loaded options
};
void declare_objective(config::OptionSet& set, ObjectiveOption& option);

// One run after the other, each under a client name of its own, with a line of progress on a terminal; the one
// in hand ends with an error when `stop` says so. `options` and `runtime` outlive it.
RunFunction runs_of(const ModeOptions& options, orb::Runtime& runtime, StopFunction stop);

int fail_with(const Error& error);  // 1, after the sentence on standard error
// Nothing without --out. Else writes the files; 1 when that failed.
int write_out(const ModeOptions& options, const std::string& word, std::string json,
              std::string csv, const Result<std::string>& html);

}  // namespace xbind::callgen
