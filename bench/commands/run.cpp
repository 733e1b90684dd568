// xbind-callgen run: offers calls and accounts for every one of them.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/commands/commands.hpp"
#include "bench/commands/generator_processes.hpp"
#include "bench/commands/run_company.hpp"
#include "bench/commands/run_judging.hpp"
#include "bench/floor/floor_run.hpp"
#include "bench/forms/output_options.hpp"
#include "bench/forms/records_file.hpp"
#include "bench/processes/interrupts.hpp"
#include "callgen/corba/corba_experiment.hpp"
#include "callgen/options/scenario_options.hpp"
#include "callgen/report/json_file.hpp"
#include "core/log.hpp"
#include "core/output.hpp"

namespace xbind::callgen {
namespace {

std::string words_of(int argc, char** argv) {
  std::string words = "xbind-callgen";
  for (int i = 0; i < argc; ++i) words += std::string(" ") + argv[i];
  return words;
}

bool interrupted() { return Interrupts::seen() != 0; }

// `stop` with a message on standard error when it first returns true.
std::function<bool()> told_once(bool (*stop)()) {
  return [stop, printed = false]() mutable {
    if (!stop()) return false;
    if (!std::exchange(printed, true))
      std::fprintf(
          stderr,
          "\nxbind-callgen: interrupted: no further call is offered, and every call that is up is "
          "released; a second signal ends at once\n");
    return true;
  };
}

bool names_a_file(const std::vector<std::string>& words) {
  return std::any_of(words.begin(), words.end(), [](const std::string& word) {
    return word == "--config" || word.starts_with("--config=");
  });
}

int refuse_file(unsigned generators) {
  return refuse("run", fmt::format("option --generators {} does not go with --config: each "
                                   "generator has other options; give them here or in the "
                                   "environment",
                                   generators));
}

// In place of the summary.
void tell_reasons(const RunReport& report, const Verdict& verdict) {
  if (verdict.interrupted)
    std::fprintf(stderr, "xbind-callgen: %s\n", interruption_of(report).c_str());
  for (const std::string& reason : verdict.reasons)
    std::fprintf(stderr, "xbind-callgen: %s\n", reason.c_str());
}

int run_command(int argc, char** argv) {
  ClientOptions client;
  RunOptions options;
  config::OptionSet set("xbind-callgen run", "Offers calls and accounts for every one of them.");
  declare_run_options(set, options);
  declare_scenario_options(set, options);
  declare_client_options(set, client);
  OutputOptions output;
  declare_output_options(set, output);
  null::FloorOfRun floor;
  floor.declare(set);
  JudgingOptions judging;
  declare_judging_options(set, judging, options);
  RunCompany company;
  company.declare(set, judging.generators);
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (const auto exit_code = config::load_or_explain(set, argc, argv)) return *exit_code;
  if (judging.generators > 1 && names_a_file(words)) return refuse_file(judging.generators);
  log::start("xbind-callgen", client.common.log);
  orb::Runtime runtime(argc, argv, client.common.runtime());

  if (const auto measured = floor.before(client, options, runtime); !measured) {
    return fail_with(measured.error());
  }
  // From here on there may be calls to release and files to write.
  const Interrupts interrupts(Interrupts::Second::kEndsTheProcess);
  std::unique_ptr<RecordsFile> records;
  if (!output.records.empty()) {
    auto opened = RecordsFile::open(output.records);
    if (!opened) return fail_with(opened.error());
    records = std::move(*opened);
  }
  const bool keys = judging.generators == 1 && !options.quiet;
  if (const auto opened = company.open(options, keys, words_of(argc, argv)); !opened)
    return fail_with(opened.error());
  const bool terminal = isatty(STDERR_FILENO) == 1;
  const auto show = [terminal](const Progress& progress) {
    std::fprintf(stderr, terminal ? "\r%s\x1b[K" : "%s\n", progress_line(progress).c_str());
    std::fflush(stderr);
  };
  const auto stop = told_once(interrupted);
  auto report =
      judging.generators > 1
          ? run_generators(client, options, judging.generators, words, runtime, show, stop)
          : run_once(client, options, runtime, show, records.get(), company.hooks(stop));
  company.close();
  if (!report) {
    fail_with(report.error());
    return interrupted() ? kInterruptedCode : 1;
  }
  company.finish(*report);
  report->manifest["command line"] = words_of(argc, argv);
  hold_against(judging, *report);
  int trouble = 0;  // continue after an error, so that the remaining files are written
  if (!report->interrupted) {
    if (const auto measured = floor.after(runtime, *report); !measured)
      trouble = fail_with(measured.error());
  }
  if (terminal && !options.quiet && options.progress_interval > 0) std::fprintf(stderr, "\n");

  if (!options.quiet) print_output(to_text(*report));
  if (!options.json.empty()) {
    if (const auto written = write_file(options.json, to_json(*report)); !written)
      trouble = fail_with(written.error());
  }
  if (records) {
    if (const auto written = records->finish(mark_of(*report)); !written)
      trouble = fail_with(written.error());
  }
  if (const auto written = write_outputs(output, *report); !written)
    trouble = fail_with(written.error());
  const Verdict verdict = judge(*report);
  if (options.quiet) tell_reasons(*report, verdict);
  return trouble != 0 ? trouble : exit_code(verdict);
}

}  // namespace

const Command kRun{"run", "Offers calls and accounts for every one of them.", run_command};

}  // namespace xbind::callgen
