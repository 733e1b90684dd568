// ConnectionManager: destinations are added to a connection and dropped (connection.hpp: tree, party).
#include <algorithm>
#include <utility>

#include "cmgr/connection_manager.hpp"

namespace xbind::cmgr {
namespace {

constexpr std::size_t kLeavesMax = 1'000;  // of one connection
constexpr std::size_t kHopsMax = 8'000;    // the same: their description fits into one reply

// A party's hop as one of the connection's, behind `offset` others.
Hop joined(Hop hop, std::int16_t offset) {
  hop.upstream =
      hop.upstream == Hop::kNoHop ? hop.outer : static_cast<std::int16_t>(hop.upstream + offset);
  hop.outer = Hop::kNoHop;
  return hop;
}

}  // namespace

void ConnectionManager::change_leaf(Asker asker, const LeafRequest& request, TimePoint now) {
  Connection* const root = find_changeable(asker, request.connection);
  if (root == nullptr) return;
  if (root->both) {
    refuse_request(asker, request.connection,
                   {Cause::kInvalidRequest, {}, 0, 0, "a bidirectional connection has no leaves"});
    return;
  }
  root->more().pool = 0;
  if (request.drop) {
    drop_leaf(*root, asker, request, now);
  } else {
    add_leaf(*root, asker, request, now);
  }
}

void ConnectionManager::add_leaf(Connection& root, Asker asker, const LeafRequest& request,
                                 TimePoint now) {
  ConnectionExtras& extras = root.more();
  const bool first = request.end == root.ends->to && !extras.first_end_dropped;
  const bool there = std::any_of(extras.leaves.begin(), extras.leaves.end(),
                                 [&](const Leaf& leaf) { return leaf.end == request.end; });
  if (first || there) {
    refuse_request(asker, request.connection, {Cause::kLeafExists, request.end});
    return;
  }
  if (extras.leaves.size() >= kLeavesMax || root.hops.size() >= kHopsMax) {
    refuse_request(asker, request.connection,
                   {Cause::kBusy, "leaves", extras.leaves.size() + 1, kLeavesMax});
    return;
  }
  extras.party = std::make_unique<Connection>();
  Connection& party = *extras.party;
  party.id = root.id;
  party.root = &root;
  party.asker = asker;
  party.ends = ends_.get(root.ends->from, request.end);
  party.set_contract(root.contract());
  clients_.owns(asker.client, +1);
  find_route(party, now);
}

// The party's hops: the route's from where it leaves the tree. False: refused.
bool ConnectionManager::graft(Connection& party, const RouteReply& route, TimePoint now) {
  Connection& root = *party.root;
  const std::vector<PathHop>& path = route.path.hops;
  std::int16_t upstream = Hop::kNoHop;
  const Hop* sibling = nullptr;
  std::size_t step = 0;
  for (; step < path.size(); ++step) {
    // All hops at this place of the tree have one input; the one with the route's output leads on.
    const Hop* same = nullptr;
    sibling = nullptr;
    for (const Hop& hop : root.hops) {
      if (hop.upstream != upstream || hop.at != route.at[step] ||
          hop.input_port != path[step].input_port) {
        continue;
      }
      sibling = &hop;
      if (hop.output_port == path[step].output_port) same = &hop;
    }
    if (same == nullptr) break;
    upstream = static_cast<std::int16_t>(same - root.hops.data());
  }
  if (step == path.size() || sibling == nullptr) {
    // The route is the tree's own, or begins somewhere else: the endpoint is another name for one that
    // is there, or its route starts at another port than the tree.
    party.refuse({step == path.size() ? Cause::kLeafExists : Cause::kNoRoute, party.ends->to});
    happen(party, Event::kNoRoute, now);
    return false;
  }
  const std::uint16_t leg = party.hops.empty() ? root.more().next_leg++ : party.hops.front().leg;
  party.hops.assign(path.size() - step, Hop{});
  for (std::size_t i = 0; i < party.hops.size(); ++i) {
    Hop& hop = party.hops[i];
    hop.at = route.at[step + i];
    hop.input_port = path[step + i].input_port;
    hop.output_port = path[step + i].output_port;
    hop.leg = leg;
    hop.place(i, party.hops.size());
    hop.upstream = i == 0 ? Hop::kNoHop : static_cast<std::int16_t>(i - 1);
  }
  party.hops.front().branch = true;
  party.hops.front().outer = upstream;
  party.hops.front().input_label = sibling->input_label;
  return true;
}

// The leaf is there: its hops become part of the tree. The party is no more.
void ConnectionManager::join_party(Connection& root) {
  const std::unique_ptr<Connection> party = std::move(root.extras->party);
  const auto offset = static_cast<std::int16_t>(root.hops.size());
  for (const Hop& hop : party->hops) root.hops.push_back(joined(hop, offset));
  root.extras->leaves.push_back({party->ends->to, party->hops.front().leg});
  clients_.owns(party->asker->client, -1);
}

void ConnectionManager::drop_leaf(Connection& root, Asker asker, const LeafRequest& request,
                                  TimePoint now) {
  ConnectionExtras& extras = root.more();
  const bool first = request.end == root.ends->to && !extras.first_end_dropped;
  const auto leaf = std::find_if(extras.leaves.begin(), extras.leaves.end(),
                                 [&](const Leaf& it) { return it.end == request.end; });
  if (!first && leaf == extras.leaves.end()) {
    refuse_request(asker, request.connection, {Cause::kUnknownLeaf, request.end});
    return;
  }
  if (extras.leaves.size() + (extras.first_end_dropped ? 0 : 1) == 1) {
    refuse_request(asker, request.connection,
                   {Cause::kLastLeaf, request.end, root.shown_id().value(), 0});
    return;
  }
  const std::uint16_t leg = first ? 0 : leaf->leg;
  if (first) {
    extras.first_end_dropped = true;
  } else {
    extras.leaves.erase(leaf);
  }
  // From the leaf's last hop up to where something else hangs on.
  const auto last = std::find_if(root.hops.begin(), root.hops.end(),
                                 [&](const Hop& hop) { return hop.leg == leg && hop.last(); });
  std::vector<std::int16_t> chain;
  for (auto at = static_cast<std::int16_t>(last - root.hops.begin()); at != Hop::kNoHop;) {
    chain.push_back(at);
    const std::int16_t up = root.hops[static_cast<std::size_t>(at)].upstream;
    const auto siblings = std::count_if(root.hops.begin(), root.hops.end(),
                                        [&](const Hop& hop) { return hop.upstream == up; });
    if (siblings > 1) break;
    at = up;
  }
  std::reverse(chain.begin(), chain.end());

  extras.party = std::make_unique<Connection>();
  Connection& party = *extras.party;
  party.id = root.id;
  party.root = &root;
  party.asker = asker;
  party.state = State::kConnected;
  party.ends = ends_.get(root.ends->from, request.end);
  party.set_contract(root.contract());
  std::int16_t outer = root.hops[static_cast<std::size_t>(chain.front())].upstream;
  party.hops = cut(root.hops, chain);
  // Labels that debts hold as well go with their hops.
  std::erase_if(extras.lent, [&](const auto& lent) {
    const bool goes = std::any_of(party.hops.begin(), party.hops.end(), [&](const Hop& hop) {
      return hop.at == lent->at && hop.output_port == lent->port && hop.output_label == lent->label;
    });
    if (goes) party.more().lent.push_back(lent);
    return goes;
  });
  // Its hops have moved up.
  outer = static_cast<std::int16_t>(
      outer -
      std::count_if(chain.begin(), chain.end(), [&](std::int16_t gone) { return gone < outer; }));
  party.hops.front().outer = outer;
  clients_.owns(asker.client, +1);
  happen(party, Event::kReleaseAsked, now);
}

// Takes a chain (each hop upstream of the next) out of the list; both lists' indices are right again.
Hops ConnectionManager::cut(Hops& hops, const std::vector<std::int16_t>& chain) {
  Hops out;
  for (const std::int16_t at : chain) {
    Hop hop = hops[static_cast<std::size_t>(at)];
    hop.upstream = out.empty() ? Hop::kNoHop : static_cast<std::int16_t>(out.size() - 1);
    out.push_back(hop);
  }
  std::vector<std::int16_t> now_at(hops.size(), Hop::kNoHop);
  Hops rest;
  for (std::size_t i = 0; i < hops.size(); ++i) {
    if (std::find(chain.begin(), chain.end(), static_cast<std::int16_t>(i)) != chain.end()) {
      continue;
    }
    now_at[i] = static_cast<std::int16_t>(rest.size());
    rest.push_back(hops[i]);
  }
  for (Hop& hop : rest) {
    if (hop.upstream != Hop::kNoHop) hop.upstream = now_at[static_cast<std::size_t>(hop.upstream)];
  }
  hops = std::move(rest);
  return out;
}

// The whole connection is released while a leaf is being added or dropped, or it gets another path: that
// ends here, refused or done with, and its hops go with the others.
void ConnectionManager::fold_party(Connection& root) {
  const std::unique_ptr<Connection> party = std::move(root.extras->party);
  for (Hop& hop : party->hops) {
    if (hop.errand == Errand::kRemove) hop.state = HopState::kCommitted;  // not said yet
  }
  drop_errands(*party);
  const auto offset = static_cast<std::int16_t>(root.hops.size());
  for (const Hop& hop : party->hops) root.hops.push_back(joined(hop, offset));
  if (party->extras) {
    for (auto& lent : party->extras->lent) root.extras->lent.push_back(std::move(lent));
  }
  if (party->reroute() != nullptr) {
    leave_turn(*party->reroute());
    return;
  }
  refuse_request(*party->asker, root.shown_id(),
                 {Cause::kBeingReleased, "manager", root.shown_id().value(), 0});
  clients_.owns(party->asker->client, -1);
}

}  // namespace xbind::cmgr
