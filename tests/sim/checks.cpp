// What must hold in the simulated world: DESIGN's invariants 1, 2, 4 and (for who was told
// "connected") 3 after every step, and 6 at the end.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "tests/sim/world.hpp"

namespace xbind::sim {

std::size_t World::index_of(const std::string& name) const {
  const auto found = std::find_if(switches_.begin(), switches_.end(),
                                  [&](const SwitchSite& site) { return site.name == name; });
  XB_CHECK(found != switches_.end(), name);
  return static_cast<std::size_t>(found - switches_.begin());
}

// What the manager believes to be its session is the one the SwitchServer has with it.
bool World::session_alive(std::size_t manager, std::size_t at) const {
  const SessionId session = managers_[manager]->session_with(switches_[at].name);
  return session != SessionId{} &&
         switches_[at].server->give_back(session, PortLabels{}, Resources{}).has_value();
}

// Invariant 1 within the ledger, invariant 2.
void World::check_switch(std::size_t at) {
  const SwitchSite& site = switches_[at];
  const Ledger& ledger = site.server->controller().ledger();
  for (const Finding& finding : ledger.self_check(site.name)) {
    world_.violated(fmt::format("{}: {}", finding.element, finding.text));
  }
  std::map<PortId, Resources> sums;  // made anew, not taken from the ledger's accounts
  ledger.for_each_hop([&](HopRef, const HopRecord& record) {
    sums[record.cross_connect.output_port] += record.setup.demand;
  });
  for (const auto& [port, sum] : sums) {
    const auto usage = ledger.usage(port);
    if (!sum.fits_within(usage->taken) || !usage->taken.fits_within(usage->capacity)) {
      world_.violated(fmt::format("{} port {}: hops need {} cells/s, {} are taken of {}", site.name,
                                  port, sum.cells_per_s, usage->taken.cells_per_s,
                                  usage->capacity.cells_per_s));
    }
  }
}

// Invariant 1 between ledgers and caches: what a manager would use next is its own, and nowhere
// else.
void World::check_caches(std::size_t index) {
  const ManagerSite& site = *managers_[index];
  for (std::size_t at = 0; at < switches_.size(); ++at) {
    if (!session_alive(index, at)) continue;
    const cmgr::ManagerView view = site.manager().view_of(switches_[at].name);
    const Ledger& ledger = switches_[at].server->controller().ledger();
    const auto us = ledger.find_manager(site.name());
    for (std::size_t i = 0; i < view.cached.size(); ++i) {
      const auto& [port, label] = view.cached[i];
      const auto complain = [&](std::string_view what) {
        world_.violated(fmt::format("{} port {} label {}: in the cache of {}, {}",
                                    switches_[at].name, port, to_string(label), site.name(), what));
      };
      if (i > 0 && view.cached[i - 1] == view.cached[i]) complain("twice");
      const auto place = ledger.output_label(port, label);
      const bool loose = place && (place->holder == LabelHolder::kCached ||
                                   place->holder == LabelHolder::kQuarantine);
      if (!loose || place->manager != *us) {
        complain(fmt::format("but the ledger has it in place {}",
                             place ? static_cast<int>(place->holder) : -1));
      }
      for (const LedgerHop& hop : view.hops) {
        if (hop.settled && hop.cross_connect.output_port == port &&
            hop.cross_connect.output_label == label) {
          complain("and in a connection of its own");
        }
      }
    }
  }
}

// Invariant 3: whoever was told "connected" has every hop, with its labels in a chain.
void World::check_promised() {
  for (const ClientSite& site : clients_) {
    for (const auto& [call, hops] : site.up) {
      const Outcome& outcome = *site.client->asked().at(call).outcome;
      Label arrives = outcome.ingress;
      for (std::size_t i = 0; i < hops.size(); ++i) {
        const Ledger& ledger =
            switches_[index_of(hops[i].switch_name)].server->controller().ledger();
        const auto us = ledger.find_manager(managers_[site.manager]->name());
        const HopKey key{outcome.connection, Generation{1}, 0, static_cast<std::uint16_t>(i)};
        const auto ref = us ? ledger.find(*us, key) : std::nullopt;
        if (!ref || ledger.hop(*ref).state != HopState::kCommitted ||
            ledger.hop(*ref).cross_connect.input_label != arrives) {
          world_.violated(fmt::format("{} was told that connection {} is up; hop {} at {} is {}",
                                      site.client->name(), outcome.connection, i,
                                      hops[i].switch_name, ref ? "not as promised" : "not there"));
          return;
        }
        arrives = ledger.hop(*ref).cross_connect.output_label;
      }
      if (arrives != outcome.egress) {
        world_.violated(fmt::format("{}: connection {} comes out with {}, promised was {}",
                                    site.client->name(), outcome.connection, to_string(arrives),
                                    to_string(outcome.egress)));
      }
    }
  }
}

// In calm: what the switches really have. Every promised call arrives where it should, and there is
// nothing else.
void World::check_tables() {
  std::map<std::size_t, std::set<CrossConnect>> wanted;
  for (const ClientSite& site : clients_) {
    if (site.client->unanswered() != 0) {
      world_.violated(fmt::format("{} has no outcome of {} requests", site.client->name(),
                                  site.client->unanswered()));
    }
    for (const auto& [call, hops] : site.up) {
      Label label = site.client->asked().at(call).outcome->ingress;
      for (const PathHop& hop : hops) {
        const std::size_t at = index_of(hop.switch_name);
        const auto& table = switches_[at].device->table();
        const auto entry = table.lower_bound({hop.input_port, label, PortId{0}, Label{}});
        if (entry == table.end() || entry->input_port != hop.input_port ||
            entry->input_label != label || entry->output_port != hop.output_port) {
          world_.violated(fmt::format("{}: call {} gets lost at {} port {} label {}",
                                      site.client->name(), call, hop.switch_name, hop.input_port,
                                      to_string(label)));
          return;
        }
        wanted[at].insert(*entry);
        label = entry->output_label;
      }
      if (label != site.client->asked().at(call).outcome->egress) {
        world_.violated(
            fmt::format("{}: call {} comes out with another label", site.client->name(), call));
      }
    }
  }
  for (std::size_t at = 0; at < switches_.size(); ++at) {
    if (switches_[at].device->table() != wanted[at]) {
      world_.violated(fmt::format("{} has {} cross-connects, {} are of calls that are up",
                                  switches_[at].name, switches_[at].device->table().size(),
                                  wanted[at].size()));
    }
  }
}

// Invariant 6 by the production audit: the three books agree, in one look.
void World::audit_all() {
  for (std::size_t m = 0; m < managers_.size(); ++m) {
    ManagerSite& site = *managers_[m];
    site.step([&](cmgr::ConnectionManager& manager) { manager.flush_all(world_.now); });
    run_until(world_.now + seconds{2});
    for (const SwitchSite& at : switches_) {
      const cmgr::ManagerView before = site.manager().view_of(at.name);
      reports_.clear();
      if (const auto asked = at.server->audit(site.name(), 1); !asked) {
        world_.violated("the audit was refused: " + asked.error().text);
        return;
      }
      at.server->finish_step(world_.now);
      run_until(world_.now + milliseconds{100});
      if (!reports_.contains(1)) {
        world_.violated("no audit report came");
        return;
      }
      for (const Finding& finding :
           cmgr::compare(at.name, before, reports_[1], site.manager().view_of(at.name))) {
        world_.violated(fmt::format("audit of {}: {} at {}: {}", site.name(),
                                    to_string(finding.kind), finding.element, finding.text));
      }
    }
  }
}

void World::audited(std::uint64_t token, LedgerReport report) {
  reports_[token] = std::move(report);
}

// Nothing is held but by the caches.
void World::check_empty() {
  for (const ClientSite& site : clients_) {
    if (site.client->unanswered() != 0) {
      world_.violated(fmt::format("{} has no outcome of {} requests", site.client->name(),
                                  site.client->unanswered()));
    }
  }
  for (const auto& site : managers_) {
    const cmgr::ConnectionManager& manager = site->manager();
    if (manager.connections() != 0 || manager.owed() != 0) {
      world_.violated(fmt::format("{} still has {} connections and owes {} removals", site->name(),
                                  manager.connections(), manager.owed()));
    }
    world_.tally["debts made"] += manager.switch_counters().debts_made;
    world_.tally["late results"] += manager.counters().late_results;
    world_.tally["label hits"] += manager.switch_counters().label_hits;
    world_.tally["label misses"] += manager.switch_counters().label_misses;
    world_.tally["batches resent"] += manager.switch_counters().batches_resent;
  }
  for (const SwitchSite& site : switches_) {
    const SwitchController& controller = site.server->controller();
    world_.tally["put back"] += controller.counters().put_back;
    if (controller.ledger().hop_count() != 0 || !site.device->table().empty()) {
      world_.violated(fmt::format("{}: {} hops and {} cross-connects are left", site.name,
                                  controller.ledger().hop_count(), site.device->table().size()));
    }
    for (const SwitchPort& port : controller.ledger().ports()) {
      const auto usage = controller.ledger().usage(port.port);
      if (usage->taken != Resources{} || usage->ingress_cells_per_s != 0 ||
          usage->free_input_labels != port.labels.size()) {
        world_.violated(
            fmt::format("{} port {}: {} cells/s are taken, {} come in, {} input labels free",
                        site.name, port.port, usage->taken.cells_per_s, usage->ingress_cells_per_s,
                        usage->free_input_labels));
      }
    }
  }
}

// Where nothing goes wrong, nothing may look as if it had.
void World::check_fair() {
  std::uint64_t lost = 0;
  for (const auto& site : managers_) {
    lost += site->manager().switch_counters().sessions_lost +
            site->manager().client_counters().sessions_lost +
            site->manager().switch_counters().debts_made;
  }
  for (const SwitchSite& site : switches_) lost += site.server->counters().sessions_lost;
  if (lost != 0) world_.violated("sessions were lost or removals owed in fair weather");
  for (const Cause cause : {Cause::kTimeout, Cause::kSwitchUnreachable, Cause::kForeignInputLabel,
                            Cause::kLabelNotHeld, Cause::kInvalidRequest, Cause::kStale}) {
    std::uint64_t seen = world_.tally.of("cause: " + std::string{to_string(cause)});
    // The clients ask for no cells at all now and then.
    if (cause == Cause::kInvalidRequest) continue;
    if (seen != 0) {
      world_.violated(
          fmt::format("{} calls were refused in fair weather: {}", seen, to_string(cause)));
    }
  }
}

}  // namespace xbind::sim
