// What must hold in the simulated world in calm and at the end: invariants 3, 4 and 6 of
// docs/invariants.md.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "switchserver/ledger/ledger_audit.hpp"
#include "tests/sim/world.hpp"

namespace xbind::sim {

void World::check_answered() {
  for (const ManagerPlace& place : managers_) {
    const std::uint64_t stuck = place.site->manager().counters().ended_stuck;
    if (stuck == 0) continue;
    world_.violated(fmt::format("{}: {} calls were ended by force because no timer had ended them",
                                place.site->name(), stuck));
  }
  for (const ClientSite& site : clients_) {
    if (site.client->unanswered() == 0) continue;
    world_.violated(fmt::format("{} has no outcome of {} requests", site.client->name(),
                                site.client->unanswered()));
  }
}

// In calm: the switches' tables. Every promised call has its tree, every prepared connection its
// chain, orphans have the ledger's hops, and nothing else exists.
void World::check_tables() {
  std::vector<std::set<CrossConnect>> wanted(switches_.size());
  for (ClientSite& site : clients_) {
    for (auto& [request, call] : site.client->calls()) {
      if (!call.promised() || has_lost_hops(site, call)) continue;
      check_call(site, call);
      for (const bool reverse : {false, true}) {
        if (reverse && !call.setup.reverse) continue;
        for (const auto& [at, ref] : follow(site, call, reverse).hops) {
          wanted[at].insert(ledger(at).hops().cross_connect(ref));
        }
      }
    }
  }
  for (std::size_t m = 0; m < managers_.size(); ++m) {
    const cmgr::ConnectionManager& manager = managers_[m].site->manager();
    for (std::size_t at = 0; at < switches_.size(); ++at) {
      const auto us = ledger(at).managers().find(managers_[m].site->name());
      if (!us) continue;
      ledger(at).hops().for_each([&](HopRef, const HopRecord& record) {
        if (record.manager != *us || !record.input_label().present()) return;
        const CrossConnect has = ledger(at).hops().cross_connect(record);
        const ConnectionId id = record.key.connection;
        const bool orphan = is_orphan(m);
        const auto about = orphan ? std::nullopt : manager.describe(id);
        // The manager is trying another path for it, as it does every few seconds while there is
        // none.
        const bool moving = about && about->connection.is_changing();
        const bool prepared = about && !about->connection.asker();
        const bool settled = prepared ? about->connection.state() == cmgr::State::kConnected
                                      : record.stage() == HopStage::kCommitted;
        if (prepared) ++world_.tally["prepared hops looked at"];
        if (orphan) ++world_.tally["hops of orphans looked at"];
        const bool there = switches_[at].device->has(has);
        // A hop being prepared, or being removed by the earlier epoch, may be in the switch or not.
        const bool on = settled && !superseded(ledger(at), record);
        if (((prepared || orphan) && (on || there)) ||
            ((moving || lost_hops_.contains({m, id})) && there)) {
          wanted[at].insert(has);
        }
      });
    }
  }
  for (std::size_t at = 0; at < switches_.size(); ++at) {
    for (const CrossConnect& there : switches_[at].lost) {
      if (may_stay(at, there)) wanted[at].insert(there);
    }
    for (const CrossConnect& there : switches_[at].device->table()) {
      if (waits_to_go(at, there)) wanted[at].insert(there);
    }
    if (switches_[at].device->table() == wanted[at]) continue;
    std::vector<CrossConnect> apart;
    std::set_symmetric_difference(switches_[at].device->table().begin(),
                                  switches_[at].device->table().end(), wanted[at].begin(),
                                  wanted[at].end(), std::back_inserter(apart));
    std::string whose;
    ledger(at).hops().for_each([&](HopRef, const HopRecord& record) {
      if (ledger(at).hops().cross_connect(record) != apart.front()) return;
      whose +=
          fmt::format(", hop {}.{}.{} of connection {} of {}, state {}", record.key.generation,
                      record.key.leg, record.key.hop, record.key.connection,
                      ledger(at).managers().name(record.manager), static_cast<int>(record.stage()));
      for (std::size_t m = 0; m < managers_.size(); ++m) {
        const cmgr::ConnectionManager& manager = managers_[m].site->manager();
        for (const ConnectionId id : manager.list(ConnectionId{}, 100'000)) {
          const auto about = manager.describe(id);
          if (about->connection.id != record.key.connection) continue;
          whose += fmt::format(", there {} of client '{}'", id, about->client);
        }
      }
    });
    world_.violated(fmt::format("{} has {} cross-connects, {} are of calls that are up: {}{}",
                                switches_[at].name, switches_[at].device->table().size(),
                                wanted[at].size(), to_string(apart.front()), whose));
  }
}

// ===== removals that wait for the claims of others =====

// Whether no removal waits there that could be done: each manager whose claims are awaited keeps an
// incomplete call that needs this lost ledger.
bool World::waits_for_incomplete(std::size_t at) const {
  const auto& awaited = switches_[at].server->controller().settling().awaited();
  const auto keeps_open = [&](const std::string& name) {
    return std::ranges::any_of(managers_, [&](const ManagerPlace& place) {
      const ManagerSite& site = *place.site;
      if (site.name() != name || site.dead() || site.manager().recovery().waiting() == 0) {
        return false;
      }
      return !site.manager().claims_at(switches_[at].name, world_.now).back().all;
    });
  };
  return !awaited.empty() && std::ranges::all_of(awaited, keeps_open);
}

// Hops of that manager whose removal waits there until others have claimed all
// (docs/decisions/0116).
std::vector<LedgerHop> World::waiting_removals(std::size_t at, const std::string& manager) const {
  std::vector<LedgerHop> waiting;
  if (!waits_for_incomplete(at)) return waiting;
  const SwitchController& controller = switches_[at].server->controller();
  const auto us = ledger(at).managers().find(manager);
  std::uint64_t from = 0;
  do {
    const HeldHops page = controller.held_hops(manager, from, 1'000, world_.now);
    for (const LedgerHop& hop : page.hops) {
      if (!ledger(at).hops().find(*us, hop.key)) waiting.push_back(hop);
    }
    from = page.next;
  } while (from != 0);
  return waiting;
}

// Whether all that the manager owes there waits for others.
bool World::owes_what_waits(std::size_t manager, std::size_t at) const {
  const ManagerSite& site = *managers_[manager].site;
  const std::vector<LedgerHop> waiting = waiting_removals(at, site.name());
  return std::ranges::all_of(
      site.manager().view_of(switches_[at].name).owed, [&](const HopKey& key) {
        return std::ranges::find(waiting, key, &LedgerHop::key) != waiting.end();
      });
}

// Whether that entry stays because its removal waits for others.
bool World::waits_to_go(std::size_t at, const CrossConnect& entry) const {
  if (is_claimed(at, entry)) return false;
  return std::ranges::any_of(managers_, [&](const ManagerPlace& place) {
    return std::ranges::any_of(waiting_removals(at, place.site->name()), [&](const LedgerHop& hop) {
      const CrossConnect& known = hop.cross_connect;
      const bool any = known.input_label.present() || known.output_label.present();
      return any && fits(known, entry);
    });
  });
}

// ===== audits =====

// Invariant 6 with the production audit: one look, and switch, ledger and manager agree.
void World::audit_all() {
  for (std::size_t m = 0; m < managers_.size(); ++m) {
    if (managers_[m].for_good) continue;
    managers_[m].site->step([&](cmgr::ConnectionManager& it) { it.flush_all(world_.now); });
    run_until(world_.now + seconds{2});
    for (std::size_t at = 0; at < switches_.size(); ++at) audit_one(m, at);
  }
}

std::vector<Finding> World::look(std::size_t m, std::size_t at) {
  const ManagerSite& site = *managers_[m].site;
  SwitchSite& there = switches_[at];
  const cmgr::ManagerView before = site.manager().view_of(there.name);
  reports_.clear();
  if (const auto asked = there.server->audit(site.name(), 1); !asked) {
    world_.violated("the audit was refused: " + asked.error().text);
    return {};
  }
  switch_stepped(at);
  run_until(world_.now + milliseconds{100});
  if (!reports_.contains(1)) {
    world_.violated("no audit report came");
    return {};
  }
  return cmgr::compare(there.name, before, reports_[1], site.manager().view_of(there.name));
}

void World::audit_one(std::size_t m, std::size_t at) {
  std::vector<Finding> findings = look(m, at);
  // Where connections are prepared, it is never quite calm: two looks, as in production.
  if (pools_) findings = cmgr::seen_twice(std::move(findings), look(m, at));
  for (const Finding& finding : findings) {
    // Nobody could claim them: their manager was killed, too.
    if (finding.kind == FindingKind::kStrayCrossConnect && left_over(at) != 0) {
      ++world_.tally["cross-connects that nobody has claimed"];
      continue;
    }
    if (finding.kind == FindingKind::kOwed && owes_what_waits(m, at)) {
      ++world_.tally["removals that wait for incomplete calls of others"];
      continue;
    }
    if (finding.kind == FindingKind::kUnreadable && claims_stay_open()) {
      ++world_.tally["claims that stay open"];
      continue;
    }
    world_.violated(fmt::format("audit of {}: {} at {}: {}", managers_[m].site->name(),
                                to_string(finding.kind), finding.element, finding.text));
  }
}

// The production audit under load. The three tables may differ for a while: a cross-connect is
// being made, a refused removal is repeated, a manager has not heard yet. What a ledger finds wrong
// in itself is never excused.
void World::audit_under_load() {
  if (!loading_) return;
  world_.after(milliseconds{world_.chance.between(500, 5'000)}, [this] { audit_under_load(); });
  const std::size_t at = world_.chance.below(switches_.size());
  const ManagerSite& site = *managers_[world_.chance.below(managers_.size())].site;
  if (dead(switches_[at]) || !ledger(at).managers().find(site.name())) return;
  // A SwitchServer refuses the audit when too many wait for a switch that is away.
  for (int asked = 0; asked < (short_of_everything_ ? 2 : 1); ++asked) {
    if (!switches_[at].server->audit(site.name(), next_audit_++)) ++world_.tally["audits refused"];
  }
  switch_stepped(at);
}

void World::check_report(const LedgerReport& report) {
  ++world_.tally["audits under load"];
  for (const Finding& finding : report.findings) {
    if (finding.kind != FindingKind::kDoubleLabel && finding.kind != FindingKind::kLeakedLabel &&
        finding.kind != FindingKind::kLeakedBandwidth) {
      continue;
    }
    world_.violated(fmt::format("audit under load: {} at {}: {}", to_string(finding.kind),
                                finding.element, finding.text));
  }
}

void World::audited(std::uint64_t token, LedgerReport report) {
  if (token >= kAuditsUnderLoad) return check_report(report);
  reports_[token] = std::move(report);
}

// ===== the end =====

// Only caches and orphans hold anything.
void World::check_empty() {
  for (std::size_t m = 0; m < managers_.size(); ++m) {
    if (managers_[m].for_good) {
      check_forgotten(m);
      continue;
    }
    const cmgr::ConnectionManager& manager = managers_[m].site->manager();
    if (const std::size_t waiting = manager.recovery().waiting(); waiting != 0) {
      std::string first;
      manager.recovery().for_each_incomplete([&](const cmgr::IncompleteCall& call) {
        if (first.empty()) first = fmt::format("{}, {}", call.shown, call.words());
      });
      world_.violated(fmt::format("{} still has {} incomplete calls: {}", managers_[m].site->name(),
                                  waiting, first));
    }
    if (manager.gauges().connections != 0 || manager.gauges().owed != 0) {
      std::string first;
      for (const ConnectionId id : manager.list(ConnectionId{0}, 1)) {
        const auto about = manager.describe(id);
        first = fmt::format("; connection {}, {}, {} hops", id,
                            to_string(about->connection.state()), about->connection.hops().size());
      }
      world_.violated(fmt::format("{} still has {} connections and owes {} commands{}",
                                  managers_[m].site->name(), manager.gauges().connections,
                                  manager.gauges().owed, first));
    }
  }
  for (std::size_t at = 0; at < switches_.size(); ++at) {
    const SwitchSite& site = switches_[at];
    std::size_t orphans = 0;
    const auto of_orphans = [&](const HopRecord& record) {
      for (std::size_t m = 0; m < managers_.size(); ++m) {
        const auto us = ledger(at).managers().find(managers_[m].site->name());
        if (us && record.manager == *us) return is_orphan(m);
      }
      return false;
    };
    std::map<PortId, Resources> theirs = needed(at, of_orphans);
    std::map<PortId, std::uint64_t> ingress;
    std::map<PortId, std::set<Label>> inputs;
    ledger(at).hops().for_each([&](HopRef ref, const HopRecord& record) {
      if (!of_orphans(record)) return;
      const CrossConnect has = ledger(at).hops().cross_connect(record);
      ++orphans;
      ingress[has.input_port] += ledger(at).extras().ingress(ref).value_or(0);
      if (has.input_label.present()) inputs[has.input_port].insert(has.input_label);
    });
    std::size_t inherited = 0;
    for (const CrossConnect& there : site.lost) {
      if (!may_stay(at, there)) continue;
      ++inherited;
      inputs[there.input_port].insert(there.input_label);
    }
    if (ledger(at).hops().size() != orphans || site.device->table().size() > orphans + inherited) {
      world_.violated(fmt::format("{}: {} hops and {} cross-connects are left, {} are of orphans",
                                  site.name, ledger(at).hops().size(), site.device->table().size(),
                                  orphans));
    }
    for (const SwitchPort& port : ledger(at).ports().present()) {
      const auto usage = ledger(at).usage(port.port);
      if (usage->hops != theirs[port.port] || usage->ingress_cells_per_s != ingress[port.port] ||
          usage->free_input_labels != label_count(port.labels) - inputs[port.port].size()) {
        std::string taken;
        for (const LabelRange& range : port.labels) {
          for (std::uint64_t i = 0; i < range.size(); ++i) {
            const Label label = range.at(static_cast<std::uint32_t>(i));
            const auto place = ledger(at).labels().input_label(port.port, label);
            if (!place || place->holder <= LabelHolder::kFree) continue;
            taken += fmt::format(" {} ({})", to_string(label), static_cast<int>(place->holder));
          }
        }
        std::string expected;
        for (const Label label : inputs[port.port])
          expected += fmt::format(" {}", to_string(label));
        world_.violated(
            fmt::format("{} port {}: {} cells/s are taken, {} come in, {} input labels free; "
                        "taken:{}; of orphans and unclaimed entries:{}",
                        site.name, port.port, usage->hops.cells_per_s, usage->ingress_cells_per_s,
                        usage->free_input_labels, taken, expected));
      }
    }
  }
}

// A manager killed for good holds nothing but its calls; the rest is available to all.
void World::check_forgotten(std::size_t m) {
  if (!managers_[m].forgotten) {
    world_.violated(managers_[m].site->name() + " was killed and could not be forgotten");
  }
  for (std::size_t at = 0; at < switches_.size(); ++at) {
    const auto us = ledger(at).managers().find(managers_[m].site->name());
    if (!us) continue;
    if (!ledger(at).labels().list(LabelHolder::kCached, *us).empty() ||
        !ledger(at).labels().list(LabelHolder::kQuarantine, *us).empty()) {
      world_.violated(fmt::format("{}: {} is forgotten and still holds labels", switches_[at].name,
                                  managers_[m].site->name()));
    }
    ledger(at).hops().for_each([&](HopRef, const HopRecord& record) {
      if (record.manager != *us || record.stage() != HopStage::kReserved) return;
      world_.violated(fmt::format("{}: {} is forgotten, its reservation is not", switches_[at].name,
                                  managers_[m].site->name()));
    });
  }
}

// Adds up the counters of living and dead parts.
void World::add_up() {
  const auto add = [&](const ManagerSite& site) {
    const cmgr::ConnectionManager& manager = site.manager();
    occurrences_.add(manager.occurrences());
    const cmgr::SwitchDesk::Counters switches = manager.switches().counters();
    world_.tally["debts made"] += switches.debts_made;
    world_.tally["late results"] += manager.counters().late_results;
    world_.tally["label hits"] += switches.label_hits;
    world_.tally["label misses"] += switches.label_misses;
    world_.tally["quota hits"] += switches.quota_hits;
    world_.tally["quota misses"] += switches.quota_misses;
    world_.tally["labels recalled"] += switches.labels_recalled;
    world_.tally["surplus labels returned"] += switches.labels_surplus;
    world_.tally["batches resent"] += switches.batches_resent;
    world_.tally["crankbacks"] += manager.counters().crankbacks;
    world_.tally["expired paths used"] += manager.counters().routes_expired;
    world_.tally["paths over the known network"] += manager.counters().routes_found_here;
    world_.tally["old versions ignored"] += manager.counters().stale_topologies;
    world_.tally["other paths begun"] += manager.counters().reroutes_begun;
    world_.tally["other paths taken"] += manager.counters().reroutes_done;
    world_.tally["other paths that could not be had"] += manager.counters().reroutes_failed;
    world_.tally["requests that waited"] += manager.counters().waited;
  };
  for (const auto& site : dead_managers_) add(*site);
  for (const ManagerPlace& place : managers_) add(*place.site);
  for (const ClientSite& site : clients_) site.client->add_up();
  for (std::size_t at = 0; at < switches_.size(); ++at) {
    add_up_server(at);
    switches_[at].device->add_up();
  }
}

void World::add_up_server(std::size_t at) {
  const SwitchCounters& counters = switches_[at].server->controller().counters();
  hop_occurrences_.add(ledger(at).hops().occurrences());
  world_.tally["put back"] += counters.put_back;
  world_.tally["recalls"] += counters.recalls;
  world_.tally["two-way batches"] += counters.executes;
  world_.tally["over a share"] += counters.over_share;
  world_.tally["setups of too many open batches"] +=
      counters.refusals[static_cast<std::size_t>(Cause::kBusy)];
}

// Where nothing goes wrong, no counter may say that something did.
void World::check_fair() {
  std::uint64_t lost = 0;
  for (const ManagerPlace& place : managers_) {
    lost += place.site->manager().switches().counters().sessions_lost +
            place.site->manager().client_counters().sessions_lost +
            place.site->manager().switches().counters().debts_made;
  }
  for (const SwitchSite& site : switches_) lost += site.server->counters().sessions_lost;
  lost += world_.tally.of("requester: sessions lost") +
          world_.tally.of("requester: attach failures") + world_.tally.of("requester: failed");
  if (lost != 0) world_.violated("sessions were lost or commands owed in fair weather");
  for (const Cause cause : {Cause::kTimeout, Cause::kSwitchUnreachable, Cause::kForeignInputLabel,
                            Cause::kLabelNotHeld, Cause::kStale, Cause::kSwitchRefused}) {
    const std::uint64_t seen = world_.tally.of("cause: " + std::string{to_string(cause)});
    if (seen == 0) continue;
    world_.violated(
        fmt::format("{} calls were refused in fair weather: {}", seen, to_string(cause)));
  }
}

}  // namespace xbind::sim
