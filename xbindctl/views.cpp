// Commands that show the present state and change nothing.
#include <algorithm>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/duration_text.hpp"
#include "core/metrics/stage_times.hpp"
#include "core/output.hpp"
#include "core/session/session_end.hpp"
#include "orb/convert.hpp"
#include "xbindctl/answers.hpp"
#include "xbindctl/commands.hpp"

namespace xbind::ctl {
namespace {

bool both_ways(const v2::ConnectionState& state) {
  return state.reverse_resources.cells_per_s != 0 || state.reverse_resources.buffer_cells != 0;
}

// "host-b", or "-" once the first destination was dropped.
std::string callee_of(const v2::ConnectionState& state) {
  const std::string to = state.to_end.in();
  return to.empty() ? "-" : to;
}

// "0/32"; "?" for a label of a kind that this version does not know.
std::string words_of(const v2::LabelValue& label) {
  const auto core = orb::to_core(label);
  return core ? to_string(*core) : std::string{"?"};
}

std::string words_of(const v2::Demand& demand) {
  return fmt::format("{} cells/s, {} cells of buffer", demand.cells_per_s, demand.buffer_cells);
}

// Words are never cut: a name wider than its column shifts the rest of its line.
constexpr const char* kListLine = "{:<20} {:<10} {:<16} {:<16} {:>13} {:>5} {:>6}  {}";

// Number of hops in the caller's direction.
std::size_t hops_of(const v2::ConnectionState& state) {
  std::size_t hops = 0;
  for (CORBA::ULong i = 0; i < state.hops.length(); ++i) hops += state.hops[i].leg == 0 ? 1 : 0;
  return hops;
}

void print_line(const v2::ConnectionState& state) {
  std::string rate = fmt::format("{}", state.resources.cells_per_s);
  if (both_ways(state)) rate += fmt::format(" + {}", state.reverse_resources.cells_per_s);
  say(fmt::format(kListLine, state.connection, words_of_phase(state.phase), state.from_end.in(),
                  callee_of(state), rate, hops_of(state), state.leaves.length(),
                  state.client.in()));
}

// Names a leg for people; the numbers are those of the contract.
std::string leg_words(CORBA::UShort leg) {
  switch (leg) {
    case 0: return "forward";
    case 1: return "reverse";
    default: return fmt::format("leaf, leg {}", leg);
  }
}

void print_hops(const v2::HopStateSeq& hops) {
  for (CORBA::ULong i = 0; i < hops.length(); ++i) {
    const v2::HopState& hop = hops[i];
    if (i == 0 || hop.leg != hops[i - 1].leg) say(leg_words(hop.leg));
    say(fmt::format("  hop {:<2}    {:<16} port {} label {:<8} -> port {} label {}", hop.number,
                    hop.switch_name.in(), hop.input_port, words_of(hop.input_label),
                    hop.output_port, words_of(hop.output_label)));
  }
}

// Which frames the labels at the two ends stand for where a port carries frames
// (core/frame_traffic.hpp); empty: none.
std::string frames_of(const v2::ConnectionState& state) {
  std::string words;
  const auto add = [&](const char* end, const v2::LabelValue& label) {
    const Result<Label> known = orb::to_core(label);
    const auto frames = known ? FrameTraffic::of(*known) : std::nullopt;
    if (frames) words += fmt::format("{}{} at {}", words.empty() ? "" : ", ", frames->text(), end);
  };
  const v2::HopStateSeq& hops = state.hops;
  CORBA::ULong ends = 0;  // of leg 0
  while (ends < hops.length() && hops[ends].leg == 0) ++ends;
  if (ends == 0) return words;
  add(state.from_end, hops[0].input_label);
  if (*state.to_end.in() != '\0') add(state.to_end, hops[ends - 1].output_label);
  return words;
}

Row row_of(const v2::CacheState& cache) {
  const double asked = static_cast<double>(cache.hits) + static_cast<double>(cache.misses);
  const double hit = asked == 0 ? 0 : 100 * static_cast<double>(cache.hits) / asked;
  return {name_of_cache(cache.cache),
          cache.element.in(),
          fmt::format("{}", cache.hits),
          fmt::format("{}", cache.misses),
          asked == 0 ? "-" : fmt::format("{:.1f} %", hit),
          fmt::format("{}", cache.size),
          cache.wanted == 0 ? "-" : fmt::format("{}", cache.wanted),
          cache.size == 0 ? "-" : fmt::format("{:.1f} s", static_cast<double>(cache.age_ms) / 1e3)};
}

Row row_of(const v2::ClientState& client) {
  std::string ended = "-";
  if (client.ended) {
    ended = to_string(static_cast<SessionEnd>(client.why_ended));
    if (client.reason.in()[0] != '\0') ended += fmt::format(": {}", client.reason.in());
  }
  return {client.name.in(),
          client.session == 0 ? "-" : "attached",
          ended,
          fmt::format("{}", client.client_epoch),
          fmt::format("{}", client.requests),
          fmt::format("{}", client.connections),
          fmt::format("{}", client.cells_per_s)};
}

// Returns the word for a status number that stands for a word; nullopt for other metrics.
std::optional<std::string> word_of(const std::string& metric, std::uint64_t value) {
  const auto of = [&](std::initializer_list<const char*> words) {
    return value < words.size() ? *(words.begin() + value) : fmt::format("unknown ({})", value);
  };
  if (metric == "engine") return of({"xbind", "sequential", "threaded"});
  if (metric == "state_kept") {
    return of(
        {"no: without --state-dir its epoch, and pools and options that operators set at run "
         "time, end with its process",
         "yes"});
  }
  if (metric == "aggregation_mode") return name_of_mode(static_cast<CORBA::Octet>(value));
  return std::nullopt;
}

// Calls of peers to the manager (orb/dispatch.hpp names the counters).
struct Upcalls {
  std::uint64_t calls = 0;
  std::uint64_t ns = 0;
  std::uint64_t refused = 0;
  std::uint64_t failed = 0;
};

// Moves these counters out of `metrics`; the others keep their order.
std::map<std::string, Upcalls> take_upcalls(Metrics& metrics) {
  // Longer prefixes first: "upcalls_refused_list" also begins with "upcalls_".
  constexpr std::pair<std::string_view, std::uint64_t Upcalls::*> kCounters[] = {
      {"upcalls_refused_", &Upcalls::refused},
      {"upcalls_failed_", &Upcalls::failed},
      {"upcall_ns_", &Upcalls::ns},
      {"upcalls_", &Upcalls::calls}};
  std::map<std::string, Upcalls> upcalls;
  std::erase_if(metrics, [&](const auto& metric) {
    const std::string_view name = metric.first;
    if (name == "upcalls_not_permitted") return false;
    for (const auto& [prefix, counter] : kCounters) {
      if (!name.starts_with(prefix)) continue;
      upcalls[std::string{name.substr(prefix.size())}].*counter = metric.second;
      return true;
    }
    return false;
  });
  return upcalls;
}

void print_upcalls(const std::map<std::string, Upcalls>& upcalls) {
  if (upcalls.empty()) return;
  std::vector<Row> rows{{"called for", "times", "mean", "refused", "failed"}};
  for (const auto& [operation, counts] : upcalls) {
    const std::string mean =
        counts.calls == 0
            ? "-"
            : duration_text(static_cast<double>(counts.ns) / static_cast<double>(counts.calls));
    rows.push_back({operation, fmt::format("{}", counts.calls), mean,
                    fmt::format("{}", counts.refused), fmt::format("{}", counts.failed)});
  }
  say("");
  print_table(1, rows);
}

}  // namespace

int describe(const client::TwoWay& manager, ConnectionId connection) {
  const auto described = manager.describe(connection);
  if (!described) return explain(described.error());
  print_state(described->in());
  return 0;
}

void print_state(const v2::ConnectionState& state) {
  const bool both = both_ways(state);
  say(fmt::format("connection  {}", state.connection));
  say(fmt::format("phase       {}, generation {}", words_of_phase(state.phase), state.generation));
  say(fmt::format("client      {}, request {}", state.client.in(), state.request));
  say(fmt::format("ends        {} {} {}", state.from_end.in(), both ? "<->" : "->",
                  callee_of(state)));
  say(fmt::format("takes       {}", words_of(state.resources)));
  if (both) say(fmt::format("reverse     {}", words_of(state.reverse_resources)));
  if (const std::string frames = frames_of(state); !frames.empty()) {
    say("as frames   " + frames);
  }
  if (state.up_since_s != 0) say("up since    " + time_words(state.up_since_s));
  if (state.changed_s != 0) say("changed     " + time_words(state.changed_s));
  if (state.reroutes != 0) say("rerouted    " + counted(state.reroutes, "time"));
  if (state.phase == v2::phase_incomplete) {
    say(fmt::format("missing     {}", state.missing.in()));
  } else if (state.condition == v2::path_down) {
    say(fmt::format("broken      {} is down, {}", state.element.in(), why_it_stays(state)));
  } else if (state.condition == v2::path_unknown) {
    say(fmt::format("unknown     {}: no SwitchServer controls it, {}", state.element.in(),
                    why_it_stays(state)));
  }
  for (CORBA::ULong i = 0; i < state.leaves.length(); ++i) {
    say(fmt::format("leaf        {}", state.leaves[i].in()));
  }
  print_hops(state.hops);
}

int list(const client::TwoWay& manager, const std::optional<std::string>& client) {
  say(fmt::format(kListLine, "connection", "phase", "from", "to", "cells/s", "hops", "leaves",
                  "client"));
  const auto listed = manager.for_each_connection(client, print_line);
  return listed ? 0 : explain(listed.error());
}

int status(const client::TwoWay& manager) {
  auto metrics = manager.status();
  if (!metrics) return explain(metrics.error());
  const std::vector<OperationStages> stages = take_stages(*metrics);
  const std::map<std::string, Upcalls> upcalls = take_upcalls(*metrics);
  for (const auto& [name, value] : *metrics) {
    say(fmt::format("{:<24} {}", name, word_of(name, value).value_or(fmt::format("{}", value))));
  }
  print_upcalls(upcalls);
  print_output(stages_as_text(stages));
  return 0;
}

int caches(const client::TwoWay& manager) {
  const auto found = manager.caches();
  if (!found) return explain(found.error());
  const v2::CacheStateSeq& states = found->in();
  std::vector<Row> rows{
      {"cache", "element", "hits", "misses", "hit ratio", "size", "wanted", "oldest"}};
  for (CORBA::ULong i = 0; i < states.length(); ++i) rows.push_back(row_of(states[i]));
  print_table(2, rows);
  return 0;
}

int clients(const client::TwoWay& manager) {
  constexpr std::uint32_t kPerPage = 1'000;
  std::vector<Row> rows{
      {"client", "state", "last session ended", "epoch", "requests", "calls", "cells/s"}};
  std::string last;
  for (;;) {
    const auto page = manager.clients(last, kPerPage);
    if (!page) return explain(page.error());
    const v2::ClientStateSeq& states = page->in();
    if (states.length() == 0) break;
    for (CORBA::ULong i = 0; i < states.length(); ++i) rows.push_back(row_of(states[i]));
    last = states[states.length() - 1].name.in();
  }
  print_table(3, rows);
  return 0;
}

}  // namespace xbind::ctl
