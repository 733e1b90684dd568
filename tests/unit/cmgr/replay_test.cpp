// The changes that the table of connections journals rebuild the same table: connections, owners,
// names, contracts, destinations, numbers and, of connections that are held or up, the hops.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "cmgr/parts/journal.hpp"
#include "reroute_fixture.hpp"

namespace xbind::cmgr {
namespace {

// A table that is built from journaled changes only.
class Replay : public Journal {
 public:
  struct Standing {
    OptionalAsker asker;
    std::string from;
    std::string to;
    Contract contract;
    bool both = false;
    std::uint32_t pool = 0;
    ConnectionId alias;
    Stage stage = Stage::kBegun;
    HopTree hops;
    NumbersUsed numbers;
    std::vector<Leaf> leaves;
    bool first_end_dropped = false;
    std::uint32_t reroutes = 0;
  };

  void write(const Change& change) override {
    ++changes_;
    std::visit([&](const auto& what) { apply(change.connection, what); }, change.what);
  }

  std::map<ConnectionId, Standing> table;
  std::uint64_t changes_ = 0;
  std::map<std::string, int> kinds;

 private:
  void apply(ConnectionId id, const Opened& it) {
    ++kinds["opened"];
    const bool fresh = table.try_emplace(id).second;
    EXPECT_TRUE(fresh) << "an id is given out once";
    Standing& made = table[id];
    made.asker = it.asker;
    made.from = it.from;
    made.to = it.to;
    made.contract = it.contract;
    made.both = it.both;
    made.pool = it.pool;
  }
  void apply(ConnectionId id, const Reached& it) {
    ++kinds["reached"];
    table.at(id).stage = it.stage;
    table.at(id).hops = *it.hops;
  }
  void apply(ConnectionId id, const Restored& it) {
    ++kinds["restored"];
    table.at(id).stage = it.stage;
    table.at(id).leaves = it.leaves;
    table.at(id).first_end_dropped = it.first_end_dropped;
    table.at(id).hops = *it.hops;
  }
  void apply(ConnectionId id, const ContractSet& it) {
    ++kinds["contract set"];
    table.at(id).contract = it.contract;
  }
  void apply(ConnectionId id, const NumbersUsed& it) {
    ++kinds["numbers used"];
    table.at(id).numbers = it;
  }
  void apply(ConnectionId id, const LeafJoined& it) {
    ++kinds["leaf joined"];
    HopTree scion = *it.hops;
    table.at(id).leaves.push_back({it.end, scion.front().leg});
    table.at(id).hops.graft(std::move(scion));
  }
  void apply(ConnectionId id, const LeafCut& it) {
    ++kinds["leaf cut"];
    Standing& of = table.at(id);
    std::uint16_t leg = 0;
    if (it.end == of.to && !of.first_end_dropped) {
      of.first_end_dropped = true;
    } else {
      const auto leaf = std::find_if(of.leaves.begin(), of.leaves.end(),
                                     [&](const Leaf& has) { return has.end == it.end; });
      ASSERT_NE(leaf, of.leaves.end());
      leg = leaf->leg;
      of.leaves.erase(leaf);
    }
    of.hops.cut(leg);
  }
  void apply(ConnectionId id, const PathReplaced& it) {
    ++kinds["path replaced"];
    HopTree scion = *it.hops;
    table.at(id).hops.replace(*it.steps, scion);
    table.at(id).numbers.generation = it.generation;
    ++table.at(id).reroutes;
  }
  void apply(ConnectionId id, const Assigned& it) {
    ++kinds["assigned"];
    table.at(id).asker = it.asker;
    table.at(id).alias = it.alias;
  }
  void apply(ConnectionId id, const HandedBack&) {
    ++kinds["handed back"];
    table.at(id).asker.reset();
    table.at(id).alias = {};
  }
  void apply(ConnectionId id, const LeftPool&) {
    ++kinds["left pool"];
    table.at(id).pool = 0;
  }
  void apply(ConnectionId id, const ReleaseBegun&) {
    ++kinds["release begun"];
    table.at(id).stage = Stage::kReleasing;
  }
  void apply(ConnectionId id, const Closed&) {
    ++kinds["closed"];
    EXPECT_EQ(table.erase(id), 1U);
  }
};

class ReplayTest : public RerouteTest, public ::testing::WithParamInterface<std::uint64_t> {
 protected:
  void expect_same_table() {
    const auto ids = manager().list(ConnectionId{0}, 100'000);
    EXPECT_EQ(ids.size(), replay_.table.size());
    for (const ConnectionId shown : ids) {
      const Connection& has = manager().describe(shown).value().connection;
      SCOPED_TRACE(has.id.value());
      ASSERT_TRUE(replay_.table.contains(has.id));
      expect_same(has, replay_.table.at(has.id));
    }
  }
  void answer_routes() {
    for (const RouteQuery& query : take_route_queries()) {
      const Path direct = sw2_drained_ ? detour() : path();
      route(found(query, query.to == "bob" ? direct : path_to(query.to)));
    }
  }
  void settle() {
    for (int i = 0; i < 8; ++i) {
      answer_all_switches();
      answer_routes();
    }
    for (const Outcome& outcome : reported()) {
      const bool mine =
          outcome.kind == OutcomeKind::kConnected || outcome.kind == OutcomeKind::kHeld;
      const bool known = std::ranges::find(known_, outcome.connection) != known_.end();
      if (mine && !known) known_.push_back(outcome.connection);
      if (outcome.kind == OutcomeKind::kReleased) std::erase(known_, outcome.connection);
    }
    noticed();
  }
  ConnectionId any() { return known_.empty() ? ConnectionId{} : known_[random_() % known_.size()]; }
  void do_something() {
    const std::vector<std::string> ends{"dan", "guy", "eve", "fay", "bob"};
    const std::string& end = ends[random_() % ends.size()];
    switch (random_() % 11) {
      case 0:
      case 1: connect(++request_); break;
      case 2: release(++request_, any()); break;
      case 3: modify(++request_, any(), cells(1 + random_() % 300)); break;
      case 4: add_leaf(++request_, any(), end); break;
      case 5: drop_leaf(++request_, any(), end); break;
      case 6: hold(++request_, 1 + static_cast<std::uint32_t>(random_() % 3'000)); break;
      case 7: commit(++request_, any()); break;
      case 8: topology(++version_, {}); break;
      case 9:
        sw2_drained_ = random_() % 2 == 0;
        topology(++version_, sw2_drained_ ? link_drained() : std::vector<UnusableElement>{});
        break;
      default: wait(milliseconds{random_() % 700}); break;
    }
  }

  Replay replay_;
  std::mt19937_64 random_;
  std::vector<ConnectionId> known_;
  std::uint64_t request_ = 0;
  std::uint64_t version_ = 1;
  bool sw2_drained_ = false;

 private:
  static void expect_same(const Connection& has, const Replay::Standing& reported) {
    EXPECT_EQ(has.stage(), reported.stage);
    EXPECT_EQ(has.asker().has_value(), reported.asker.has_value());
    if (has.asker() && reported.asker) {
      EXPECT_EQ(has.asker()->client, reported.asker->client);
      EXPECT_EQ(has.asker()->request, reported.asker->request);
    }
    EXPECT_EQ(has.ends->from, reported.from);
    EXPECT_EQ(has.ends->to, reported.to);
    EXPECT_EQ(has.contract(), reported.contract);
    EXPECT_EQ(has.both(), reported.both);
    EXPECT_EQ(has.pool(), reported.pool);
    EXPECT_EQ(has.shown_id(), reported.alias.value() == 0 ? has.id : reported.alias);
    EXPECT_EQ(has.leaves(), reported.leaves);
    EXPECT_EQ(has.first_end_dropped(), reported.first_end_dropped);
    EXPECT_EQ(has.reroutes(), reported.reroutes);
    EXPECT_EQ(has.revision(), reported.numbers.revision);
    if (has.stage() != Stage::kHeld && has.stage() != Stage::kUp) return;
    EXPECT_EQ(has.generation(), reported.numbers.generation);
    ASSERT_EQ(has.hops().size(), reported.hops.size());
    for (std::size_t i = 0; i < reported.hops.size(); ++i) {
      const Hop& hop = *has.hops().nth(i);
      const Hop& again = *reported.hops.nth(i);
      EXPECT_EQ(key_of(has, hop), key_of(has, again));
      EXPECT_EQ(hop.at, again.at);
      EXPECT_EQ(hop.input_port, again.input_port);
      EXPECT_EQ(hop.output_port, again.output_port);
      // The labels of a hold are complete only after its commit.
      if (has.stage() != Stage::kUp) continue;
      EXPECT_EQ(static_cast<Label>(hop.input_label), static_cast<Label>(again.input_label));
      EXPECT_EQ(static_cast<Label>(hop.output_label), static_cast<Label>(again.output_label));
    }
  }
};

TEST_P(ReplayTest, TheSameTableAfterAThousandRandomRequestsAndChangesOfTheNetwork) {
  SCOPED_TRACE("seed " + std::to_string(GetParam()));
  random_.seed(GetParam());
  start_with_two_paths();
  manager().keep(&replay_);
  ASSERT_TRUE(manager().prepare("ann", "bob", cells(77), 3, now).has_value());
  settle();
  for (int step = 0; step < 1'000 && !HasFatalFailure(); ++step) {
    do_something();
    if (random_() % 3 == 0) settle();
    expect_same_table();
  }
  settle();
  // A call uses a prepared connection and returns it.
  RequestBatch batch;
  batch.connects.push_back(call(++request_, 77));
  ask("mia", std::move(batch));
  settle();
  expect_same_table();
  ASSERT_FALSE(known_.empty());
  // After a failure the pool waits and is short: it reclaims a released connection.
  lose("sw1");
  ASSERT_TRUE(manager().prepare("ann", "bob", cells(77), 9, now).has_value());
  release(++request_, known_.back());
  settle();
  expect_same_table();
  // Any number: chance decides how often each kind is recorded.
  for (const char* kind :
       {"opened", "reached", "contract set", "numbers used", "leaf joined", "leaf cut",
        "path replaced", "assigned", "handed back", "release begun", "closed"}) {
    EXPECT_GT(replay_.kinds[kind], 0) << kind;
  }
  manager().keep(nullptr);
}
INSTANTIATE_TEST_SUITE_P(Seeds, ReplayTest, ::testing::Values(1, 2, 3, 4, 5));

}  // namespace
}  // namespace xbind::cmgr
