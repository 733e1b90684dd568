#include "cmgr/procedures/recovery.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "cmgr/parts/label_debts.hpp"
#include "cmgr/procedures/hold.hpp"
#include "cmgr/procedures/hop_sender.hpp"
#include "cmgr/procedures/path_watch.hpp"
#include "cmgr/procedures/prepared_desk.hpp"
#include "cmgr/procedures/removal_order.hpp"
#include "cmgr/procedures/start.hpp"
#include "core/log.hpp"
#include "core/log_about.hpp"
#include "core/planted.hpp"

namespace xbind::cmgr {
namespace {

// A record of the manager for a hop that stands in a ledger. Its label was granted before the first
// session of this epoch, so it is none of the cache's (Hop::attachment).
Hop hop_of(const FoundHop& found) {
  Hop hop;
  hop.at = found.at;
  hop.generation = found.hop.key.generation.value();
  hop.leg = found.hop.key.leg;
  hop.place(found.hop.key.hop, found.hop.hop_count);
  hop.branch = found.hop.branch;
  hop.input_port = found.hop.cross_connect.input_port;
  hop.input_label = found.hop.cross_connect.input_label;
  hop.output_port = found.hop.cross_connect.output_port;
  hop.output_label = found.hop.cross_connect.output_label;
  hop.state = HopState::kCommitted;
  return hop;
}

// In no parameter; CDVT does not count.
bool stays_within(const NetworkService& one, const NetworkService& other) {
  return one.resources.fits_within(other.resources) && !asks_for_more(other.contract, one.contract);
}

// The numbers that the hops have used.
NumbersUsed numbers_of(const std::vector<FoundHop>& call) {
  NumbersUsed numbers;
  for (const FoundHop& found : call) {
    numbers.generation = std::max(numbers.generation, found.hop.key.generation.value());
    numbers.revision = std::max(numbers.revision, found.hop.revision);
    if (found.hop.key.leg >= 2) {
      numbers.next_leg =
          std::max(numbers.next_leg, static_cast<std::uint16_t>(found.hop.key.leg + 1));
    }
  }
  return numbers;
}

// A hold's tree: every hop, leg by leg, each behind the one before it.
FoundTree hold_tree(const std::vector<FoundHop>& call) {
  FoundTree tree;
  for (std::size_t i = 0; i < call.size(); ++i) tree.nodes.push_back({i, FoundTree::kNone});
  std::sort(tree.nodes.begin(), tree.nodes.end(), [&](const auto& a, const auto& b) {
    const HopKey& left = call[a.hop].hop.key;
    const HopKey& right = call[b.hop].hop.key;
    return std::tie(left.leg, left.hop) < std::tie(right.leg, right.hop);
  });
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    if (call[tree.nodes[i].hop].hop.key.hop != 0) tree.nodes[i].upstream = i - 1;
  }
  return tree;
}

}  // namespace

// ===== what is read =====

void Recovery::set_network(const std::vector<NetworkLink>& links, TimePoint now) {
  LinkMap topology;
  for (const NetworkLink& link : links) {
    // No call of this manager has a hop at a switch that it cannot know (NetworkDesk::set()).
    const auto one = context_.switches.index_of(link.switch_name);
    const auto other = context_.switches.index_of(link.other_switch_name);
    if (one && other) topology.add({*one, link.port}, {*other, link.other_port});
  }
  links_.set_topology(std::move(topology));
  other_links_.compare(links_.topology());
  network_known_ = true;
  news_.add_all();
  look(now);
}

std::size_t Recovery::never_read() const { return context_.switches.size() - ledgers_.count(); }

std::size_t Recovery::unread() const { return never_read() + lost_.open_count(); }

