#include "callgen/options/run_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <set>

#include "callgen/media/media_check.hpp"
#include "callgen/options/scenario_options.hpp"
#include "callgen/report/json_file.hpp"
#include "core/duration_numbers.hpp"

namespace xbind::callgen {
namespace {

std::optional<std::string> wrong_managers(const RunOptions& options) {
  if (options.managers.size() > kMostManagers)
    return fmt::format("option --manager names {} managers, at most {} are taken",
                       options.managers.size(), kMostManagers);
  const std::set<std::string> distinct(options.managers.begin(), options.managers.end());
  if (distinct.size() < options.managers.size())
    return fmt::format("option --manager {} names a manager twice",
                       fmt::join(options.managers, ","));
  return std::nullopt;
}

Result<std::vector<dataplane::NamedLink>> lines_of(const RunOptions& options) {
  return dataplane::parse_named_links(fmt::format("{}", fmt::join(options.media.endpoints, ",")));
}

std::optional<std::string> wrong_media(const config::OptionSet& set, const RunOptions& options) {
  if (!options.media.verify) {
    for (const char* const needs : {"endpoints", "media-calls", "media-at-stop", "capture"}) {
      if (set.given(needs))
        return fmt::format("option --{} needs --verify-media: without it no cells are sent", needs);
    }
    return std::nullopt;
  }
  if (parse_mix(options.mix).value().has(Scenario::kLeaf))
    return "options --verify-media and leaf in --mix exclude each other: no receiver listens at a "
           "leaf";
  if (options.media.at_stop && set.given("media-calls"))
    return fmt::format(
        "options --media-calls {} and --media-at-stop exclude each other: the latter checks every "
        "call that is up",
        options.media.calls);
  if (options.media.endpoints.empty())
    return "option --verify-media needs --endpoints, the lines where cells enter the network";
  const auto lines = lines_of(options);
  if (!lines) return fmt::format("option --endpoints: {}", lines.error().text);
  for (const dataplane::NamedLink& line : *lines) {
    if (line.link.kind == dataplane::LinkKind::kFrames)
      return fmt::format(
          "option --endpoints {}={}: frames are no cells, which are sent and checked", line.name,
          to_string(line.link));
    if (line.link.kind == dataplane::LinkKind::kRing)
      return fmt::format(
          "option --endpoints {}={}: a ring lies within one process, and the switch is "
          "another",
          line.name, to_string(line.link));
  }
  if (options.media.capture.empty()) return std::nullopt;
  if (!options.media.capture.ends_with(".erf") && !options.media.capture.ends_with(".pcap"))
    return fmt::format("option --capture {}: its end, .erf or .pcap, says the form",
                       options.media.capture);
  if (const auto writable = check_writable(options.media.capture); !writable)
    return fmt::format("option --capture: {}", writable.error().text);
  return std::nullopt;
}

}  // namespace

void declare_run_options(config::OptionSet& set, RunOptions& options) {
  const RunPlan plan;  // holds the defaults
  declare_load_options(set, options);
  declare_contract_options(set, options);
  set.add_strings("manager", &options.managers,
                  "Managers to call, by their names under xbind/cmgr/, in turn; none: default.");
  set.add_flag("reattach", &options.reattach,
               "Continue after the loss of a manager: attach to the restarted one and repeat the "
               "requests that have no answer.");
  set.add_flag("both", &options.both,
               "Ask for both directions in every call, the same service each way.");
  set.add_flag("verify-media", &options.media.verify,
               "Send cells through calls and after their release; see --endpoints.");
  set.add_strings("endpoints", &options.media.endpoints,
                  "NAME=SPEC: the line to an endpoint of the topology, SPEC as of xbind-switch's "
                  "--links but from the host's side; goes with --verify-media.");
  set.add_uint("media-calls", &options.media.calls, MediaPlan{}.calls, {1, 100'000},
               "Calls to verify at least, fewer only if fewer are connected; as many again on "
               "labels of released calls.");
  set.add_flag("media-at-stop", &options.media.at_stop,
               "Verify every call that is up when a signal ends the run, before its release, and "
               "no other; goes with --verify-media.");
  set.add_string("capture", &options.media.capture, "",
                 "File, .erf or .pcap, for the cells sent and received by --verify-media.");
  set.add_uint("client-batch", &options.client_batch, plan.max_batch, {1, 4096},
               "Most requests in one message to the manager.");
  set.add_double("drain-timeout", &options.drain_timeout, in_seconds(plan.drain_timeout),
                 {0, 86'400}, "Seconds to wait for answers after the last planned event.");
  set.add_double(
      "debts-timeout", &options.debts_timeout, 0, {0, 86'400},
      "Seconds that the audit waits for removals that the managers owe, at most; 0: none.");
  set.add_double(
      "warm-up", &options.warm_up, 0, {0, 86'400},
      "Seconds from the start whose requests are counted, but left out of latencies and rates.");
  set.add_string("json", &options.json, "", "File to write the report to as JSON.");
  set.add_flag("quiet", &options.quiet, "Print neither progress nor summary.");
  set.add_double("progress-interval", &options.progress_interval, 1, {0, 3600},
                 "Seconds between two lines of progress; 0 prints none.");

  set.add_check([&options] { return wrong_managers(options); });
  set.add_check([&set, &options] { return wrong_media(set, options); });
  set.add_check([&options]() -> std::optional<std::string> {
    if (options.json.empty()) return std::nullopt;
    const Result<void> writable = check_writable(options.json);
    if (writable) return std::nullopt;
    return fmt::format("option --json: {}", writable.error().text);
  });
}

std::vector<std::string> managers_of(const RunOptions& options) {
  return options.managers.empty() ? std::vector<std::string>{"default"} : options.managers;
}

std::vector<dataplane::NamedLink> endpoint_lines(const RunOptions& options) {
  return lines_of(options).value();  // checked when the options were loaded
}

RunPlan plan_of(const RunOptions& options) {
  RunPlan plan;
  fill_load(options, plan);
  plan.both_ways = options.both;
  plan.drain_timeout = duration_of(options.drain_timeout);
  plan.warm_up = duration_of(options.warm_up);
  plan.max_batch = options.client_batch;
  plan.managers = managers_of(options).size();
  plan.service = service_of(options);
  fill_scenario(options, plan);
  return plan;
}

}  // namespace xbind::callgen
