// What must hold in the simulated world after every step: invariants 1, 2 and 3 of
// docs/invariants.md; 4 is the clients' own (judge.cpp).
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "switchserver/ledger_audit.hpp"
#include "tests/sim/world.hpp"

namespace xbind::sim {

std::size_t World::index_of(const std::string& name) const {
  const auto found = std::find_if(switches_.begin(), switches_.end(),
                                  [&](const SwitchSite& site) { return site.name == name; });
  XB_CHECK(found != switches_.end(), name);
  return static_cast<std::size_t>(found - switches_.begin());
}

// Whether the session that the manager believes in is the one that the SwitchServer has with it.
bool World::session_alive(std::size_t manager, std::size_t at) const {
  if (managers_[manager].site->dead()) return false;
  const SessionId session = managers_[manager].site->session_with(switches_[at].name);
  return session != SessionId{} &&
         switches_[at].server->give_back(session, PortLabels{}, Resources{}).has_value();
}

bool World::owed(std::size_t manager, std::size_t at, const HopKey& key) const {
  const auto keys = managers_[manager].site->manager().view_of(switches_[at].name).owed;
  return std::binary_search(keys.begin(), keys.end(), key);
}

// ===== labels and resources =====

// What hops need of each output port. Hops that share an output label carry the same cells.
std::map<PortId, Resources> World::needed(std::size_t at, const Chooser& chosen) const {
  std::map<std::pair<PortId, Label>, Resources> carried;
  ledger(at).for_each_hop([&](HopRef ref, const HopRecord& record) {
    if (chosen && !chosen(record)) return;
    const CrossConnect has = ledger(at).cross_connect(record);
    const Resources alone = ledger(at).alone(ref);
    Resources& most = carried[{has.output_port, has.output_label}];
    most.cells_per_s = std::max(most.cells_per_s, alone.cells_per_s);
    most.buffer_cells = std::max(most.buffer_cells, alone.buffer_cells);
  });
  std::map<PortId, Resources> sums;
  for (const auto& [where, demand] : carried) sums[where.first] += demand;
  return sums;
}

// Whether a hop of the same connection and a later generation has taken over the input: cells
// follow that hop.
bool World::superseded(const Ledger& book, const HopRecord& record) {
  bool yes = false;
  const CrossConnect has = book.cross_connect(record);
  book.for_each_on_input(has.input_port, has.input_label, [&](HopRef, const HopRecord& other) {
    yes = yes || (other.takes_over && other.state == HopStage::kCommitted &&
                  other.key.connection == record.key.connection &&
                  other.key.leg == record.key.leg && other.key.generation > record.key.generation);
  });
  return yes;
}

ExpectedPort World::expected_port(std::size_t at, PortId port) const {
  const SwitchSite& site = switches_[at];
  return {site.admission, network_.rate(at, port), kBufferCells, site.overbooking};
}

// Checks the ports' capacities and the hops' charges against the topology and the second
// implementation of the rules (expected.hpp).
void World::check_charges(std::size_t at) {
  for (const SwitchPort& port : ledger(at).ports()) {
    const auto usage = ledger(at).usage(port.port);
    if (usage->capacity == expected_capacity(expected_port(at, port.port))) continue;
    world_.violated(
        fmt::format("{} port {}: capacity is {} cells/s and {} cells of buffer, but its line "
                    "carries {} cells/s",
                    switches_[at].name, port.port, usage->capacity.cells_per_s,
                    usage->capacity.buffer_cells, network_.rate(at, port.port)));
  }
  ledger(at).for_each_hop([&](HopRef ref, const HopRecord& record) {
    const CrossConnect has = ledger(at).cross_connect(record);
    const Resources wanted =
        expected_charge(expected_port(at, has.output_port), record.demand, record.contract());
    const Resources charged = ledger(at).alone(ref);
    // While the switch receives another contract, the greater of both is charged. It stays charged
    // while the switch may have the other contract. A modify that needs less is never charged more,
    // even if its buffer alone would be.
    const bool modified = ledger(at).revision(ref) != 0;
    if (charged == wanted ||
        (modified && (!calm_ || record.progress.untold || charged.fits_within(wanted))))
      return;
    world_.violated(
        fmt::format("{} port {}: connection {} is charged {} cells/s and {} cells of buffer, "
                    "expected {} and {}",
                    switches_[at].name, has.output_port, record.key.connection, charged.cells_per_s,
                    charged.buffer_cells, wanted.cells_per_s, wanted.buffer_cells));
  });
}

// Invariants 1 (within the ledger) and 2.
void World::check_switch(std::size_t at) {
  check_charges(at);
  const SwitchSite& site = switches_[at];
  for (const Finding& finding : ledger(at).self_check(site.name)) {
    world_.violated(
        fmt::format("{}: {}: {}", to_string(finding.kind), finding.element, finding.text));
  }
  std::map<PortId, Resources> sums = needed(at);  // computed anew, not from the ledger's accounts
  std::map<PortId, std::uint64_t> ingress;
  ledger(at).for_each_hop([&](HopRef ref, const HopRecord& record) {
    if (const auto taken = ledger(at).ingress(ref)) {
      ingress[ledger(at).cross_connect(record).input_port] += *taken;
    }
  });
  for (const SwitchPort& port : ledger(at).ports()) {
    const auto usage = ledger(at).usage(port.port);
    const Resources sum = sums[port.port];
    if (usage->hops != sum || !sum.fits_within(usage->taken) ||
        !usage->taken.fits_within(usage->capacity)) {
      world_.violated(fmt::format(
          "{} port {}: hops need {} cells/s, {} are charged to them, {} of {} are reserved",
          site.name, port.port, sum.cells_per_s, usage->hops.cells_per_s, usage->taken.cells_per_s,
          usage->capacity.cells_per_s));
    }
    if (usage->ingress_cells_per_s != ingress[port.port]) {
      world_.violated(fmt::format("{} port {}: {} cells/s are reserved at the input, hops need {}",
                                  site.name, port.port, usage->ingress_cells_per_s,
                                  ingress[port.port]));
    }
  }
  for (const ManagerPlace& place : managers_) {
    const auto us = ledger(at).find_manager(place.site->name());
    if (!us || ledger(at).in_session(*us)) continue;
    if (!ledger(at).cached(*us).empty()) {
      world_.violated(fmt::format("{}: {} has no session, its cached labels have not returned",
                                  site.name, place.site->name()));
    }
    for (const SwitchPort& port : ledger(at).ports()) {
      if (ledger(at).quota(*us, port.port) == Resources{}) continue;
      world_.violated(fmt::format("{} port {}: {} has no session, its quota has not returned",
                                  site.name, port.port, place.site->name()));
    }
  }
}

// Whether all but one of the hops with that output label have joined it.
bool World::shared_by_joining(std::size_t at, PortId port, Label label) const {
  std::size_t others = 0;
  ledger(at).for_each_hop([&](HopRef, const HopRecord& record) {
    const CrossConnect has = ledger(at).cross_connect(record);
    if (has.output_port != port || has.output_label != label) return;
    others += record.joins ? 0 : 1;
  });
  return others <= 1;
}

// Invariant 1 literally: every label is in exactly one manager's cache, connection or quarantine.
// Uses what managers would receive, not the ledger's own lists.
void World::check_holders(std::size_t at) {
  std::map<std::pair<PortId, Label>, std::string> holders;
  const auto hold = [&](PortId port, Label label, const std::string& who) {
    const auto [there, fresh] = holders.try_emplace({port, label}, who);
    if (fresh || (there->second == who && shared_by_joining(at, port, label))) return;
    world_.violated(fmt::format("{} port {} label {} is held twice, once {}", switches_[at].name,
                                port, to_string(label), there->second));
  };
  ledger(at).for_each_hop([&](HopRef, const HopRecord& record) {
    const CrossConnect has = ledger(at).cross_connect(record);
    hold(has.output_port, has.output_label,
         fmt::format("in connection {} of {}", record.key.connection,
                     ledger(at).manager_name(record.manager)));
  });
  for (const ManagerPlace& place : managers_) {
    const std::string& name = place.site->name();
    const auto us = ledger(at).find_manager(name);
    if (!us) continue;
    for (const PortLabels& port : ledger(at).cached(*us)) {
      for (const Label label : port.labels) hold(port.port, label, "in the cache of " + name);
    }
    for (const PortLabels& port : ledger(at).quarantined(*us)) {
      for (const Label label : port.labels) hold(port.port, label, "in quarantine of " + name);
    }
  }
  world_.tally["labels held, looked at"] += holders.size();
}

// Invariant 1 across a link: an input label here is an output label of the same connection at the
// other end, or at least no other manager's, and not free. A SwitchServer that has restarted grants
// no label while it waits for claims. Nothing can be said after manager and SwitchServer were lost
// at once, or when the operator had the manager forgotten.
void World::check_links(std::size_t at) {
  ledger(at).for_each_hop([&](HopRef, const HopRecord& record) {
    const CrossConnect here = ledger(at).cross_connect(record);
    if (!here.input_label.present()) return;
    const auto far = network_.far_end(at, here.input_port);
    if (!far) return;
    const std::string& name = ledger(at).manager_name(record.manager);
    const SwitchSite& far_site = switches_[far->first];
    const bool unknown = std::ranges::any_of(managers_, [&](const ManagerPlace& place) {
      const auto index = static_cast<std::size_t>(&place - managers_.data());
      const bool gone = place.for_good && place.site->dead();
      return place.site->name() == name && (gone || far_site.awaited.contains(index));
    });
    const bool settling = far_site.server->controller().settling();
    if (dead(far_site) || far_site.some_lost || settling || unknown) return;
    const Ledger& there = ledger(far->first);
    const auto place = there.output_label(far->second, here.input_label);
    bool right =
        place &&
        (place->holder == LabelHolder::kCached || place->holder == LabelHolder::kQuarantine ||
         place->holder == LabelHolder::kLapsed || place->holder == LabelHolder::kUnclaimed ||
         place->holder == LabelHolder::kConnection);
    if (right && place->holder == LabelHolder::kConnection) {
      const HopRecord& upstream = there.hop(place->hop);
      right = there.manager_name(upstream.manager) == name &&
              upstream.key.connection == record.key.connection;
    } else if (right && place->holder != LabelHolder::kUnclaimed) {
      right = there.manager_name(place->manager) == name;
    }
    if (right) return;
    world_.violated(
        fmt::format("{} port {} label {}: goes into connection {} of {}, at the other end of the "
                    "link another manager has it, or it is free ({})",
                    switches_[at].name, here.input_port, to_string(here.input_label),
                    record.key.connection, name, place ? static_cast<int>(place->holder) : -1));
  });
}

// Invariant 1 between ledgers and caches: a label that a manager would use next is cached for it in
// the ledger, and in no other place.
void World::check_caches(std::size_t index) {
  const ManagerSite& site = *managers_[index].site;
  for (std::size_t at = 0; at < switches_.size(); ++at) {
    if (!session_alive(index, at)) continue;
    const cmgr::ManagerView view = site.manager().view_of(switches_[at].name);
    const auto us = ledger(at).find_manager(site.name());
    for (std::size_t i = 0; i < view.cached.size(); ++i) {
      const auto& [port, label] = view.cached[i];
      const auto complain = [&](std::string_view what) {
        world_.violated(fmt::format("{} port {} label {}: in the cache of {}, {}",
                                    switches_[at].name, port, to_string(label), site.name(), what));
      };
      if (i > 0 && view.cached[i - 1] == view.cached[i]) complain("twice");
      const auto place = ledger(at).output_label(port, label);
      const bool loose = place && (place->holder == LabelHolder::kCached ||
                                   place->holder == LabelHolder::kQuarantine);
      if (!loose || place->manager != *us) {
        complain(fmt::format("but the ledger has it in place {}",
                             place ? static_cast<int>(place->holder) : -1));
      }
      for (const LedgerHop& hop : view.hops) {
        const CrossConnect& has = hop.cross_connect;
        if (!hop.settled || has.output_port != port || has.output_label != label) continue;
        complain(
            fmt::format("and in hop {} of its own connection {}", hop.key.hop, hop.key.connection));
      }
    }
  }
}

// A new SwitchServer process leaves the cross-connects that it found in the switch alone until they
// are claimed, and grants none of their labels.
void World::check_unclaimed(std::size_t at) {
  const SwitchSite& site = switches_[at];
  if (site.inherited.empty() || !site.device->up() || !site.server->controller().up()) return;
  for (const CrossConnect& there : site.inherited) {
    if (!site.device->has(there)) continue;
    ++world_.tally["inherited cross-connects looked at"];
    const auto output = ledger(at).output_label(there.output_port, there.output_label);
    // A hop that is claimed may have the output in common with it.
    if (output &&
        (output->holder == LabelHolder::kUnclaimed || output->holder == LabelHolder::kConnection)) {
      continue;
    }
    world_.violated(fmt::format("{} port {} label {}: unattributed, but its ledger state is {}",
                                site.name, there.output_port, to_string(there.output_label),
                                output ? static_cast<int>(output->holder) : -1));
  }
}

// A held connection has all its reservations and no cross-connect.
void World::check_holds(std::size_t index) {
  const ManagerSite& site = *managers_[index].site;
  if (site.dead()) return;
  for (const ConnectionId id : site.manager().list(ConnectionId{}, 100'000)) {
    const auto about = site.manager().describe(id);
    if (about->connection.state() != cmgr::State::kHeld) continue;
    ++world_.tally["holds looked at"];
    for (const cmgr::Hop& hop : about->connection.hops()) {
      const std::size_t at = index_of(site.manager().switch_name(hop.at));
      if (switches_[at].awaited.contains(index)) continue;  // it has not been claimed yet
      const auto us = ledger(at).find_manager(site.name());
      const auto ref =
          us ? ledger(at).find(*us, {id, Generation{hop.generation}, hop.leg, hop.number})
             : std::nullopt;
      if (!ref || ledger(at).hop(*ref).state != HopStage::kReserved ||
          ledger(at).hop(*ref).demand != about->connection.demand_of_leg(hop.leg)) {
        world_.violated(fmt::format("{}: connection {} is held, hop {} of leg {} at {} is {}",
                                    site.name(), id, hop.number, hop.leg, switches_[at].name,
                                    ref ? "not as reserved" : "not there"));
        return;
      }
      const CrossConnect reserved = ledger(at).cross_connect(*ref);
      for (const CrossConnect& entry : switches_[at].device->table()) {
        if (entry.output_port != reserved.output_port ||
            entry.output_label != reserved.output_label) {
          continue;
        }
        world_.violated(fmt::format("{}: connection {} is held, {} is programmed for it",
                                    site.name(), id, switches_[at].name));
      }
    }
  }
}

// ===== promises =====

// Returns the ledgers' name of a connection; a prepared connection has another name for its client.
ConnectionId World::own_id(std::size_t manager, ConnectionId shown) const {
  const auto named = own_ids_.find({manager, shown});
  return named == own_ids_.end() ? shown : named->second;
}

// Follows a call's cells through the ledgers, from its endpoint along the labels, branch by branch.
World::Reach World::follow(const ClientSite& site, const Call& call, bool reverse) const {
  Reach reach;
  const auto start = network_.place(reverse ? call.setup.to : call.setup.from);
  struct Place {
    std::size_t at;
    PortId port;
    Label label;
  };
  std::vector<Place> open{
      {start->first, start->second, reverse ? call.reverse_ingress : call.ingress}};
  const std::string& manager = managers_[site.manager].site->name();
  const ConnectionId own = own_id(site.manager, call.id);
  while (!open.empty()) {
    const Place here = open.back();
    open.pop_back();
    const Ledger& book = ledger(here.at);
    const auto us = book.find_manager(manager);
    reach.passes |= 1U << here.at;
    book.for_each_on_input(here.port, here.label, [&](HopRef ref, const HopRecord& record) {
      if (!us || record.manager != *us || record.key.connection != own) {
        reach.trouble = "goes into another connection at " + switches_[here.at].name;
      }
      if (record.state != HopStage::kCommitted || superseded(book, record)) return;
      reach.hops.emplace_back(here.at, ref);
      const CrossConnect to = book.cross_connect(record);
      if (const auto next = network_.far_end(here.at, to.output_port)) {
        open.push_back({next->first, next->second, to.output_label});
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
  // Checked by its cells alone (cells.cpp).
  if (call.server_lost) return;
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
        const HopRecord& record = ledger(at).hop(ref);
        way += fmt::format(" {} {}.{}.{} {}", switches_[at].name, record.key.generation,
                           record.key.leg, record.key.hop,
                           to_string(ledger(at).cross_connect(record)));
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
  const CrossConnect has = ledger(at).cross_connect(record);
  return record.progress.untold || record.progress.add_open || !device.has(has) ||
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
      const HopRecord& record = ledger(hop.first).hop(hop.second);
      return (record.demand == contract.of_leg(record.key.leg) &&
              record.contract() == contract.traffic_of_leg(record.key.leg) &&
              reported(hop.first, record)) ||
             owed(site.manager, hop.first, record.key);
    });
  };
  if (std::any_of(call.contracts.begin(), call.contracts.end(), has)) return;
  std::string found;
  for (const auto& [at, ref] : reach.hops) {
    const HopRecord& record = ledger(at).hop(ref);
    found +=
        fmt::format(" {}/{} ({}{}) at {}", record.demand.cells_per_s, record.demand.buffer_cells,
                    to_string(record.contract()),
                    reported(at, record) ? "" : ", the switch has another", switches_[at].name);
  }
  const cmgr::Contract& wanted = call.contracts.back();
  world_.violated(fmt::format("{}: connection {} has another contract than {}/{} ({}):{}",
                              site.client->name(), call.id, wanted.forward.cells_per_s,
                              wanted.forward.buffer_cells, to_string(wanted.traffic), found));
}

// When a client receives "released", only owed hops of its connection are left.
void World::check_left_behind(std::size_t manager, const Outcome& outcome) {
  const cmgr::ConnectionManager& it = managers_[manager].site->manager();
  if (outcome.kind != OutcomeKind::kReleased || it.describe(outcome.connection)) return;
  for (std::size_t at = 0; at < switches_.size(); ++at) {
    const auto us = ledger(at).find_manager(managers_[manager].site->name());
    ledger(at).for_each_hop([&](HopRef, const HopRecord& record) {
      const HopKey& key = record.key;
      if (record.manager != *us || key.connection != outcome.connection) return;
      if (owed(manager, at, key)) return;
      // It is found and removed when that ledger has been read.
      if (!managers_[manager].site->has_read(switches_[at].name)) return;
      world_.violated(
          fmt::format("connection {} was released, hop {} of leg {} is left behind at {}",
                      key.connection, key.hop, key.leg, switches_[at].name));
    });
  }
}

bool World::same_call(std::size_t at, const CrossConnect& one, const CrossConnect& other) const {
  const auto whose = [&](const CrossConnect& which) {
    std::optional<std::pair<ManagerIndex, ConnectionId>> found;
    ledger(at).for_each_on_input(which.input_port, which.input_label,
                                 [&](HopRef, const HopRecord& record) {
                                   if (ledger(at).cross_connect(record) != which) return;
                                   found = {record.manager, record.key.connection};
                                 });
    return found;
  };
  const auto first = whose(one);
  return first && first == whose(other);
}

}  // namespace xbind::sim
