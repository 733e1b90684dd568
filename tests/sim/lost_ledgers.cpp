// World: hops that SwitchServers have lost before their manager could claim them, because it ended
// too. The rule of docs/reliability.md says what becomes of their calls:
//
//     every lost hop has a known neighbour, and the switch has its entry  ──▶ the call stands
//     no ledger knows any hop of it                                      ──▶ it is unclaimed
//     else                                                               ──▶ it is incomplete
//
// In each case its cells flow where they flowed, and no other call gets its labels. Which case it
// is follows from what is lost, never from the accident.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tests/sim/world.hpp"

namespace xbind::sim {

template <class Fits>
bool World::any_ledger_has(std::size_t manager, ConnectionId id, Fits&& fits) const {
  bool found = false;
  for (std::size_t at = 0; at < switches_.size(); ++at) {
    const Ledger& book = ledger(at);
    const auto us = book.managers().find(managers_[manager].site->name());
    if (!us) continue;
    book.hops().for_each([&](HopRef ref, const HopRecord& record) {
      const bool its = record.manager == *us && record.key.connection == id;
      found = found || (its && fits(book, ref, record));
    });
  }
  return found;
}

// ===== what is lost =====

// The ledger there is about to be lost. What it has of the manager is to be claimed again.
void World::note_unclaimed(std::size_t at, std::size_t manager) {
  const Ledger& book = ledger(at);
  const auto us = book.managers().find(managers_[manager].site->name());
  if (!us) return;
  auto& unclaimed = switches_[at].unclaimed[manager];
  book.hops().for_each([&](HopRef ref, const HopRecord& record) {
    if (record.manager != *us) return;
    const CrossConnect entry = book.hops().cross_connect(record);
    if (!entry.input_label.present() || !entry.output_label.present()) return;
    switches_[at].charged.insert_or_assign(entry, book.extras().alone(ref));
    // An add on its way still arrives.
    const bool made = record.settled();
    unclaimed[record.key.connection][entry] = made || switches_[at].device->has(entry);
  });
}

// The manager will not claim what it had there: it has ended, or had not read it.
void World::lose_hops(std::size_t at, std::size_t manager) {
  SwitchSite& site = switches_[at];
  const auto unclaimed = site.unclaimed.extract(manager);
  if (unclaimed.empty()) return;
  site.lost_of.insert(manager);
  const std::string& name = managers_[manager].site->name();
  for (const auto& [id, entries] : unclaimed.mapped()) {
    LostHops& lost = lost_hops_[{manager, id}];
    for (const auto& [entry, made] : entries) {
      if (is_in_ledger(at, name, id, entry)) continue;
      if (made) lost.entries.emplace(at, entry);
      site.lost.insert(entry);
    }
    if (lost.entries.empty()) {
      lost_hops_.erase({manager, id});
    } else {
      lost.all = !is_known(manager, id);
    }
  }
  note_lost_before(at);
  note_misled(manager);
  for (ClientSite& client : clients_) {
    if (client.manager != manager) continue;
    for (auto& [request, call] : client.client->calls()) note_lost_call(client, call);
  }
}

// The manager has ended, and with it what it had read of ledgers that were lost since.
void World::note_forgotten(std::size_t manager) {
  const auto first = lost_hops_.lower_bound({manager, ConnectionId{}});
  for (auto lost = first; lost != lost_hops_.end() && lost->first.first == manager; ++lost) {
    lost->second.all = !is_known(manager, lost->first.second);
  }
  for (ClientSite& client : clients_) {
    if (client.manager != manager) continue;
    for (auto& [request, call] : client.client->calls()) note_lost_call(client, call);
  }
}

// The manager ends: which of its calls are being changed.
void World::note_unsettled(std::size_t manager) {
  const ManagerSite& its = *managers_[manager].site;
  std::map<ConnectionId, std::set<std::string>> owed;  // with the ends where leaves may be
  std::set<HopKey> hops;
  for (std::size_t at = 0; at < switches_.size(); ++at) {
    for (const HopKey& key : its.manager().view_of(switches_[at].name).owed) {
      std::set<std::string>& ends = owed[key.connection];
      if (key.leg >= 2) ends.insert(Network::endpoint(at));
      hops.insert(key);
    }
  }
  for (ClientSite& site : clients_) {
    if (site.manager != manager) continue;
    for (auto& [request, call] : site.client->calls()) {
      const auto debts = owed.find(own_id(manager, call.id));
      // The next manager cannot know that the owner has it no more.
      if (debts != owed.end()) {
        call.uncertain_ends.insert(debts->second.begin(), debts->second.end());
        note_way_back(manager, call, hops);
      }
      // What was lost before is as it was then.
      if (has_lost_hops(site, call) && call.unsettled) continue;
      call.unsettled = !call.quiet() || is_changing_path(site, call) || debts != owed.end();
    }
  }
}

// The way back from a change that was refused is owed to every hop of a direction: the next manager
// finds nothing but what was requested, and the call has that (docs/reliability.md; seed 100739).
void World::note_way_back(std::size_t manager, Call& call, const std::set<HopKey>& owed) {
  const auto to_all = [&](bool back) {
    return !any_ledger_has(manager, own_id(manager, call.id),
                           [&](const Ledger&, HopRef, const HopRecord& record) {
                             return (record.key.leg == 1) == back && !owed.contains(record.key);
                           });
  };
  const bool forward = to_all(false);
  const bool reverse = to_all(true);
  std::vector<cmgr::Contract> possible;
  for (const cmgr::Contract& had : call.contracts) {
    for (const cmgr::Contract& earlier : call.earlier_contracts) {
      const cmgr::Contract& to = forward ? earlier : had;
      const cmgr::Contract& from = reverse ? earlier : had;
      add_new({{to.forward, from.reverse, to.traffic, from.reverse_traffic}}, possible);
    }
  }
  add_new(possible, call.contracts);
}

void World::note_lost_before(std::size_t at) {
  for (auto& [whose, lost] : lost_hops_) {
    lost.before = lost.before || std::ranges::any_of(lost.entries, [&](const auto& place) {
                    return place.first == at && !switches_[at].device->has(place.second);
                  });
  }
}

// What a client may rely on from now on.
void World::note_lost_call(const ClientSite& site, Call& call) {
  const ConnectionId own = own_id(site.manager, call.id);
  const auto found = lost_hops_.find({site.manager, own});
  if (found == lost_hops_.end()) return;
  LostHops& lost = found->second;
  // An earlier taker of a prepared connection may have given it back.
  const bool is_up = call.state == Call::State::kUp;
  if (is_up || lost.shown == ConnectionId{}) lost.shown = call.id;
  if (!is_up) return;
  ++world_.tally["calls that have lost hops with their manager"];
  call.of_nobody = call.of_nobody || lost.all;
  // The hops that had the last change may be the lost ones.
  if (call.unsettled) {
    add_new(call.earlier_contracts, call.contracts);
    call.earlier_contracts.clear();
  }
  if (lost.all) return;
  // No ledger knows who has this prepared connection: the next manager takes it for its own.
  if (own != call.id && !is_taken(site.manager, own)) {
    ++world_.tally["takers of prepared connections lost with their manager"];
    handovers_lost_.insert({site.manager, call.id});
    call.state = Call::State::kGone;
  } else if (lost.before) {
    ++world_.tally["calls with lost hops that their switch had lost before"];
    call.state = Call::State::kGone;
  } else if (lost.misled) {
    ++world_.tally["calls with lost hops at exchanged links"];
    call.state = Call::State::kGone;
  }
}

// The manager believes that a link of a lost hop leads to another switch, and that switch says that
// it has no such hop: it takes the call for one that was being released. Or that switch has one, of
// another call. Once it has asked, the right network comes too late: also for a call of which its
// client has no outcome yet (seed 100331).
void World::note_misled(std::size_t manager) {
  const auto& exchanged = managers_[manager].exchanged;
  for (auto& [whose, lost] : lost_hops_) {
    if (whose.first != manager) continue;
    lost.misled = lost.misled || std::ranges::any_of(lost.entries, [&](const auto& place) {
                    const auto& [at, entry] = place;
                    return exchanged.contains({at, entry.input_port}) ||
                           exchanged.contains({at, entry.output_port});
                  });
  }
}

bool World::is_in_ledger(std::size_t at, const std::string& manager, ConnectionId id,
                         const CrossConnect& entry) const {
  bool found = false;
  ledger(at).users().for_each_on_input(
      entry.input_port, entry.input_label, [&](HopRef, const HopRecord& record) {
        found = found || (record.key.connection == id &&
                          ledger(at).managers().name(record.manager) == manager &&
                          ledger(at).hops().cross_connect(record) == entry);
      });
  return found;
}

// Whether a ledger has a hop of that connection, or the manager will claim one. A hop that the
// manager has read from a lost ledger is in its memory when that ledger is lost again.
bool World::is_known(std::size_t manager, ConnectionId id) const {
  const ManagerSite& its = *managers_[manager].site;
  if (!its.dead() && its.manager().recovery().incomplete(id)) return true;
  return any_ledger_has(manager, id,
                        [](const Ledger&, HopRef, const HopRecord& record) {
                          return record.stage() == HopStage::kCommitted;
                        }) ||
         std::ranges::any_of(switches_, [&](const SwitchSite& site) {
           const auto unclaimed = site.unclaimed.find(manager);
           return unclaimed != site.unclaimed.end() && unclaimed->second.contains(id);
         });
}

bool World::is_taken(std::size_t manager, ConnectionId id) const {
  return any_ledger_has(manager, id, [](const Ledger& book, HopRef ref, const HopRecord&) {
    return book.extras().shown_id(ref) != ConnectionId{};
  });
}

bool World::is_told(std::size_t manager, ConnectionId id, ConnectionId shown) const {
  return any_ledger_has(
      manager, id, [shown](const Ledger& book, HopRef ref, const HopRecord& record) {
        return book.extras().shown_id(ref) == shown && record.stage() == HopStage::kCommitted &&
               !superseded(book, record);
      });
}

// The manager has the call in its table again: from now on it is checked like any other.
void World::note_restored(std::size_t manager) {
  const ManagerSite& site = *managers_[manager].site;
  if (lost_hops_.empty() || site.dead()) return;
  const auto first = lost_hops_.lower_bound({manager, ConnectionId{}});
  for (auto it = first; it != lost_hops_.end() && it->first.first == manager;) {
    const ConnectionId shown = it->second.shown;
    const ConnectionId id = shown == ConnectionId{} ? it->first.second : shown;
    if (!site.manager().describe(id)) {
      ++it;
      continue;
    }
    ++world_.tally["calls restored that had lost hops"];
    note_restored(manager, id, it->second);
    it = lost_hops_.erase(it);
  }
}

void World::note_restored(std::size_t manager, ConnectionId id, const LostHops& lost) {
  // Its client has no outcome yet, which would be of no use (note_lost_call()).
  if (lost.misled) handovers_lost_.insert({manager, id});
  // It has read some of them before their ledger was lost, and is to claim them.
  const std::string& name = managers_[manager].site->name();
  for (const auto& [at, entry] : lost.entries) {
    if (!is_in_ledger(at, name, own_id(manager, id), entry)) switches_[at].awaited.insert(manager);
  }
}

const World::LostHops* World::lost_hops(const ClientSite& site, const Call& call) const {
  const auto lost = lost_hops_.find({site.manager, own_id(site.manager, call.id)});
  return lost == lost_hops_.end() ? nullptr : &lost->second;
}

// Whether a switch has lost an entry of a lost hop. No ledger has the labels that it had at both
// ends, so another call may get them.
bool World::lost_with_its_switch(const ClientSite& site, const Call& call) const {
  const LostHops* const lost = lost_hops(site, call);
  return lost != nullptr && std::ranges::any_of(lost->entries, [&](const auto& place) {
           return switches_[place.first].was_emptied &&
                  !switches_[place.first].device->has(place.second);
         });
}

// Whether an entry of a call that no ledger knows is at a link that a manager believed to lead
// elsewhere: it may be taken for a lost hop of another call, and goes with that call
// (docs/reliability.md).
bool World::taken_for_another(const ClientSite& site, const Call& call) const {
  const LostHops* const lost = lost_hops(site, call);
  if (lost == nullptr || !call.of_nobody) return false;
  return std::ranges::any_of(lost->entries, [&](const auto& place) {
    const auto& [at, entry] = place;
    return std::ranges::any_of(managers_, [&](const ManagerPlace& manager) {
      return manager.misled_at.contains({at, entry.input_port}) ||
             manager.misled_at.contains({at, entry.output_port});
    });
  });
}

// Entries that no manager can claim: they stay as they are, and so do their labels.
std::size_t World::left_over(std::size_t at) const {
  const SwitchSite& site = switches_[at];
  return static_cast<std::size_t>(std::ranges::count_if(
      site.lost, [&](const CrossConnect& entry) { return may_stay(at, entry); }));
}

bool World::may_stay(std::size_t at, const CrossConnect& entry) const {
  const SwitchSite& site = switches_[at];
  return site.lost.contains(entry) && site.device->has(entry) && !is_claimed(at, entry);
}

// A manager may need more from a SwitchServer for an incomplete call.
bool World::claims_stay_open() const {
  return std::ranges::any_of(managers_, [](const ManagerPlace& place) {
    return !place.site->dead() && place.site->manager().recovery().waiting() != 0;
  });
}

// A call of which every ledger was lost is in one again: its manager, or a hop that was read too
// late to be known when the last ledger was lost, has shown it.
void World::note_known_again(std::size_t manager, const HopClaims& page) {
  for (const LedgerHop& claimed : page.hops) {
    const auto lost = lost_hops_.find({manager, claimed.key.connection});
    if (lost == lost_hops_.end() || !lost->second.all) continue;
    lost->second.all = !is_known(manager, claimed.key.connection);
    if (!lost->second.all) ++world_.tally["unclaimed calls that are known again"];
  }
}

// A rebuilt hop has the contract of the hop beside it. If a change had reached that one and had
// been refused here, it needs more than the port has (docs/reliability.md).
void World::note_more(std::size_t at, const HopKey& key, HopRef ref) {
  const Ledger& book = ledger(at);
  const auto had = switches_[at].charged.find(book.hops().cross_connect(book.hops().hop(ref)));
  const Resources has = book.extras().alone(ref);
  if (had == switches_[at].charged.end() || has.fits_within(had->second)) return;
  ++world_.tally["rebuilt hops with more than they had"];
  more_.insert_or_assign(std::pair{at, key}, Grown{had->second, has});
}

// What rebuilt hops that leave there need beyond what they had, by output port.
std::map<PortId, Resources> World::needed_beyond(std::size_t at) const {
  std::map<PortId, Resources> beyond;
  if (more_.empty()) return beyond;
  const auto above = [](std::uint64_t has, std::uint64_t had) { return has > had ? has - had : 0; };
  ledger(at).hops().for_each([&](HopRef ref, const HopRecord& record) {
    const auto grown = more_.find({at, record.key});
    if (grown == more_.end() || ledger(at).extras().alone(ref) != grown->second.has) return;
    const auto& [had, has] = grown->second;
    beyond[ledger(at).hops().cross_connect(record).output_port] += Resources{
        above(has.cells_per_s, had.cells_per_s), above(has.buffer_cells, had.buffer_cells)};
  });
  return beyond;
}

bool World::fits(const CrossConnect& known, const CrossConnect& entry) {
  const auto agrees = [](const auto& wanted, const auto& there) {
    return wanted == std::decay_t<decltype(wanted)>{} || wanted == there;
  };
  return agrees(known.input_port, entry.input_port) &&
         agrees(known.input_label, entry.input_label) &&
         agrees(known.output_port, entry.output_port) &&
         agrees(known.output_label, entry.output_label);
}

bool World::is_claimed(std::size_t at, const CrossConnect& entry) const {
  bool claimed = false;
  ledger(at).users().for_each_on_input(
      entry.input_port, entry.input_label, [&](HopRef, const HopRecord& record) {
        claimed = claimed || ledger(at).hops().cross_connect(record) == entry;
      });
  return claimed;
}

// ===== what becomes of it =====

// Why the manager may be unable to put the call together, or an empty string.
std::string World::why_incomplete(const Call& call, const LostHops& lost) const {
  if (call.unsettled) return "it was changing";
  for (const auto& [at, entry] : lost.entries) {
    if (!switches_[at].device->has(entry)) return "its switch has restarted, too";
    const std::string end = Network::endpoint(at);
    const bool ends = call.ends.contains(end) || call.uncertain_ends.contains(end);
    if (call.had_leaves && ends) return "a leaf ends there";
  }
  return {};
}

// A manager that knows nothing of a call must not say that it is released while its entries are in
// the switches. One that names removals as owed knew hops of it, which were being removed.
void World::check_not_released(std::size_t manager, const Outcome& outcome) {
  if (outcome.kind != OutcomeKind::kReleased || outcome.owed.removals != 0) return;
  const auto lost = lost_hops_.find({manager, own_id(manager, outcome.connection)});
  if (lost == lost_hops_.end() || !lost->second.all) return;
  // It has removed what a ledger had of it (a hop that was being removed).
  const auto any = [](const Ledger&, HopRef, const HopRecord&) { return true; };
  if (any_ledger_has(manager, lost->first.second, any)) return;
  const auto stays = std::ranges::find_if(
      lost->second.entries, [&](const auto& place) { return may_stay(place.first, place.second); });
  if (stays == lost->second.entries.end()) return;
  world_.violated(
      fmt::format("{} says that connection {} is released, of which it knows nothing; {} has {}",
                  managers_[manager].site->name(), outcome.connection, switches_[stays->first].name,
                  to_string(stays->second)));
}

// What a switch has not that has kept its table was removed: nothing is missing there.
void World::check_reasons(std::size_t m) {
  const ManagerSite& manager = *managers_[m].site;
  manager.manager().recovery().for_each_incomplete([&](const cmgr::IncompleteCall& call) {
    if (call.why != cmgr::Missing::kNoEntry) return;
    const std::size_t at = index_of(call.element);
    if (switches_[at].was_emptied) return;
    world_.violated(
        fmt::format("{}: connection {} is incomplete, but its hop was removed, or never made: {}",
                    manager.name(), call.shown, call.words()));
  });
}

// In calm, every switch has been read, and every lost ledger has been asked.
void World::check_lost() {
  for (ClientSite& site : clients_) {
    for (auto& [request, call] : site.client->calls()) {
      const LostHops* const lost = lost_hops(site, call);
      if (lost == nullptr || !call.promised() || call.orphan) continue;
      check_lost(site, call, *lost);
    }
  }
}

void World::check_lost(const ClientSite& site, Call& call, const LostHops& lost) {
  const ManagerSite& manager = *managers_[site.manager].site;
  const auto incomplete = manager.manager().recovery().incomplete(call.id);
  std::set<std::string> where;
  for (const auto& [at, entry] : lost.entries) {
    where.insert(fmt::format("{} ({}{})", switches_[at].name, to_string(entry),
                             switches_[at].device->has(entry) ? "" : ", not in the switch"));
  }
  const auto complain = [&](const std::string& what) {
    world_.violated(fmt::format("{}: connection {} has lost hops at {}; it {}", site.client->name(),
                                call.id, fmt::join(where, ", "), what));
  };
  if (lost.all) {
    ++world_.tally["calls of nobody"];
    if (incomplete) complain("is incomplete, although no ledger has any of it");
    return;
  }
  // It was moving: what is known of it looks like the rest of a call that is being released, and is
  // removed. The path that its cells take is in no ledger, and stays.
  if (!incomplete && call.unsettled) {
    ++world_.tally["calls that were moving, of which no ledger has the path"];
    call.of_nobody = true;
    return;
  }
  if (!incomplete) return complain("is up no more, and not incomplete either");
  const std::string why = why_incomplete(call, lost);
  if (why.empty()) return complain("is incomplete, but can be found: " + incomplete->words());
  ++world_.tally["incomplete calls"];
  ++world_.tally["incomplete calls: " + why];
  const bool told = call.heard && call.heard->kind == NoticeKind::kIncomplete;
  if (!call.deaf && !told) complain("is incomplete, but its client got no notice");
}

}  // namespace xbind::sim
