#include "bench/commands/mode.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <memory>
#include <utility>

#include "bench/plot/plot.hpp"
#include "callgen/report/json_file.hpp"
#include "core/log.hpp"
#include "core/output.hpp"

namespace xbind::callgen {
namespace {

// Bounds that an idle system keeps easily.
constexpr const char* kDefaultObjective = "p99<5ms,unanswered=0,fail<0.1%";

std::atomic<bool> unread = false;  // the reader of standard output has left

orb::Runtime started(int argc, char** argv, const ClientOptions& client) {
  log::start("xbind-callgen", client.common.log);
  return orb::Runtime(argc, argv, client.common.runtime());
}

}  // namespace

void declare_mode_options(config::OptionSet& set, ModeOptions& options, const std::string& word,
                          std::initializer_list<const char*> ours) {
  declare_run_options(set, options.run);
  declare_client_options(set, options.client);
  set.add_string(
      "out", &options.out, "",
      fmt::format("Folder for {}.json, {}.csv and index.html; empty: none.", word, word));
  set.add_check([&set, word,
                 names = std::vector<const char*>(ours)]() -> std::optional<std::string> {
    for (const char* const name : names) {
      if (given_explicitly(set, name))
        return fmt::format("option --{} does not go with {}: it decides that itself", name, word);
    }
    return std::nullopt;
  });
  set.add_check([&options, word]() -> std::optional<std::string> {
    if (options.out.empty()) return std::nullopt;
    if (const auto prepared = prepare_folder(options.out, word); !prepared)
      return "option --out: " + prepared.error().text;
    if (const auto gnuplot = plot::check_gnuplot(); !gnuplot)
      return "option --out: " + gnuplot.error().text;
    return std::nullopt;
  });
}

void declare_objective(config::OptionSet& set, ObjectiveOption& option) {
  set.add_strings(
      "objective", &option.texts,
      fmt::format("What has to be kept, as p99<5ms, fail<0.1%, unanswered=0, p50(release)<2ms, "
                  "rate>900; none: {}. Where nothing bounds the calls that are not connected, "
                  "fail<=1% is added.",
                  kDefaultObjective));
  set.add_check([&option]() -> std::optional<std::string> {
    auto parsed = option.texts.empty() ? parse_objectives(std::string_view{kDefaultObjective})
                                       : parse_objectives(option.texts);
    if (!parsed) return "option --objective: " + parsed.error().text;
    option.objectives = with_refusal_bound(std::move(*parsed));
    return std::nullopt;
  });
}

RunFunction runs_of(const ModeOptions& options, orb::Runtime& runtime, StopFunction stop) {
  const bool live = isatty(STDERR_FILENO) == 1 && !options.run.quiet;
  return [&options, &runtime, live, hooks = RunHooks{.begin = {}, .stop = std::move(stop)},
          number = std::make_shared<std::uint64_t>(0)](const RunOptions& run) -> Result<RunReport> {
    ClientOptions client = options.client;
    if (client.client_name.empty()) client.client_name = fmt::format("callgen-{}", getpid());
    client.client_name += fmt::format("-{}", ++*number);
    RunOptions shown = run;
    shown.quiet = !live;
    const auto show = [](const Progress& progress) {
      std::fprintf(stderr, "\r%s\x1b[K", progress_line(progress).c_str());
      std::fflush(stderr);
    };
    auto report = run_once(client, shown, runtime, show, nullptr, hooks);
    if (live) std::fprintf(stderr, "\r\x1b[K");
    return report;
  };
}

void print_progress(const std::string& line) {
  std::printf("%s\n", line.c_str());
  static_cast<void>(output_fault());  // end_output() reports it
  if (reader_left_within(std::chrono::nanoseconds{0})) unread = true;
}

bool ModeSession::stop() { return unread || Interrupts::seen() != 0; }

ModeSession::ModeSession(int argc, char** argv, const ClientOptions& client)
    : runtime_(started(argc, argv, client)) {}

int ModeSession::failed(const Error& error) {
  fail_with(error);
  return stop() ? kInterruptedCode : 1;
}

int write_results(const ModeOptions& options, const std::string& word, const std::string& json,
                  const std::function<std::string()>& csv,
                  const std::function<Result<std::string>()>& page) {
  if (!options.run.json.empty()) {
    if (const auto written = write_file(options.run.json, json); !written)
      return fail_with(written.error());
  }
  if (options.out.empty()) return 0;
  // Write the figures even when a picture could not be drawn.
  const Result<std::string> html = page();
  const auto written = write_files(options.out, {word, json, csv(), html ? *html : std::string{}});
  if (!written) return fail_with(written.error());
  if (!html) return fail_with(html.error());
  if (!options.run.quiet) std::printf("Written to %s/index.html\n", options.out.c_str());
  return 0;
}

}  // namespace xbind::callgen