void Recovery::read(SwitchIndex at, HeldHops page, TimePoint now, ReadAs as) {
  const bool again = lost_.is_asked(at);
  if (again && reading_again_.insert(at).second) drop_hops_at(at);
  const auto owners = std::make_shared<const std::vector<HopOwner>>(std::move(page.owners));
  for (LedgerHop& hop : page.hops) {
    // A reservation that is not held has lapsed with its session.
    if (hop.stage == HopStage::kReserved && !hop.held) continue;
    const ConnectionId id = hop.key.connection;
    Call& call = calls_[id];
    call.push_back({at, std::move(hop), owners, now});
    news_.add_hop(id, call.back());
    labels_.wait(call.back());
    names_.note(id, call.back());
    // Its owner may have released it before the hop with this id was read.
    const ConnectionId shown = call.back().hop.shown_id;
    if (shown != ConnectionId{} && released_.contains(shown)) released_.insert(id);
  }
  if (page.next != 0) return;
  ledgers_.note_seen(at);
  news_.add_read(at);
  if (again) {
    reading_again_.erase(at);
    lost_.read_again(at);
    news_.add_all();
  } else if (as == ReadAs::kLost) {
    lost_.read(at);
  } else {
    ledgers_.note_whole(at);
  }
  look(now);
}

// They come again.
void Recovery::drop_hops_at(SwitchIndex at) {
  const auto is_there = [at](const FoundHop& found) { return found.at == at; };
  for (auto call = calls_.begin(); call != calls_.end();) {
    const auto it = call++;
    if (std::ranges::all_of(it->second, is_there)) {
      incomplete_.erase(it->first);
      forget(it);
      continue;
    }
    for (const FoundHop& found : it->second) {
      if (is_there(found)) labels_.wait_no_more(found);
    }
    std::erase_if(it->second, is_there);
  }
}

void Recovery::gone(SwitchIndex at, TimePoint now) {
  lost_.forget(at);
  read(at, {}, now);
}

void Recovery::serve(TimePoint now) {
  serving_ = true;
  look(now);
}

// ===== what is made of it =====

void Recovery::look(TimePoint now) {
  if (!network_known_) return;
  if (never_read() == 0 || serving_) ask_lost();
  done_ = done_ || unread() == 0;
  if (!done_ && !serving_) return;
  settle(now);
  if (let_go_of_lost()) labels_.return_all(now);
}

// What hops of calls show of lost ledgers.
void Recovery::ask_lost() {
  if (lost_.empty() || planted(Bug::kLostNotAsked)) return;
  for (const auto& [id, call] : calls_) links_.learn(call);
  const auto wanted = lost_.ask(
      [&](auto&& visit) {
        for (const auto& [id, call] : calls_) {
          if (going_.contains(id)) continue;
          if (context_.connections.find(id) == nullptr) {
            visit(call);
          } else if (const Call rest = shown_of(id, call); !rest.empty()) {
            visit(rest);
          }
        }
        for (const auto& [id, gone] : going_) {
          const auto more = calls_.find(id);
          visit(more == calls_.end() ? gone : shown_of(id, more->second));
        }
      },
      links_);
  for (const SwitchIndex at : wanted) context_.switches.claim_lost(at);
}

// A ledger that is read again names hops of connections that stand: these lack nothing, and what
// other paths of them have left is to be removed. Hops whose removal is owed show more.
Recovery::Call Recovery::shown_of(ConnectionId id, const Call& call) const {
  Call shown;
  if (const auto gone = going_.find(id); gone != going_.end()) shown = gone->second;
  Connection* const standing = context_.connections.find(id);
  for (const FoundHop& found : call) {
    if (standing == nullptr || !has(*standing, found)) shown.push_back(found);
  }
  return shown;
}

// Those that no incomplete call needs: their SwitchServers need not wait for a later epoch.
bool Recovery::let_go_of_lost() {
  if (lost_.empty() || unread() != 0) return false;
  std::set<SwitchIndex> needed;
  // Where a link is not known, it may lead to any of them; and so may a hop that is to be claimed.
  bool any_needed = false;
  for (const auto& [id, lack] : incomplete_) {
    if (planted(Bug::kLostLetGo)) break;
    needed.insert(lack.first);
    any_needed =
        any_needed || lack.second == Missing::kUnknownSwitch || lack.second == Missing::kNotClaimed;
  }
  const auto gone = lost_.let_go([&](SwitchIndex at) { return any_needed || needed.contains(at); });
  for (const SwitchIndex at : gone) {
    ledgers_.note_whole(at);
    context_.switches.claimed_all(at);
  }
  return !gone.empty();
}

