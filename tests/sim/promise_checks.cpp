// Invariant 3: once a client has the outcome "connected", the connection carries its cells.
#include <fmt/format.h>
#include <algorithm>
#include <set>
#include "switchserver/ledger/ledger_audit.hpp"
#include "tests/sim/world.hpp"

namespace xbind::sim {

// Returns the ledgers' name of a connection; a prepared connection has another name for its client.
ConnectionId World::own_id(std::size_t manager, ConnectionId shown) const {
  const auto named = own_ids_.find({manager, shown});
  return named == own_ids_.end() ? shown : named->second;
}

bool World::left_for_good(std::string_view manager) const {
  return std::ranges::any_of(managers_, [&](const ManagerPlace& place) {
    return place.for_good && place.site->name() == manager;
  });
}

// What a manager that was killed for good has left: where its hop before is gone, the label that
// the hop behind still has as its input may be granted to another manager. A branch that leads
// there is refused (foreign input label) and undone: until then a request about its call is open,
// or its removal is owed. No other hop may lead there.
bool World::is_refused_branch(const ClientSite& site, const Call& call,
                              const std::optional<std::pair<std::size_t, HopKey>>& upstream,
                              std::string_view whose) const {
  if (whose == managers_[site.manager].site->name() || !left_for_good(whose)) return false;
  if (!upstream || upstream->second.leg < 2) return false;
  return !call.quiet() || owed(site.manager, upstream->first, upstream->second);
}

// Follows a call's cells through the ledgers, from its endpoint along the labels, branch by branch.
World::Reach World::follow(const ClientSite& site, const Call& call, bool reverse) const {
  Reach reach;
  const auto start = network_.place(reverse ? call.setup.to : call.setup.from);
  struct Place {
    std::size_t at;
    PortId port;
    Label label;
    std::optional<std::pair<std::size_t, HopKey>> upstream = {};
  };
  std::vector<Place> open{
      {start->first, start->second, reverse ? call.reverse_ingress : call.ingress}};
  const std::string& manager = managers_[site.manager].site->name();
  const ConnectionId own = own_id(site.manager, call.id);
  while (!open.empty()) {
    const Place here = open.back();
    open.pop_back();
    const Ledger& book = ledger(here.at);
    const auto us = book.managers().find(manager);
    reach.passes |= 1U << here.at;
    book.users().for_each_on_input(here.port, here.label, [&](HopRef ref, const HopRecord& record) {
      if (!us || record.manager != *us || record.key.connection != own) {
        if (is_refused_branch(site, call, here.upstream, book.managers().name(record.manager)))
          return;
        reach.trouble = "goes into another connection at " + switches_[here.at].name;
      }
      if (record.stage() != HopStage::kCommitted || superseded(book, record)) return;
      reach.hops.emplace_back(here.at, ref);
      const CrossConnect to = book.hops().cross_connect(record);
      if (const auto next = network_.far_end(here.at, to.output_port)) {
        open.push_back(
            {next->first, next->second, to.output_label, std::pair{here.at, record.key}});
      } else {
        reach.ends[Network::endpoint(here.at)] = to.output_label;
      }
    });
    if (reach.hops.size() > 100) {
      reach.trouble = "goes round in circles";
      break;
    }
  }
  return reach;
}

// Invariant 3: a client that got "connected", "leaf added" or "modified" has it.
void World::check_promised(std::uint32_t switches) {
  for (ClientSite& site : clients_) {
    for (auto& [request, call] : site.client->calls()) {
      if (call.promised() && (call.passes & switches) != 0) check_call(site, call);
    }
  }
}

void World::check_call(ClientSite& site, Call& call) {
  if (!call.promised() || !world_.violation.empty()) return;
  // Checked by its cells (cells.cpp) and in calm (lost_ledgers.cpp).
  if (has_lost_hops(site, call)) {
    ++world_.tally["calls that have lost hops"];
    return;
  }
  if (awaited(site.manager, call.passes)) {
    ++world_.tally["calls that are not claimed yet"];
    return;
  }
  // A path that is down is removed before another one is made; no cell arrives in between.
  if (call.was_cut) {
    const cmgr::ConnectionManager& manager = managers_[site.manager].site->manager();
    const auto about = manager.describe(call.id);
    const bool on_its_way = about && about->connection.is_changing();
    if (call.orphan || on_its_way || manager.gauges().owed != 0) return;
  }
  const Reach there = follow(site, call, false);
  if (awaited(site.manager, there.passes)) {  // another path, over a switch that is not claimed yet
    ++world_.tally["calls that are not claimed yet"];
    return;
  }
  check_ends(site, call, there);
  call.passes = there.passes;
  check_contract(site, call, there);
  if (!call.setup.reverse) return;
  const Reach back = follow(site, call, true);
  if (awaited(site.manager, back.passes)) return;
  call.passes |= back.passes;
  check_contract(site, call, back);
  const auto arrives = back.ends.find(call.setup.from);
  if (!back.trouble.empty() || arrives == back.ends.end() || back.ends.size() != 1 ||
      arrives->second != call.reverse_egress) {
    world_.violated(
        fmt::format("{}: connection {} is up, the other direction {}", site.client->name(), call.id,
                    back.trouble.empty() ? "does not arrive as promised" : back.trouble));
  }
}

void World::check_ends(const ClientSite& site, const Call& call, const Reach& reach) {
  const auto complain = [&](const std::string& what) {
    world_.violated(fmt::format("{} got the outcome that connection {} is up; it {}",
                                site.client->name(), call.id, what));
  };
  if (!reach.trouble.empty()) complain(reach.trouble);
  for (const auto& [end, label] : call.ends) {
    const auto arrives = reach.ends.find(end);
    if (arrives == reach.ends.end()) {
      std::string way;
      for (const auto& [at, ref] : reach.hops) {
        const HopRecord& record = ledger(at).hops().hop(ref);
        way += fmt::format(" {} {}.{}.{} {}", switches_[at].name, record.key.generation,
                           record.key.leg, record.key.hop,
                           to_string(ledger(at).hops().cross_connect(record)));
      }
      complain(fmt::format("does not arrive at {}; it goes{}", end, way));
    } else if (arrives->second != label) {
      complain(fmt::format("comes out at {} with {}, promised was {}", end,
                           to_string(arrives->second), to_string(label)));
    }
  }
  if (!call.quiet() || call.orphan) return;
  for (const auto& [end, label] : reach.ends) {
    if (call.ends.contains(end) || call.uncertain_ends.contains(end)) continue;
    // A dropped leaf whose removal is owed may still be there.
    if (managers_[site.manager].site->manager().gauges().owed != 0) continue;
    complain("arrives at " + end + ", which is no destination");
  }
}

// Whether the switch has the hop's contract. Also true when the SwitchServer knows that it may not,
// or when the hop is not in the switch or its add is open.
bool World::reported(std::size_t at, const HopRecord& record) const {
  const GsmpSwitch& device = *switches_[at].device;
  const CrossConnect has = ledger(at).hops().cross_connect(record);
  return HopFsm::stale(record.state()) || HopFsm::add_open(record.state()) || !device.has(has) ||
         device.has_contract(has, record.contract());
}

// Every hop, and the switch, has the contract that the client's outcome stated.
void World::check_contract(const ClientSite& site, const Call& call, const Reach& reach) {
  // What is owed is known again when the manager has read the ledgers.
  const ManagerSite& its = *managers_[site.manager].site;
  if (its.dead() || !its.manager().recovery().done()) return;
  if (!call.quiet() || !call.contract_known) return;
  const auto has = [&](const cmgr::Contract& contract) {
    return std::all_of(reach.hops.begin(), reach.hops.end(), [&](const auto& hop) {
      const HopRecord& record = ledger(hop.first).hops().hop(hop.second);
      return (record.demand == contract.of_leg(record.key.leg) &&
              record.contract() == contract.traffic_of_leg(record.key.leg) &&
              reported(hop.first, record)) ||
             owed(site.manager, hop.first, record.key);
    });
  };
  if (std::any_of(call.contracts.begin(), call.contracts.end(), has)) return;
  std::string found;
  for (const auto& [at, ref] : reach.hops) {
    const HopRecord& record = ledger(at).hops().hop(ref);
    found +=
        fmt::format(" {}/{} ({}{}) at {}", record.demand.cells_per_s, record.demand.buffer_cells,
                    to_string(record.contract()),
                    reported(at, record) ? "" : ", the switch has another", switches_[at].name);
  }
  const std::uint16_t leg =
      ledger(reach.hops.front().first).hops().hop(reach.hops.front().second).key.leg;
  std::string wanted;
  for (const cmgr::Contract& contract : call.contracts) {
    wanted +=
        fmt::format("{}{}/{} ({})", wanted.empty() ? "" : " or ", contract.of_leg(leg).cells_per_s,
                    contract.of_leg(leg).buffer_cells, to_string(contract.traffic_of_leg(leg)));
  }
  world_.violated(fmt::format("{}: connection {} has another contract than {}:{}",
                              site.client->name(), call.id, wanted, found));
}

// Whether the manager is asking a SwitchServer that has lost its ledger for that very hop: it is
// removed when it has been read.
bool World::is_asked_for(std::size_t manager, std::size_t at, const HopKey& key) const {
  const ManagerSite& site = *managers_[manager].site;
  const auto pages = site.manager().claims_at(switches_[at].name, world_.now);
  return std::ranges::any_of(pages, [&](const HopClaims& page) {
    return std::ranges::any_of(page.hops,
                               [&](const LedgerHop& hop) { return hop.rebuilt && hop.key == key; });
  });
}

// When a client receives "released", only owed hops of its connection are left.
void World::check_left_behind(std::size_t manager, const Outcome& outcome) {
  const cmgr::ConnectionManager& it = managers_[manager].site->manager();
  if (outcome.kind != OutcomeKind::kReleased || it.describe(outcome.connection)) return;
  for (std::size_t at = 0; at < switches_.size(); ++at) {
    const auto us = ledger(at).managers().find(managers_[manager].site->name());
    ledger(at).hops().for_each([&](HopRef, const HopRecord& record) {
      const HopKey& key = record.key;
      if (record.manager != *us || key.connection != outcome.connection) return;
      if (owed(manager, at, key)) return;
      // It is found and removed when that ledger has been read.
      if (!managers_[manager].site->has_read(switches_[at].name)) return;
      if (is_asked_for(manager, at, key)) return;
      world_.violated(
          fmt::format("connection {} was released, hop {} of leg {} is left behind at {}",
                      key.connection, key.hop, key.leg, switches_[at].name));
    });
  }
}

bool World::same_call(std::size_t at, const CrossConnect& one, const CrossConnect& other) const {
  const auto whose = [&](const CrossConnect& which) {
    std::optional<std::pair<ManagerIndex, ConnectionId>> found;
    ledger(at).users().for_each_on_input(which.input_port, which.input_label,
                                         [&](HopRef, const HopRecord& record) {
                                           if (ledger(at).hops().cross_connect(record) != which)
                                             return;
                                           found = {record.manager, record.key.connection};
                                         });
    return found;
  };
  const auto first = whose(one);
  return first && first == whose(other);
}

}  // namespace xbind::sim
