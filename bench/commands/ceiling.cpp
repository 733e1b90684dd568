// xbind-callgen ceiling: how many call operations a second managers complete at most.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bench/commands/commands.hpp"
#include "bench/commands/mode.hpp"
#include "bench/search/closed_loop.hpp"
#include "bench/search/compare_loops.hpp"
#include "callgen/corba/corba_target.hpp"
#include "callgen/options/load_options.hpp"
#include "callgen/report/json_file.hpp"
#include "callgen/report/report.hpp"
#include "core/duration_numbers.hpp"
#include "core/output.hpp"

namespace xbind::callgen {
namespace {

struct CeilingOptions {
  ClientOptions client;
  RunOptions run;
  std::uint32_t outstanding = 0;  // requests
  double seconds = 0;
};

// Options of `run` that this command refuses, besides those of an offered load
// (kOfferedLoadOptions): a closed loop has none.
constexpr std::array kNotOurs{"rate",        "trace",         "verify-media",      "endpoints",
                              "media-calls", "capture",       "progress-interval", "repeat-pair",
                              "watch-pid",   "media-at-stop", "reattach"};

void declare(config::OptionSet& set, CeilingOptions& options) {
  declare_run_options(set, options.run);
  declare_client_options(set, options.client);
  set.add_uint("outstanding", &options.outstanding, 2048, {1, 100'000},
               "Requests under way at any time.");
  set.add_double("seconds", &options.seconds, 5, {0.1, 3600}, "How long is measured.");
  set.add_check([&set]() -> std::optional<std::string> {
    const auto refusal = [&set](const auto& names) -> std::optional<std::string> {
      for (const char* const name : names) {
        if (given_explicitly(set, name))
          return fmt::format(
              "option --{} does not go with ceiling: it keeps --outstanding requests under way",
              name);
      }
      return std::nullopt;
    };
    if (const auto refused = refusal(kOfferedLoadOptions)) return refused;
    return refusal(kNotOurs);
  });
}

struct Ceiling {
  LoopPlan plan;
  LoopFigures figures;
  std::vector<std::string> managers;
  double commands_per_operation = 0;  // hops of a setup or release, and reservations
  std::optional<double> hit_ratio;    // of the label caches; nullopt: no label was needed
  std::map<std::string, AuditReport> audits;

  bool kept() const {
    return !figures.target_lost && figures.refused == 0 && figures.unanswered == 0 &&
           sum_of(audits).proves_clean();
  }
};

double grown(const std::vector<Metrics>& before, const std::vector<Metrics>& after,
             const std::string& name) {
  double sum = 0;
  for (std::size_t i = 0; i < after.size(); ++i) {
    const auto now = after[i].find(name);
    const auto then = before[i].find(name);
    if (now == after[i].end()) continue;
    sum += static_cast<double>(now->second) -
           (then == before[i].end() ? 0 : static_cast<double>(then->second));
  }
  return sum;
}

// Of all answered requests, those before and after the measurement included.
std::optional<double> refused_share(const LoopFigures& figures) {
  if (figures.all_operations == 0) return std::nullopt;
  return static_cast<double>(figures.refused) / static_cast<double>(figures.all_operations);
}

std::string to_text(const Ceiling& ceiling) {
  const LoopFigures& figures = ceiling.figures;
  const bool known = figures.latency.count() > 0;
  std::string text = fmt::format(
      "Ceiling of {} manager{}, {} requests under way, at most {} in a message\n"
      "  {:.0f} call operations (setups and releases) a second over {:.1f} s\n"
      "  {:.0f} hop commands a second, {:.3f} an operation; {} of labels from the cache\n"
      "  from sending to answer: median {} us, 99th percentile {} us (a closed loop waits "
      "for answers: not what a caller would see)\n",
      ceiling.managers.size(), ceiling.managers.size() == 1 ? "" : "s", ceiling.plan.in_flight,
      ceiling.plan.max_batch, figures.operations_per_s(),
      std::chrono::duration<double>(figures.measured).count(),
      figures.operations_per_s() * ceiling.commands_per_operation, ceiling.commands_per_operation,
      ceiling.hit_ratio ? fmt::format("{:.1f} %", 100 * *ceiling.hit_ratio) : "-",
      known ? fmt::format("{:.0f}", in_us(figures.latency.percentile(50))) : "-",
      known ? fmt::format("{:.0f}", in_us(figures.latency.percentile(99))) : "-");
  if (figures.refused > 0)
    text += fmt::format(
        "  {} of {} requests ({}) were refused or busy; the operations above were done. None may "
        "be refused: the exit code is 1\n",
        figures.refused, figures.all_operations, share_text(refused_share(figures)));
  for (const auto& [cause, times] : figures.causes)
    text += fmt::format("    {} times {}\n", times, to_string(cause));
  if (figures.unanswered > 0) text += fmt::format("  {} unanswered\n", figures.unanswered);
  if (figures.target_lost) text += "  a manager was lost\n";
  if (figures.interrupted) text += "  INTERRUPTED before its end\n";
  const AuditReport audit = sum_of(ceiling.audits);
  text += audit.proves_clean() ? "Audit clean\n" : "Audit NOT clean:\n";
  if (!audit.proves_clean()) {
    for (const std::string& finding : audit.findings) text += fmt::format("  {}\n", finding);
  }
  return text;
}

std::string to_json(const Ceiling& ceiling) {
  const LoopFigures& figures = ceiling.figures;
  std::map<std::string, std::uint64_t> causes;
  for (const auto& [cause, times] : figures.causes) causes[std::string{to_string(cause)}] = times;
  const bool known = figures.latency.count() > 0;
  const auto or_null = [](std::optional<double> number) {
    return number ? nlohmann::ordered_json(*number) : nlohmann::ordered_json(nullptr);
  };
  const nlohmann::ordered_json json{
      {"schema", kLoopSchema},
      {"managers", ceiling.managers},
      {"outstanding", ceiling.plan.in_flight},
      {"client_batch", ceiling.plan.max_batch},
      {"interrupted", figures.interrupted},
      {"seconds", std::chrono::duration<double>(figures.measured).count()},
      {"operations", figures.operations},
      {"operations_per_s", figures.operations_per_s()},
      {"commands_per_operation", ceiling.commands_per_operation},
      {"label_cache_hit_ratio", or_null(ceiling.hit_ratio)},
      {"latency_p50_us",
       or_null(known ? std::optional{in_us(figures.latency.percentile(50))} : std::nullopt)},
      {"latency_p99_us",
       or_null(known ? std::optional{in_us(figures.latency.percentile(99))} : std::nullopt)},
      {"refused", figures.refused},
      {"refused_share", or_null(refused_share(figures))},
      {"causes", causes},
      {"unanswered", figures.unanswered},
      {"audit_clean", sum_of(ceiling.audits).proves_clean()},
  };
  return json.dump(1) + "\n";
}

Result<Ceiling> measure(const CeilingOptions& options, orb::Runtime& runtime) {
  const RunOptions& run = options.run;
  CorbaTarget target(runtime, options.client.common.name_service, options.client.impairments);
  auto workload = workload_for(target, options.client, run);
  if (!workload) return tl::make_unexpected(workload.error());

  Ceiling ceiling;
  ceiling.managers = managers_of(run);
  if (const auto attached = attach_all(target, options.client, run); !attached)
    return tl::make_unexpected(attached.error());
  const RunPlan plan = plan_of(run);
  ceiling.plan.in_flight = options.outstanding;
  ceiling.plan.max_batch = plan.max_batch;
  ceiling.plan.managers = ceiling.managers.size();
  ceiling.plan.warm_up = std::max(plan.warm_up, ceiling.plan.warm_up);
  ceiling.plan.measured = Duration{static_cast<Duration::rep>(options.seconds * 1e9)};
  ceiling.plan.drain_timeout = plan.drain_timeout;
  ceiling.plan.service = plan.service;

  const auto before = target.statuses();
  if (!before) return tl::make_unexpected(before.error());
  ClosedLoop loop(ceiling.plan, std::move(*workload));
  target.play(loop, ModeSession::stop);
  ceiling.figures = loop.figures();
  const auto after = target.statuses();
  if (!after) return tl::make_unexpected(after.error());
  const double hits = grown(*before, *after, "label_cache_hits");
  const double takes = hits + grown(*before, *after, "label_cache_misses");
  if (takes > 0) ceiling.hit_ratio = hits / takes;
  if (ceiling.figures.all_operations > 0) {
    ceiling.commands_per_operation =
        grown(*before, *after, "commands") / static_cast<double>(ceiling.figures.all_operations);
  }
  for (const auto& [manager, audit] : target.audits()) {
    ceiling.audits[manager] = report_of(audit);
  }
  target.detach();
  return ceiling;
}

int run_ceiling(int argc, char** argv) {
  CeilingOptions options;
  config::OptionSet set(
      "xbind-callgen ceiling",
      "Keeps a number of requests under way: how many operations a second are completed at most.");
  declare(set, options);
  if (const auto exit_code = config::load_or_explain(set, argc, argv)) return *exit_code;
  ModeSession session(argc, argv, options.client);
  const auto ceiling = measure(options, session.runtime());
  if (!ceiling) return fail_with(ceiling.error());
  if (!options.run.quiet) print_output(to_text(*ceiling));
  if (!options.run.json.empty()) {
    if (const auto written = write_file(options.run.json, to_json(*ceiling)); !written)
      return fail_with(written.error());
  }
  if (!ceiling->kept()) return 1;
  return ceiling->figures.interrupted ? kInterruptedCode : 0;
}

}  // namespace

const Command kCeiling{"ceiling", "The most operations a second that managers complete.",
                       run_ceiling};

}  // namespace xbind::callgen