void Recovery::settle(TimePoint now) {
  const Counters before = counters_;
  const std::vector<ConnectionId> calls = news_.take(calls_, links_, unread() == 0, done());
  const auto settle_each = [&](auto&& is_done_with) {
    for (const ConnectionId id : calls) {
      const auto call = calls_.find(id);
      if (call == calls_.end()) continue;
      if (is_done_with(id, call->second)) forget(call);
    }
  };
  // What is removed comes last: what stands may show that the topology is wrong.
  settle_each([&](ConnectionId id, const Call& call) { return settle_standing(id, call, now); });
  settle_each([&](ConnectionId id, const Call& call) { return settle_rest(id, call, now); });
  if (done()) {
    labels_.return_all(now);
  }
  if (knows_ledgers()) {
    released_.clear();
    going_.clear();
  }
  if (counters_ == before && calls_.empty()) return;
  log::calls.info(
      "calls of earlier epochs: {} restored, {} rolled back ({} hops), {} wait for switches that "
      "have not been read or are not known",
      counters_.restored - before.restored, counters_.rolled_back - before.rolled_back,
      counters_.hops_removed - before.hops_removed, calls_.size());
  context_.switches.debts().pay_soon(now);
}

Recovery::Calls::node_type Recovery::forget(Calls::iterator call) {
  for (const FoundHop& hop : call->second) {
    labels_.wait_no_more(hop);
    names_.drop(call->first, hop);
  }
  return calls_.extract(call);
}

bool Recovery::settle_standing(ConnectionId id, const Call& call, TimePoint now) {
  if (released_.contains(id) || context_.connections.find(id) != nullptr) return false;
  if (lost_.entry_beside(call)) return false;
  const FoundTree tree = tree_of(call, links_);
  // A hop between two that have equal labels may be at a switch that has not been read.
  if (is_whole(tree, call) && !tree.undecided && (!tree.by_label || unread() == 0)) {
    restore(id, call, tree, now);
    return true;
  }
  if (!is_whole_hold(call)) return false;
  restore_hold(id, call, now);
  return true;
}

bool Recovery::settle_rest(ConnectionId id, const Call& call, TimePoint now) {
  if (released_.contains(id)) {
    ++counters_.rolled_back;
    incomplete_.erase(id);
    remove(nullptr, id, call, now);
    keep_going(id, call);
    return true;
  }
  if (Connection* const standing = context_.connections.find(id)) {
    remove(standing, id, call, now);
    return true;
  }
  const auto lack = lack_of(call);
  if (lack) {
    note_incomplete(id, call, *lack);
    return false;
  }
  const FoundTree rest = pruned(tree_of(call, links_), call);
  if (rest.undecided) {
    note_incomplete(id, call, {call.front().at, Missing::kUndecided});
    return false;
  }
  if (rest.by_label && unread() != 0) {
    note_incomplete(id, call, {unread_beside(call), Missing::kNotRead});
    return false;
  }
  if (is_whole(rest, call)) {
    restore(id, call, rest, now);
    return true;
  }
  // A move was given up in the middle, or while the switch that was to lead back could not be
  // reached: parts of the new path have gone, and the old one is whole. Its owner knows
  // nothing of it (seed 100501 of the simulator).
  for (auto before = before_move(call); before; before = before_move(*before)) {
    const FoundTree tree = pruned(tree_of(*before, links_), *before);
    if (tree.undecided || tree.by_label || !is_whole(tree, *before)) continue;
    restore(id, *before, tree, now);
    return true;
  }
  ++counters_.rolled_back;
  incomplete_.erase(id);
  note_end(id, call);
  remove(nullptr, id, call, now);
  return true;
}

