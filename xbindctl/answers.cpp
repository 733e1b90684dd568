#include "xbindctl/answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "core/name.hpp"
#include "core/output.hpp"
#include "core/trace/span.hpp"
#include "core/utc_text.hpp"

namespace xbind::ctl {
namespace {

constexpr std::size_t kLineOctetsMax = 4'096;
constexpr std::size_t kCellOctetsMax = trace::kDetailOctetsMax + 40;  // a cause and its detail

}  // namespace

int explain(const std::string& text) {
  std::fprintf(stderr, "xbindctl: %s\n", printable(text, kLineOctetsMax).c_str());
  return 1;
}

int explain(const Failure& failure) {
  explain(failure.text);
  return failure.advice.empty() ? 1 : explain("advice: " + failure.advice);
}

int explain(const Error& error, PeerKind peer) {
  return explain(failure_of(error, {peer, {}, {}}));
}

void say(const std::string& line) { print_output(printable(line, kLineOctetsMax) + '\n'); }

std::string counted(std::uint64_t count, const std::string& one, const std::string& ending) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : ending);
}

std::string time_words(std::uint64_t second) {
  return utc_text(std::chrono::seconds{static_cast<std::int64_t>(second)});
}

const char* words_of_phase(v2::PhaseCode phase) {
  switch (phase) {
    case v2::phase_routing: return "routing";
    case v2::phase_reserving: return "reserving";
    case v2::phase_held: return "held";
    case v2::phase_committing: return "committing";
    case v2::phase_connected: return "connected";
    case v2::phase_switching_over: return "switching over";
    case v2::phase_lingering: return "lingering";
    case v2::phase_modifying: return "modifying";
    case v2::phase_lowering: return "lowering";
    case v2::phase_restoring: return "restoring";
    case v2::phase_undoing: return "undoing";
    case v2::phase_releasing: return "releasing";
    case v2::phase_gone: return "gone";
    case v2::phase_prepared: return "prepared";
    case v2::phase_incomplete: return "incomplete";
    default: return "unknown";
  }
}

const char* condition_word(v2::PathCondition condition) {
  switch (condition) {
    case v2::path_up: return "up";
    case v2::path_down: return "down";
    default: return "unknown";
  }
}

// As the manager decides: cmgr/procedures/path_watch.cpp.
const char* why_it_stays(const v2::ConnectionState& state) {
  if (state.phase == v2::phase_incomplete) return "the manager does not know all of its hops";
  if (state.leaves.length() != 0 || state.to_end.in()[0] == '\0') {
    return "a call with several destinations does not move to another path";
  }
  const v2::HopStateSeq& hops = state.hops;
  const std::string_view element = state.element.in();
  for (CORBA::ULong i = 0; i < hops.length(); ++i) {
    const v2::HopState& hop = hops[i];
    const bool first = i == 0 || hops[i - 1].leg != hop.leg;
    const bool last = i + 1 == hops.length() || hops[i + 1].leg != hop.leg;
    const auto is = [&](CORBA::ULong port) {
      return element == fmt::format("{} port {}", hop.switch_name.in(), port);
    };
    if ((first && is(hop.input_port)) || (last && is(hop.output_port))) {
      return "every path to this end leads over it";
    }
    if ((first || last) && element == hop.switch_name.in()) return "the call begins or ends there";
  }
  return "no other path was found";
}

std::string name_of_cache(CORBA::Octet kind) {
  switch (kind) {
    case v2::cache_labels: return "labels";
    case v2::cache_routes: return "routes";
    case v2::cache_qos: return "qos";
    case v2::cache_quota: return "quota";
    case v2::cache_connections: return "connections";
    case v2::cache_prepared: return "prepared";
    default: return fmt::format("kind {}", kind);
  }
}

void print_table(std::size_t word_columns, std::vector<Row> rows) {
  for (Row& row : rows) {
    for (std::string& cell : row) cell = printable(cell, kCellOctetsMax);
  }
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i != 0) line += "  ";
      line += i < word_columns ? fmt::format("{:<{}}", row[i], widths[i])
                               : fmt::format("{:>{}}", row[i], widths[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);  // of a last column of words
    say(line);
  }
}

}  // namespace xbind::ctl
