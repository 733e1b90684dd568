// xbind-callgen run: offers calls and accounts for every one of them.
#include <unistd.h>

#include <cstdio>

#include "callgen/commands/commands.hpp"
#include "callgen/corba_experiment.hpp"
#include "callgen/json_file.hpp"
#include "core/log.hpp"

namespace xbind::callgen {
namespace {

int fail_with(const Error& error) {
  std::fprintf(stderr, "xbind-callgen: %s\n", error.text.c_str());
  return 1;
}

int run(int argc, char** argv) {
  ClientOptions client;
  RunOptions options;
  config::OptionSet set("xbind-callgen run", "Offers calls and accounts for every one of them.");
  declare_run_options(set, options);
  declare_client_options(set, client);
  if (const auto exit_code = config::load_or_explain(set, argc, argv)) return *exit_code;
  log::start("xbind-callgen", client.common.log_level);
  orb::Runtime runtime(argc, argv, client.common.runtime());

  const bool terminal = isatty(STDERR_FILENO) == 1;
  const auto report = run_once(client, options, runtime, [terminal](const Progress& progress) {
    std::fprintf(stderr, terminal ? "\r%s\x1b[K" : "%s\n", progress_line(progress).c_str());
    std::fflush(stderr);
  });
  if (!report) return fail_with(report.error());
  if (terminal && !options.quiet && options.progress_interval > 0) std::fprintf(stderr, "\n");

  if (!options.quiet) std::printf("%s", to_text(*report).c_str());
  if (!options.json.empty()) {
    if (const auto written = write_file(options.json, to_json(*report)); !written) {
      return fail_with(written.error());
    }
  }
  const Verdict verdict = judge(*report);
  if (options.quiet) {
    for (const std::string& reason : verdict.reasons) {
      std::fprintf(stderr, "xbind-callgen: %s\n", reason.c_str());
    }
  }
  return exit_code(verdict);
}

}  // namespace

const Command kRun{"run", "Offers calls and accounts for every one of them.", run};

}  // namespace xbind::callgen