Connection& Recovery::enter(ConnectionId id, const Call& call, const FoundTree& tree, Stage stage) {
  const FoundHop* const owned = owned_hop(call);
  const FoundHop& first = owned != nullptr ? *owned : call[tree.nodes.front().hop];
  const HopOwner& owner = first.owner();
  ConnectionTable::Found found;
  found.id = id;
  found.numbers = numbers_of(call);
  found.restored.stage = stage;
  found.restored.first_end_dropped = true;
  std::string to = owner.to;
  bool bidirectional = false;
  std::vector<std::pair<Hop, std::size_t>> hops;
  for (const FoundTree::Node& node : tree.nodes) {
    const FoundHop& hop = call[node.hop];
    hops.emplace_back(hop_of(hop), node.upstream);
    bidirectional = bidirectional || hop.hop.bidirectional;
    if (!hop.last() || hop.hop.key.leg == 1) continue;
    if (hop.hop.key.leg == 0) {
      found.restored.first_end_dropped = false;
      to = hop.owner().to;
    } else {
      found.restored.leaves.push_back({hop.owner().to, hop.hop.key.leg});
    }
  }
  found.alias = first.hop.shown_id;
  // The manager's own connections, prepared in advance, have no request.
  const bool own = owner.client == kTwoWayClient && first.hop.request == RequestId{} &&
                   found.alias == ConnectionId{};
  if (!own) {
    const ClientIndex client = context_.clients.remember_client(owner.client, owner.epoch);
    found.opened.asker = Asker{client, first.hop.request};
    context_.clients.owns(client, +1);
    context_.clients.remember_request(client, owner.epoch, first.hop.request, id);
  }
  found.opened.from = owner.from;
  found.opened.to = to;
  found.opened.both = bidirectional;
  found.opened.contract = contract_of(call, tree);
  // With other destinations it belongs to no pool any more.
  const bool as_prepared = found.restored.leaves.empty() && !found.restored.first_end_dropped;
  if (as_prepared && (own || found.alias != ConnectionId{})) {
    found.opened.pool = context_.prepared.pool_of(owner.from, to, found.opened.contract);
  }
  Connection& made = context_.connections.restore(found, HopTree::assemble(hops));
  made.traced = context_.traces.samples(made.id, false);
  for (Hop& hop : made.hops()) {
    if (!hop.last() && hop.output_label.present()) {
      context_.switches.caches().label_held(hop.at, hop.output_port);
    }
  }
  ++counters_.restored;
  note_whole(id, made);
  return made;
}

void Recovery::restore(ConnectionId id, const Call& call, const FoundTree& tree, TimePoint now) {
  Connection& made = enter(id, call, tree, Stage::kUp);
  for (Hop& hop : made.hops()) context_.sender.book(made, hop, now);
  settle_contract(made, call, tree, now);
  note_links(id, call, tree);
  if (tree.nodes.size() != call.size()) remove(&made, id, call, now);
  if (made.asker()) {
    context_.paths.look(made);
  } else {
    context_.prepared.found(made, now);
  }
}

// Links of the call that the topology does not have.
void Recovery::note_links(ConnectionId id, const Call& call, const FoundTree& tree) {
  for (const FoundTree::Node& node : tree.nodes) {
    if (node.upstream == FoundTree::kNone) continue;
    const FoundHop& from = call[tree.nodes[node.upstream].hop];
    const FoundHop& to = call[node.hop];
    const LinkMap::End one{from.at, from.hop.cross_connect.output_port};
    const LinkMap::End other{to.at, to.hop.cross_connect.input_port};
    if (links_.topology().far_end(one.first, one.second) == other) continue;
    other_links_.note(one, other, id);
  }
}

