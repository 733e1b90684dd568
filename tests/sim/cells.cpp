// World: where the cells of calls really go, according to the switches' tables and the state of
// lines.
#include <fmt/format.h>

#include <algorithm>

#include "tests/sim/expected.hpp"
#include "tests/sim/world.hpp"

namespace xbind::sim {
namespace {

constexpr std::uint64_t kPlentyOfLabels = 8;

}  // namespace

World::Way World::way_of(const Call& call, bool reverse) const {
  Way way;
  const auto start = network_.place(reverse ? call.setup.to : call.setup.from);
  struct Place {
    Network::Port in;
    Label label;
  };
  std::vector<Place> open{{*start, reverse ? call.reverse_ingress : call.ingress}};
  for (std::size_t steps = 0; !open.empty(); ++steps) {
    const Place here = open.back();
    open.pop_back();
    way.passes |= 1U << here.in.first;
    way.cut = way.cut || network_.down(here.in);
    way.unknown = way.unknown || routes_.unknown(here.in.first);
    way.drained = way.drained || network_.drained(here.in);
    if (network_.down(here.in)) continue;
    const GsmpSwitch& device = *switches_[here.in.first].device;
    const auto leads = device.leads(here.in.second, here.label);
    way.lost = way.lost || device.has_lost(here.in.second, here.label);
    if (leads.empty()) {
      way.trail +=
          fmt::format(", {} has nothing at port {} label {}", switches_[here.in.first].name,
                      here.in.second, to_string(here.label));
    }
    for (const CrossConnect& to : leads) {
      way.trail += fmt::format(", {} {}", switches_[here.in.first].name, to_string(to));
      const Network::Port out{here.in.first, to.output_port};
      if (const auto next = network_.far_end(out.first, out.second)) {
        if (steps < 100) open.push_back({*next, to.output_label});
        continue;
      }
      way.cut = way.cut || network_.down(out);
      way.drained = way.drained || network_.drained(out);
      if (!network_.down(out)) {
        way.arrives[Network::endpoint(out.first)].push_back(to.output_label);
      }
    }
  }
  return way;
}

// Checks the calls whose cells pass the switch: its change may have moved them.
void World::check_cells_through(std::size_t at) {
  if (!world_.lines || !world_.violation.empty()) return;
  for (ClientSite& site : clients_) {
    for (auto& [request, call] : site.client->calls()) {
      if ((call.cells_pass & 1U << at) != 0) check_cells(site, call);
    }
  }
}

// Cells of a call that has met no broken line come out at every moment and exactly once, even while
// the call moves to another path.
void World::check_cells(const ClientSite& site, Call& call) {
  if (!world_.lines || !call.promised()) return;
  call.cells_pass = 0;
  for (const bool reverse : {false, true}) {
    if (reverse && !call.setup.reverse) continue;
    const Way way = way_of(call, reverse);
    call.cells_pass |= way.passes;
    call.was_cut = call.was_cut || way.cut;
    if (way.lost || lost_with_its_switch(site, call) || taken_for_another(site, call)) continue;
    // A path that is down is removed before another one is made; no cell arrives in between.
    if (call.was_cut && (way.cut || is_being_repaired(site, call))) continue;
    if (call.was_cut) ++world_.tally["ways looked at that were cut once"];
    ++world_.tally["ways looked at"];
    check_arrival(site, call, way, reverse);
  }
}

bool World::is_being_repaired(const ClientSite& site, const Call& call) const {
  return call.orphan || has_lost_hops(site, call) || !call.quiet() ||
         is_changing_path(site, call) || managers_[site.manager].site->manager().gauges().owed != 0;
}

void World::check_arrival(const ClientSite& site, const Call& call, const Way& way, bool reverse) {
  const std::map<std::string, Label> back{{call.setup.from, call.reverse_egress}};
  const bool settled = !is_being_repaired(site, call);
  for (const auto& [end, labels] : way.arrives) {
    const bool wanted = reverse ? end == call.setup.from
                                : call.ends.contains(end) || call.uncertain_ends.contains(end);
    if (wanted || !settled) continue;
    world_.violated(
        fmt::format("{}: cells of connection {} come out at {}, which is no destination",
                    site.client->name(), call.id, end));
  }
  for (const auto& [end, label] : reverse ? back : call.ends) {
    const auto there = way.arrives.find(end);
    const bool once = there != way.arrives.end() && there->second.size() == 1;
    if (there == way.arrives.end()) {
      world_.violated(fmt::format("{}: cells of connection {} do not come out at {}{}",
                                  site.client->name(), call.id, end, way.trail));
    } else if (!once && !call.had_leaves) {
      world_.violated(fmt::format("{}: cells of connection {} come out at {} {} times",
                                  site.client->name(), call.id, end, there->second.size()));
    } else if (std::find(there->second.begin(), there->second.end(), label) ==
               there->second.end()) {
      world_.violated(fmt::format("{}: cells of connection {} come out at {} with label {}, not {}",
                                  site.client->name(), call.id, end,
                                  to_string(there->second.front()), to_string(label)));
    }
  }
}

// ===== when all has settled =====

// Nothing is under way. The managers have learned the state of the lines and have retried since. So
// every call that can have another path has it, and clients know the state of their calls.
void World::check_settled() {
  for (ClientSite& site : clients_) {
    for (auto& [request, call] : site.client->calls()) {
      if (!call.promised() || !call.quiet()) continue;
      check_settled(site, call);
    }
  }
}

void World::check_settled(const ClientSite& site, Call& call) {
  Way both;
  for (const bool reverse : {false, true}) {
    if (reverse && !call.setup.reverse) continue;
    const Way way = way_of(call, reverse);
    both.cut = both.cut || way.cut;
    both.drained = both.drained || way.drained;
    both.unknown = both.unknown || way.unknown;
    if (way.cut || way.lost || lost_with_its_switch(site, call)) continue;
    if (taken_for_another(site, call)) continue;
    check_arrival(site, call, way, reverse);
  }
  if (call.orphan || has_lost_hops(site, call)) return;
  ++world_.tally["settled calls looked at"];
  if (both.cut) ++world_.tally["settled calls that are broken"];
  const auto complain = [&](const std::string& what) {
    world_.violated(fmt::format("{}: when all has settled, connection {} {}", site.client->name(),
                                call.id, what));
  };
  // The call was moving to or from another path at the lost switch: its way there is uncertain.
  if (both.unknown && is_changing_path(site, call)) {
    ++world_.tally["settled calls that wait for a lost switch"];
    return;
  }
  // A change was under way when its manager ended, and a switch has lost its table: it is not known
  // whether the change had reached it (check_reasons() looks at the reason).
  const auto incomplete = managers_[site.manager].site->manager().recovery().incomplete(call.id);
  if (incomplete) {
    if (!call.unsettled) complain("has lost nothing, but is incomplete: " + incomplete->words());
    const bool noticed = call.heard && call.heard->kind == NoticeKind::kIncomplete;
    if (!call.deaf && !noticed) complain("is incomplete, but its client got no notice");
    ++world_.tally["settled calls that are incomplete"];
    return;
  }
  const bool known_broken = call.heard && call.heard->kind == NoticeKind::kBroken;
  const bool known_unknown = call.heard && call.heard->kind == NoticeKind::kUnknown;
  if (!call.deaf && call.heard && call.heard->kind == NoticeKind::kIncomplete) {
    complain("was reported as incomplete, but is not");
  }
  const bool in_doubt = both.unknown && !both.cut;
  if (in_doubt) ++world_.tally["settled calls that are unknown"];
  if (in_doubt && !call.deaf && !known_unknown)
    complain("is unknown, but its client got no notice");
  if (!in_doubt && !call.deaf && known_unknown) complain("was reported as unknown, but is not");
  if (both.cut && !call.deaf && !known_broken) complain("is cut, but its client got no notice");
  if (!both.cut && !call.deaf && known_broken) complain("was reported as broken, but is not");
  if ((both.cut || both.drained || both.unknown) && could_move(site, call)) {
    complain("goes over an unusable line, and there is another way with room");
  }
}

bool World::is_changing_path(const ClientSite& site, const Call& call) const {
  const auto about = managers_[site.manager].site->manager().describe(call.id);
  return about && about->connection.is_changing();
}

// Whether the route that RouteObject would return has room on every port, according to the ledgers.
bool World::could_move(const ClientSite& site, const Call& call) const {
  if (call.had_leaves || call.contracts.size() != 1) return false;
  const cmgr::Contract& has = call.contracts.front();
  const auto route = routes_.route({call.setup.from,
                                    call.setup.to,
                                    std::max(has.forward.cells_per_s, has.reverse.cells_per_s),
                                    {}});
  if (!route || route->cause != Cause::kNone || cooperative_) return false;
  return std::all_of(route->path.hops.begin(), route->path.hops.end(), [&](const PathHop& hop) {
    const std::size_t at = index_of(hop.switch_name);
    const bool last = &hop == &route->path.hops.back();
    const bool first = &hop == &route->path.hops.front();
    return switches_[at].device->up() && session_alive(site.manager, at) &&
           (last || has_room(at, hop.output_port, has, 0)) &&
           (first || !call.setup.reverse || has_room(at, hop.input_port, has, 1));
  });
}

bool World::has_room(std::size_t at, PortId port, const cmgr::Contract& contract,
                     std::uint16_t leg) const {
  const auto usage = ledger(at).usage(port);
  Resources after = usage->taken;
  after +=
      expected_charge(expected_port(at, port), contract.of_leg(leg), contract.traffic_of_leg(leg));
  return after.fits_within(usage->capacity) && usage->free_output_labels >= kPlentyOfLabels &&
         usage->free_input_labels >= kPlentyOfLabels;
}

}  // namespace xbind::sim
