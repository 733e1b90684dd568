// Callgen's files under libFuzzer: demands between endpoints, traces of calls, scenarios, reports
// of runs, lines of a generator's child, and the mixes of kinds of calls and priorities that its
// options name. The first octet chooses.
//
// What is accepted is written and read back, and calls can be drawn from it.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "bench/figures/process_shown.hpp"
#include "bench/search/generators.hpp"
#include "bench/search/rate_search.hpp"
#include "callgen/load/demand_file.hpp"
#include "callgen/load/scenario.hpp"
#include "callgen/load/trace.hpp"
#include "callgen/load/workload.hpp"
#include "callgen/options/scenario_file.hpp"
#include "callgen/report/report_from_json.hpp"
#include "tests/fuzz/property.hpp"

namespace {

using namespace xbind;
using namespace xbind::callgen;
using namespace xbind::fuzz;

void demands(std::string_view text) {
  const auto read = parse_demands(text, kFile);
  if (!read) return require_refusal(read.error());
  std::string written;
  for (const Demand& demand : *read) {
    written += fmt::format("{} {} {}\n", demand.from, demand.to, demand.weight);
  }
  const auto again = parse_demands(written, kFile);
  require(again.has_value(), "demands that were read and written are refused", written);
  const auto same = [](const Demand& a, const Demand& b) {
    return a.from == b.from && a.to == b.to && a.weight == b.weight;
  };
  require(std::ranges::equal(*read, *again, same), "demands are not read as written", written);

  auto workload = Workload::weighted(*read, 1);
  if (!workload) return require_sentence(workload.error().text);
  for (int i = 0; i < 8; ++i) {
    const Ends ends = workload->next();
    require(std::ranges::any_of(
                *read, [&](const Demand& it) { return it.from == ends.from && it.to == ends.to; }),
            "a call is drawn that no demand has");
  }
}

// Seconds are read as a double, which is exact to the nanosecond up to about 100 days.
bool close(Duration a, Duration b) { return std::llabs((a - b).count()) <= 8; }

void trace(std::string_view text) {
  const auto read = parse_trace(text, kFile);
  if (!read) return require_refusal(read.error());
  require(!read->calls.empty() && read->calls.size() <= kTraceCallsMax,
          "a trace has too few or too many calls");
  std::string written;
  Duration former{};
  for (std::size_t i = 0; i < read->calls.size(); ++i) {
    const TraceCall& call = read->calls[i];
    require(call.start >= former, "a trace goes back in time");
    former = call.start;
    const auto seconds = [](Duration time) {
      return fmt::format("{}.{:09}", time.count() / 1'000'000'000, time.count() % 1'000'000'000);
    };
    written += seconds(call.start);
    if (call.hold != TraceCall::kDrawn) {
      require(call.hold >= Duration{}, "a holding time is below zero");
      written += ' ' + seconds(call.hold);
    }
    require((call.from == TraceCall::kNobody) == (call.to == TraceCall::kNobody),
            "a call has one end only");
    if (read->has_ends(i)) {
      const Ends ends = read->ends(i);
      require(ends.from != ends.to, "a call calls itself");
      written += fmt::format(" {} {}", ends.from, ends.to);
    }
    written += '\n';
  }
  const auto again = parse_trace(written, kFile);
  require(again.has_value(), "a trace that was read and written is refused", written);
  const auto same = [](const TraceCall& a, const TraceCall& b) {
    return close(a.start, b.start) && close(a.hold, b.hold) && a.from == b.from && a.to == b.to;
  };
  require(again->names == read->names && std::ranges::equal(read->calls, again->calls, same),
          "a trace is not read as written", written);
}

std::vector<std::string> parts_of(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = text.find(',');
    parts.emplace_back(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  }
  return parts;
}

template <class Mix>
void mix(const Result<Mix>& read, Result<Mix> (*parse)(const std::vector<std::string>&)) {
  if (!read) return require_sentence(read.error().text);
  const std::string written = to_string(*read);
  const auto again = parse(parts_of(written));
  require(again && *again == *read, "a mix is not read as written", written);
  WeightedDraw<std::tuple_size_v<decltype(Mix::weights)>> draw(read->weights,
                                                               bits_for(1, Stream::kWorkload));
  for (int i = 0; i < 4; ++i) {
    require(read->weights[draw.next()] > 0, "a kind is drawn that the mix does not have", written);
  }
}

void scenario(std::string_view text) {
  const auto read = parse_scenario(text, kFile);
  if (!read) return require_refusal(read.error());
  require(!read->phases.empty() && read->phases.size() <= kPhasesMax, "a scenario has no phase");
  std::vector<RatePiece> rates;
  for (const ScenarioPhase& phase : read->phases) {
    require(phase.classes.size() == read->classes.size(), "a phase has other classes");
    rates.push_back(phase.rate);
  }
  const RateCurve curve(rates);
  const double calls = curve.calls_until(read->length());
  require(calls > 0, "a scenario without calls");
  Duration former{};
  for (int part = 0; part <= 8; ++part) {
    const Duration when = curve.time_of(calls * part / 9);
    require(when >= former && when <= read->length(), "a call lies outside of the phases");
    former = when;
  }
  former = {};
  for (const ScenarioEvent& event : read->events) {
    require(event.at >= former && event.at < read->length(), "an event lies outside of the phases");
    require(!event.command.empty(), "an event runs nothing");
    former = event.at;
  }
}

void report(std::string_view text) {
  const auto read = report_from_json(text);
  if (!read) return require_sentence(read.error().text);
  const std::string written = to_json(*read);
  const auto again = report_from_json(written);
  require(again.has_value(), "a report that was read and written is refused", written);
  require(to_json(*again) == written, "a report is not read as written", written);
}

void child_line(std::string_view text) {
  const auto read = parse_line(text);
  if (!read) return require_sentence(read.error().text);
  const std::string written = line_of(*read);
  const auto again = parse_line(written);
  require(again && line_of(*again) == written, "a line is not read as written", written);
}

void records(std::string_view text) {
  if (const auto read = figures::read_records(text); !read) require_sentence(read.error().text);
  if (const auto read = figures::read_report(text); !read) require_sentence(read.error().text);
  if (const auto read = parse_rates(text); !read) require_sentence(read.error().text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text = text_of({data + 1, size - 1});
  switch (data[0]) {
    case 't': trace(text); break;
    case 's': scenario(text); break;
    case 'j': report(text); break;
    case 'l': child_line(text); break;
    case 'c': records(text); break;
    case 'm': mix(parse_mix(parts_of(text)), parse_mix); break;
    case 'p': mix(parse_priorities(parts_of(text)), parse_priorities); break;
    default: demands(text);
  }
  return 0;
}