void Recovery::restore_hold(ConnectionId id, const Call& call, TimePoint now) {
  const FoundTree tree = hold_tree(call);
  Connection& made = enter(id, call, tree, Stage::kHeld);
  for (Hop& hop : made.hops()) {
    hop.state = HopState::kReserved;
    hop.reserved = true;
    const Hop* const upstream = made.hops().upstream_of(hop);
    if (upstream != nullptr) hop.input_label = upstream->output_label;
    context_.sender.book(made, hop, now);
  }
  // The ledgers have counted from the reservation of each hop, the hold from that of the last one.
  Duration left{};
  for (const FoundHop& hop : call) left = std::max(left, hop.hold_left(now));
  if (planted(Bug::kHoldBeginsAnew)) left = std::chrono::milliseconds{kHoldMsMax};
  begin<Hold>(context_, made, left).resume(now);
}

// ===== contracts =====

// The lesser contract of hops that differ, in every component: changes had not reached all of them.
// Of the contracts that hops have during one change, none exceeds the one before (modify.hpp). A
// hop that lacks the change before as well may have more of one component, and less of a second.
// The least of each is not below what was last confirmed: hops that lack a confirmed change have
// more. Where one hop's contract is the least, the call has that one, with its CDVT: the first step
// of a change gives a hop the new contract's CDVT beside the rate of the old one.
Contract Recovery::contract_of(const Call& call, const FoundTree& tree) const {
  Contract contract;
  bool forward = false;
  bool back = false;
  const auto take = [](bool& known, Resources& demand, TrafficContract& traffic,
                       const LedgerHop& hop) {
    const NetworkService its{hop.demand, hop.contract};
    // The category of a call never changes.
    if (known && its.contract.category != traffic.category) return;
    const NetworkService found{demand, traffic};
    const bool less = !known || stays_within(its, found);
    const bool more = known && stays_within(found, its);
    if (less && !more) {
      demand = its.resources;
      traffic = its.contract;
    } else if (less == more) {
      demand = lesser(demand, its.resources);
      traffic = lesser(traffic, its.contract);
    }
    known = true;
  };
  for (const FoundTree::Node& node : tree.nodes) {
    const LedgerHop& hop = call[node.hop].hop;
    if (hop.key.leg == 1) {
      take(back, contract.reverse, contract.reverse_traffic, hop);
    } else {
      take(forward, contract.forward, contract.traffic, hop);
    }
  }
  return contract;
}

void Recovery::settle_contract(Connection& connection, const Call& call, const FoundTree& tree,
                               TimePoint now) {
  const Contract contract = connection.contract();
  // A higher revision is the newer word about the owner as well (found_gaps.hpp, owned_hop()).
  const auto owner_for = [&](const FoundHop& found) -> std::optional<HopHandover> {
    const Hop* const hop = connection.hops().find(found.at, found.hop.key);
    return hop == nullptr ? std::nullopt : context_.prepared.handover_for(connection, *hop);
  };
  const auto has = [&](const FoundHop& found) {
    const LedgerHop& hop = found.hop;
    const auto owner = owner_for(found);
    // The switch is being sent another one, and no manager hears whether it takes it.
    const bool is_changing = !hop.settled;
    return !is_changing && hop.demand == contract.of_leg(hop.key.leg) &&
           hop.contract == contract.traffic_of_leg(hop.key.leg) &&
           (!owner || owner->shown_id == hop.shown_id);
  };
  const bool all = std::all_of(tree.nodes.begin(), tree.nodes.end(),
                               [&](const auto& node) { return has(call[node.hop]); });
  if (all) return;
  const std::uint32_t revision = context_.connections.next_revision(connection);
  for (const FoundTree::Node& node : tree.nodes) {
    const FoundHop& found = call[node.hop];
    if (has(found)) continue;
    ++counters_.contracts_settled;
    context_.switches.debts().owe_change(
        found.at,
        {found.hop.key, revision, contract.of_leg(found.hop.key.leg),
         contract.traffic_of_leg(found.hop.key.leg), owner_for(found)},
        now);
  }
}

}  // namespace xbind::cmgr
