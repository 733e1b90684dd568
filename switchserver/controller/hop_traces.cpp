#include "switchserver/controller/hop_traces.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/log.hpp"
#include "core/log_about.hpp"

namespace xbind {
namespace {

// Parts of a command's time here; the number makes the id.
enum Part : std::uint64_t { kWhole, kLedger, kGsmp, kAnswer };

trace::Span span_of(const HopTrace& record, Part number, const char* name, TimePoint begin,
                    TimePoint end, const trace::WallClock& clock) {
  const std::uint64_t command =
      trace::span_of_command(record.result.key, record.result.action, record.result.revision);
  const std::uint64_t whole = trace::span_within(command, kWhole);
  trace::Span span;
  span.id = number == kWhole ? whole : trace::span_within(whole, number);
  span.parent = number == kWhole ? command : whole;
  span.name = name;
  span.begin_ns = clock.ns(begin);
  span.end_ns = clock.ns(end);
  span.key = record.result.key;
  return span;
}

void append(const HopTrace& record, std::string_view switch_name, const trace::WallClock& clock,
            std::vector<trace::Span>& spans) {
  const std::size_t first = spans.size();
  spans.push_back(span_of(record, kWhole, "switchserver", record.applied, record.sent, clock));
  spans.back().cause = record.result.cause;
  spans.back().detail =
      fmt::format("batch of {} command{}", record.commands, record.commands == 1 ? "" : "s");
  spans.push_back(span_of(record, kLedger, "ledger", record.applied, record.asked, clock));
  if (record.at_switch) {
    spans.push_back(span_of(record, kGsmp, "gsmp", record.asked, record.answered, clock));
  }
  spans.back().cause = record.result.cause;  // of the part that has decided
  if (record.result.port != PortId{}) {
    spans.back().detail = fmt::format("{} port {}", switch_name, record.result.port);
  }
  const TimePoint ready = record.at_switch ? record.answered : record.asked;
  spans.push_back(span_of(record, kAnswer, "answer", ready, record.sent, clock));
  for (std::size_t i = first; i < spans.size(); ++i) spans[i].place = switch_name;
}

void log_refusal(const HopResult& result) {
  const log::AboutCall about(result.key.connection.value());
  log::calls.debug("connection {}, hop {} of leg {}, generation {}: {}, port {}, {} asked, {} free",
                   result.key.connection, result.key.hop, result.key.leg, result.key.generation,
                   to_string(result.cause), result.port, result.asked, result.free);
}

}  // namespace

void HopTraces::sent(TimePoint asked, TimePoint now, std::vector<HopTrace>& traces) {
  for (HopTrace& trace : traces) {
    trace.asked = asked;
    trace.sent = now;
    records_.add(trace);
  }
  traces.clear();
}

bool HopTraces::wants(const HopResult& result, Duration took, const trace::ConnectionSet& traced,
                      TimePoint now) {
  const bool refused = result.cause != Cause::kNone;
  if (refused && log::calls.enabled(log::Level::kDebug)) log_refusal(result);
  if (traced.contains(result.key.connection)) return true;
  return (refused || took > slow_) && bucket_.take(trace::kUnsampledPerS, now);
}

trace::Part HopTraces::spans_of(ManagerIndex manager, ConnectionId connection,
                                std::string_view switch_name, const trace::WallClock& clock) const {
  constexpr std::size_t kSpansEach = 4;
  std::vector<const HopTrace*> found;
  records_.for_each_back([&](const HopTrace& record) {
    if (record.manager == manager && record.result.key.connection == connection)
      found.push_back(&record);
    return found.size() < trace::kSpansMax / kSpansEach;
  });
  trace::Part part;
  part.connection = part.shown_id = connection;
  part.overwritten = records_.overwritten();
  for (auto it = found.rbegin(); it != found.rend(); ++it) {
    append(**it, switch_name, clock, part.spans);
  }
  return part;
}

}  // namespace xbind
