// xbind-callgen generator: a child process of run --generators N. generators.hpp has its protocol.
#include "bench/search/generators.hpp"

#include <fmt/format.h>
#include <sys/prctl.h>

#include <csignal>
#include <cstdio>
#include <iostream>
#include <optional>
#include <string>

#include "bench/commands/commands.hpp"
#include "bench/processes/interrupts.hpp"
#include "callgen/corba/corba_experiment.hpp"
#include "core/log.hpp"
#include "core/output.hpp"

namespace xbind::callgen {
namespace {

void say(const ChildLine& line) {
  std::printf("%s\n", line_of(line).c_str());
  std::fflush(stdout);
}

// Only the parent stops this process, by SIGTERM. A Ctrl-C or a closed terminal reaches the parent
// as well.
void ignore_the_terminal() {
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGHUP, SIG_IGN);
}

// Blocks until the parent sends the start time.
Result<TimePoint> wait_for_start(Duration phase) {
  say(Ready{});
  std::string text;
  if (!std::getline(std::cin, text))
    return fail(ErrorCode::kUnreachable, "the parent process ended before the start");
  const auto line = parse_line(text);
  if (!line) return tl::make_unexpected(line.error());
  if (!std::holds_alternative<Started>(*line))
    return fail(ErrorCode::kProtocol, "the parent process sent '{}' instead of the start", text);
  return TimePoint{std::get<Started>(*line).at} + phase;
}

int generator(int argc, char** argv) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);  // without the parent nobody reads the report
  ignore_the_terminal();
  ClientOptions client;
  RunOptions options;
  std::uint64_t phase_ns = 0;
  config::OptionSet set("xbind-callgen generator",
                        "One of several generators; xbind-callgen run --generators starts it.");
  declare_run_options(set, options);
  declare_client_options(set, client);
  set.add_uint("phase-ns", &phase_ns, 0, {0, 3'600'000'000'000},
               "Nanoseconds after the common start at which this one's plan begins.");
  if (const auto exit_code = config::load_or_explain(set, argc, argv)) return *exit_code;
  log::start("xbind-callgen", client.common.log);
  orb::Runtime runtime(argc, argv, client.common.runtime());

  options.quiet = false;  // the parent decides what is shown
  if (options.progress_interval <= 0) options.progress_interval = 1;
  std::optional<Interrupts> interrupts;
  const RunHooks hooks{[phase_ns, &interrupts] {
                         auto begin =
                             wait_for_start(Duration{static_cast<Duration::rep>(phase_ns)});
                         interrupts.emplace(Interrupts::Second::kEndsTheProcess);
                         ignore_the_terminal();
                         return begin;
                       },
                       false, [] { return Interrupts::seen() != 0; }};
  const auto report = run_once(
      client, options, runtime, [](const Progress& progress) { say(progress); }, nullptr, hooks);
  if (!report) {
    say(ChildFailed{report.error().text});
    return 1;
  }
  const std::string json = to_json(*report);
  say(ReportFollows{json.size()});
  print_output(json);
  return 0;
}

}  // namespace

const Command kGeneratorCommand{"generator", "Started by run --generators: one of several.",
                                generator};

}  // namespace xbind::callgen
