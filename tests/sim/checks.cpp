// What must hold in the simulated world after every step: invariants 1 and 2 of
// docs/invariants.md; 3 is in promise_checks.cpp, 4 is the clients' own (judge.cpp).
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "cmgr/procedures/procedure.hpp"
#include "switchserver/controller/timers.hpp"
#include "switchserver/ledger/ledger_audit.hpp"
#include "tests/sim/world.hpp"

namespace xbind::sim {
namespace {

const Duration kLabelsRest = kSwitchServerTimers["labels-rest"];

}  // namespace

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
  ledger(at).hops().for_each([&](HopRef ref, const HopRecord& record) {
    if (chosen && !chosen(record)) return;
    const CrossConnect has = ledger(at).hops().cross_connect(record);
    const Resources alone = ledger(at).extras().alone(ref);
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
  const CrossConnect has = book.hops().cross_connect(record);
  book.users().for_each_on_input(
      has.input_port, has.input_label, [&](HopRef, const HopRecord& other) {
        yes = yes ||
              (other.takes_over && other.stage() == HopStage::kCommitted &&
               other.key.connection == record.key.connection && other.key.leg == record.key.leg &&
               other.key.generation > record.key.generation);
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
  for (const SwitchPort& port : ledger(at).ports().present()) {
    const auto usage = ledger(at).usage(port.port);
    if (usage->capacity == expected_capacity(expected_port(at, port.port))) continue;
    world_.violated(
        fmt::format("{} port {}: capacity is {} cells/s and {} cells of buffer, but its line "
                    "carries {} cells/s",
                    switches_[at].name, port.port, usage->capacity.cells_per_s,
                    usage->capacity.buffer_cells, network_.rate(at, port.port)));
  }
  ledger(at).hops().for_each([&](HopRef ref, const HopRecord& record) {
    const CrossConnect has = ledger(at).hops().cross_connect(record);
    const Resources wanted =
        expected_charge(expected_port(at, has.output_port), record.demand, record.contract());
    const Resources charged = ledger(at).extras().alone(ref);
    // While the switch receives another contract, the greater of both is charged. It stays charged
    // while the switch may have the other contract. A modify that needs less is never charged more,
    // even if its buffer alone would be.
    const bool modified = ledger(at).extras().revision(ref) != 0;
    if (charged == wanted ||
        (modified && (!calm_ || HopFsm::stale(record.state()) || charged.fits_within(wanted))))
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
  note_generations(at);
  const SwitchSite& site = switches_[at];
  for (const Finding& finding : ledger(at).self_check(site.name)) {
    world_.violated(
        fmt::format("{}: {}: {}", to_string(finding.kind), finding.element, finding.text));
  }
  std::map<PortId, Resources> sums = needed(at);  // computed anew, not from the ledger's accounts
  std::map<PortId, Resources> beyond = needed_beyond(at);
  std::map<PortId, std::uint64_t> ingress;
  ledger(at).hops().for_each([&](HopRef ref, const HopRecord& record) {
    if (const auto taken = ledger(at).extras().ingress(ref)) {
      ingress[ledger(at).hops().cross_connect(record).input_port] += *taken;
    }
  });
  for (const SwitchPort& port : ledger(at).ports().present()) {
    const auto usage = ledger(at).usage(port.port);
    const Resources sum = sums[port.port];
    const Resources most = beyond[port.port] += usage->capacity;
    if (usage->hops != sum || !sum.fits_within(usage->taken) || !usage->taken.fits_within(most)) {
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
    const auto us = ledger(at).managers().find(place.site->name());
    if (!us || ledger(at).managers().in_session(*us)) continue;
    if (!ledger(at).labels().list(LabelHolder::kCached, *us).empty()) {
      world_.violated(fmt::format("{}: {} has no session, its cached labels have not returned",
                                  site.name, place.site->name()));
    }
    for (const SwitchPort& port : ledger(at).ports().present()) {
      if (ledger(at).ports().quota(*us, port.port) == Resources{}) continue;
      world_.violated(fmt::format("{} port {}: {} has no session, its quota has not returned",
                                  site.name, port.port, place.site->name()));
    }
  }
}

// Whether all but one of the hops with that output label have joined it.
bool World::shared_by_joining(std::size_t at, PortId port, Label label) const {
  std::size_t others = 0;
  ledger(at).hops().for_each([&](HopRef, const HopRecord& record) {
    const CrossConnect has = ledger(at).hops().cross_connect(record);
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
  ledger(at).hops().for_each([&](HopRef, const HopRecord& record) {
    const CrossConnect has = ledger(at).hops().cross_connect(record);
    hold(has.output_port, has.output_label,
         fmt::format("in connection {} of {}", record.key.connection,
                     ledger(at).managers().name(record.manager)));
  });
  for (const ManagerPlace& place : managers_) {
    const std::string& name = place.site->name();
    const auto us = ledger(at).managers().find(name);
    if (!us) continue;
    for (const PortLabels& port : ledger(at).labels().list(LabelHolder::kCached, *us)) {
      for (const Label label : port.labels) hold(port.port, label, "in the cache of " + name);
    }
    for (const PortLabels& port : ledger(at).labels().list(LabelHolder::kQuarantine, *us)) {
      for (const Label label : port.labels) hold(port.port, label, "in quarantine of " + name);
    }
  }
  world_.tally["labels held, looked at"] += holders.size();
}

void World::note_absences(std::size_t at) {
  SwitchSite& site = switches_[at];
  for (const ManagerPlace& place : managers_) {
    const std::string& name = place.site->name();
    const auto us = ledger(at).managers().find(name);
    if (!us) continue;
    const auto there = site.absences.find(name);
    const bool away = there != site.absences.end() && !there->second.over;
    if (ledger(at).managers().in_session(*us) != away) continue;
    if (away) {
      Absence& absence = there->second;
      absence.over = true;
      if (world_.now - absence.since >= kLabelsRest) absence.given_up.merge(absence.lapsed);
      continue;
    }
    Absence& absence = site.absences[name];
    absence.since = world_.now;
    absence.over = false;
    absence.lapsed.clear();
    for (const PortLabels& port : ledger(at).labels().list(LabelHolder::kLapsed, *us)) {
      for (const Label label : port.labels) absence.lapsed.emplace(port.port, label);
    }
  }
}

bool World::given_up(const SwitchSite& site, const std::string& manager, PortId port,
                     Label label) const {
  const auto there = site.absences.find(manager);
  if (there == site.absences.end()) return false;
  const Absence& absence = there->second;
  if (absence.given_up.contains({port, label})) return true;
  return !absence.over && world_.now - absence.since >= kLabelsRest &&
         absence.lapsed.contains({port, label});
}

// Invariant 1 across a link: an input label here is an output label of the same connection at the
// other end, or at least no other manager's, and not free. A SwitchServer that has restarted grants
// no label while it waits for claims. Nothing can be said when the operator had the manager
// forgotten, or of a label that lapsed with a session and has rested (docs/decisions/0060): the
// manager was away for so long.
void World::check_links(std::size_t at) {
  ledger(at).hops().for_each([&](HopRef, const HopRecord& record) {
    const CrossConnect here = ledger(at).hops().cross_connect(record);
    if (!here.input_label.present()) return;
    const auto far = network_.far_end(at, here.input_port);
    if (!far) return;
    const std::string& name = ledger(at).managers().name(record.manager);
    const SwitchSite& far_site = switches_[far->first];
    const bool unknown = std::ranges::any_of(managers_, [&](const ManagerPlace& place) {
      const auto index = static_cast<std::size_t>(&place - managers_.data());
      const bool gone = place.for_good && place.site->dead();
      return place.site->name() == name && (gone || far_site.awaited.contains(index));
    });
    const bool settling = far_site.server->controller().settling().pending();
    if (dead(far_site) || settling || unknown) return;
    // A lost hop may have been derived by a link that led elsewhere then (docs/reliability.md).
    const bool misled = std::ranges::any_of(managers_, [&](const ManagerPlace& place) {
      return place.site->name() == name && place.misled_at.contains({at, here.input_port}) &&
             !far_site.lost_of.empty();
    });
    if (misled) return;
    // The label of a hop that was removed first rests there until this one is removed. A ledger
    // that was lost with its manager has forgotten it.
    if (record.stage() == HopStage::kRemoving && !far_site.lost_of.empty()) return;
    const Ledger& there = ledger(far->first);
    const auto place = there.labels().output_label(far->second, here.input_label);
    bool right =
        place &&
        (place->holder == LabelHolder::kCached || place->holder == LabelHolder::kQuarantine ||
         place->holder == LabelHolder::kLapsed || place->holder == LabelHolder::kUnclaimed ||
         place->holder == LabelHolder::kConnection);
    if (right && place->holder == LabelHolder::kConnection) {
      const HopRecord& upstream = there.hops().hop(place->hop);
      right = there.managers().name(upstream.manager) == name &&
              upstream.key.connection == record.key.connection;
    } else if (right && place->holder != LabelHolder::kUnclaimed) {
      right = there.managers().name(place->manager) == name;
    }
    if (right) {
      const auto absence = switches_[far->first].absences.find(name);
      if (absence != far_site.absences.end() && place->holder != LabelHolder::kLapsed) {
        absence->second.given_up.erase({far->second, here.input_label});
      }
      return;
    }
    if (given_up(far_site, name, far->second, here.input_label)) {
      ++world_.tally["labels used again after their rest"];
      return;
    }
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
    const auto us = ledger(at).managers().find(site.name());
    for (std::size_t i = 0; i < view.cached.size(); ++i) {
      const auto& [port, label] = view.cached[i];
      const auto complain = [&](std::string_view what) {
        world_.violated(fmt::format("{} port {} label {}: in the cache of {}, {}",
                                    switches_[at].name, port, to_string(label), site.name(), what));
      };
      if (i > 0 && view.cached[i - 1] == view.cached[i]) complain("twice");
      const auto place = ledger(at).labels().output_label(port, label);
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

// Whether a manager owes the removal of that entry.
bool World::is_owed(std::size_t at, const CrossConnect& entry) const {
  return std::ranges::any_of(managers_, [&](const ManagerPlace& place) {
    if (place.site->dead()) return false;
    const auto pages = place.site->manager().claims_at(switches_[at].name, world_.now);
    return std::ranges::any_of(pages, [&](const HopClaims& page) {
      return std::ranges::any_of(page.hops, [&](const LedgerHop& hop) {
        return hop.stage == HopStage::kRemoving && fits(hop.cross_connect, entry);
      });
    });
  });
}

// A new SwitchServer process leaves the cross-connects that it found in the switch alone until they
// are claimed, and grants none of their labels.
void World::check_unclaimed(std::size_t at) {
  const SwitchSite& site = switches_[at];
  if (site.inherited.empty() || !site.device->up() || !site.server->controller().up()) return;
  for (const CrossConnect& there : site.inherited) {
    if (!site.device->has(there)) continue;
    ++world_.tally["inherited cross-connects looked at"];
    const auto output = ledger(at).labels().output_label(there.output_port, there.output_label);
    // A hop that is claimed may have the output in common with it.
    if (output &&
        (output->holder == LabelHolder::kUnclaimed || output->holder == LabelHolder::kConnection)) {
      continue;
    }
    // Of two entries with one output a call had one, and has been released: the label rests. So it
    // does while the removal of an entry is owed of which its manager does not know the output.
    const bool rests = site.lost.contains(there) || is_owed(at, there);
    if (output && output->holder == LabelHolder::kQuarantine && rests) continue;
    world_.violated(fmt::format("{} port {} label {}: unattributed, but its ledger state is {}",
                                site.name, there.output_port, to_string(there.output_label),
                                output ? static_cast<int>(output->holder) : -1));
  }
}

// A hold ends when its time has passed since it was held, whatever has restarted meanwhile. What is
// left of it may be counted anew by each process that takes it over: messages take time.
void World::check_end_of_hold(const ManagerSite& site, ConnectionId id,
                              const cmgr::Connection& held) {
  constexpr Duration kSlack = seconds{3};
  const Duration left = held.procedure->hold_left(world_.now);
  for (const ClientSite& place : clients_) {
    if (managers_[place.manager].site.get() != &site) continue;
    for (const auto& [request, call] : place.client->calls()) {
      if (call.id != id || call.told_held == TimePoint{}) continue;
      const Duration lasts = milliseconds{call.setup.hold_ms};
      ++world_.tally["ends of holds looked at"];
      const bool early = world_.now + left < call.asked_at + lasts;
      const bool late =
          left > Duration::zero() && world_.now + left > call.told_held + lasts + kSlack;
      if (!early && !late) continue;
      world_.violated(fmt::format("{}: hold {} of {} ms ends too {}", site.name(), id,
                                  call.setup.hold_ms, early ? "early" : "late"));
    }
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
    check_end_of_hold(site, id, about->connection);
    for (const cmgr::Hop& hop : about->connection.hops()) {
      const std::size_t at = index_of(site.manager().switches().name(hop.at));
      if (switches_[at].awaited.contains(index)) continue;  // it has not been claimed yet
      const auto us = ledger(at).managers().find(site.name());
      const auto ref =
          us ? ledger(at).hops().find(*us, {id, Generation{hop.generation}, hop.leg, hop.number})
             : std::nullopt;
      if (!ref || ledger(at).hops().hop(*ref).stage() != HopStage::kReserved ||
          ledger(at).hops().hop(*ref).demand != about->connection.demand_of_leg(hop.leg)) {
        world_.violated(fmt::format("{}: connection {} is held, hop {} of leg {} at {} is {}",
                                    site.name(), id, hop.number, hop.leg, switches_[at].name,
                                    ref ? "not as reserved" : "not there"));
        return;
      }
      const CrossConnect reserved = ledger(at).hops().cross_connect(*ref);
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

}  // namespace xbind::sim
