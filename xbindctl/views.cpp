// Commands that show what there is and change nothing.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "core/audit.hpp"
#include "core/metrics/stage_times.hpp"
#include "orb/convert.hpp"
#include "xbindctl/answers.hpp"
#include "xbindctl/commands.hpp"

namespace xbind::ctl {
namespace {

constexpr CORBA::ULong kListPage = 1'000;
constexpr CORBA::ULong kAuditTimeoutMs = 120'000;
constexpr const char* kManager = "the manager";

bool both_ways(const v1::ConnectionState& state) {
  return state.reverse_resources.cells_per_s != 0 || state.reverse_resources.buffer_cells != 0;
}

// "host-b", or "-" once the first destination was dropped.
std::string callee_of(const v1::ConnectionState& state) {
  const std::string to = state.to_end.in();
  return to.empty() ? "-" : to;
}

// "0/32"; "?" for a label of a kind that this version does not know.
std::string words_of(const v1::LabelValue& label) {
  const auto core = orb::to_core(label);
  return core ? to_string(*core) : std::string{"?"};
}

std::string words_of(const v1::Demand& demand) {
  return fmt::format("{} cells/s, {} cells of buffer", demand.cells_per_s, demand.buffer_cells);
}

void print_line(const v1::ConnectionState& state) {
  std::string rate = fmt::format("{}", state.resources.cells_per_s);
  if (both_ways(state)) rate += fmt::format(" + {}", state.reverse_resources.cells_per_s);
  std::string size = fmt::format("{} hops", state.hops.length());
  if (state.leaves.length() != 0) size += fmt::format(", {} leaves", state.leaves.length());
  std::printf("%s\n", fmt::format("{:<20} {:<10} {:<16} {:<16} {:>10} cells/s  {}  {}",
                                  state.connection, state.phase.in(), state.from_end.in(),
                                  callee_of(state), rate, size, state.client.in())
                          .c_str());
}

// What a leg is for people; the numbers are the contract's.
std::string leg_words(CORBA::UShort leg) {
  switch (leg) {
    case 0: return "forward";
    case 1: return "reverse";
    default: return fmt::format("leaf, leg {}", leg);
  }
}

void print_hops(const v1::HopStateSeq& hops) {
  for (CORBA::ULong i = 0; i < hops.length(); ++i) {
    const v1::HopState& hop = hops[i];
    if (i == 0 || hop.leg != hops[i - 1].leg) std::printf("%s\n", leg_words(hop.leg).c_str());
    std::printf("  hop %-2u    %-16s port %u label %-8s -> port %u label %s\n", hop.number,
                hop.switch_name.in(), hop.input_port, words_of(hop.input_label).c_str(),
                hop.output_port, words_of(hop.output_label).c_str());
  }
}

std::string name_of_cache(CORBA::Octet kind) {
  switch (kind) {
    case v1::cache_labels: return "labels";
    case v1::cache_routes: return "routes";
    case v1::cache_qos: return "qos";
    case v1::cache_quota: return "quota";
    case v1::cache_connections: return "connections";
    case v1::cache_prepared: return "prepared";
    default: return fmt::format("kind {}", kind);
  }
}

Row row_of(const v1::CacheState& cache) {
  const double asked = static_cast<double>(cache.hits) + static_cast<double>(cache.misses);
  const double hit = asked == 0 ? 0 : 100 * static_cast<double>(cache.hits) / asked;
  return {name_of_cache(cache.cache_kind),
          cache.element.in(),
          fmt::format("{}", cache.hits),
          fmt::format("{}", cache.misses),
          asked == 0 ? "-" : fmt::format("{:.1f} %", hit),
          fmt::format("{}", cache.size),
          cache.wanted == 0 ? "-" : fmt::format("{}", cache.wanted),
          cache.size == 0 ? "-" : fmt::format("{:.1f} s", static_cast<double>(cache.age_ms) / 1e3)};
}

}  // namespace

int describe(v1::ConnectionManager_ptr manager, std::uint64_t connection) {
  return guarded(kManager, [&] {
    const v1::ConnectionState_var state = manager->describe(connection);
    const bool both = both_ways(state.in());
    std::string text = fmt::format(
        "connection  {}\nphase       {}, generation {}\nclient      {}, request {}\n"
        "ends        {} {} {}\ntakes       {}\n",
        state->connection, state->phase.in(), state->generation, state->client.in(), state->request,
        state->from_end.in(), both ? "<->" : "->", callee_of(state.in()),
        words_of(state->resources));
    if (both) text += fmt::format("reverse     {}\n", words_of(state->reverse_resources));
    if (state->reroutes != 0) text += fmt::format("rerouted    {} times\n", state->reroutes);
    if (state->broken) {
      text += fmt::format("broken      {} is down, no other path\n", state->broken_element.in());
    }
    for (CORBA::ULong i = 0; i < state->leaves.length(); ++i) {
      text += fmt::format("leaf        {}\n", state->leaves[i].in());
    }
    std::printf("%s", text.c_str());
    print_hops(state->hops);
    return 0;
  });
}

int list(v1::ConnectionManager_ptr manager) {
  return guarded(kManager, [&] {
    std::uint64_t after = 0;
    for (;;) {
      const v1::ConnectionStateSeq_var page = manager->list(after, kListPage);
      for (CORBA::ULong i = 0; i < page->length(); ++i) {
        print_line(page.in()[i]);
        after = page.in()[i].connection;
      }
      if (page->length() < kListPage) return 0;
    }
  });
}

int status(v1::ConnectionManager_ptr manager) {
  return guarded(kManager, [&] {
    const v1::MetricSeq_var told = manager->status();
    Metrics metrics;
    for (CORBA::ULong i = 0; i < told->length(); ++i) {
      metrics.emplace_back(told.in()[i].name.in(), told.in()[i].value);
    }
    const std::vector<OperationStages> stages = take_stages(metrics);
    for (const auto& [name, value] : metrics) {
      std::printf("%-24s %llu\n", name.c_str(), static_cast<unsigned long long>(value));
    }
    std::printf("%s", stages_as_text(stages).c_str());
    return 0;
  });
}

int caches(v1::ConnectionManager_ptr manager) {
  return guarded(kManager, [&] {
    const v1::CacheStateSeq_var found = manager->caches();
    std::vector<Row> rows{
        {"cache", "element", "hits", "misses", "hit ratio", "size", "wanted", "oldest"}};
    for (CORBA::ULong i = 0; i < found->length(); ++i) rows.push_back(row_of(found.in()[i]));
    print_table(2, rows);
    return 0;
  });
}

int audit(v1::ConnectionManager_ptr manager) {
  return guarded(kManager, [&] {
    omniORB::setClientCallTimeout(manager, kAuditTimeoutMs);
    const v1::AuditReport_var report = manager->audit();
    const auto findings = orb::to_core(report->findings);
    if (!findings) return explain(findings.error().text);
    for (const Finding& finding : *findings) {
      std::printf("%s at %s: %s\n", std::string{to_string(finding.kind)}.c_str(),
                  finding.element.c_str(), finding.text.c_str());
    }
    std::printf(
        "%s: %u switches, %llu connections; %u stray cross-connects, %u leaked labels, "
        "%llu cells/s leaked, %u owed, %u unreadable\n",
        report->clean ? "clean" : "NOT CLEAN", report->switches,
        static_cast<unsigned long long>(report->connections), report->stray_cross_connects,
        report->leaked_labels,
        static_cast<unsigned long long>(report->leaked_bandwidth_cells_per_s), report->owed,
        report->unreadable);
    return report->clean ? 0 : 1;
  });
}

}  // namespace xbind::ctl
