// What a manager makes of ledgers whose hops differ, of labels that restored calls have, and of
// releases that wait for ledgers.
#include <algorithm>

#include "recovery_fixture.hpp"

namespace xbind::cmgr {
namespace {

class RecoveryDetailTest : public RecoveryTest {
 protected:
  // A call in both directions; the reverse leg begins at sw3.
  void holds_both(ConnectionId id) {
    holds_call(id);
    const auto back = [&](const char* name, std::uint16_t number, std::uint32_t in_port,
                          std::uint32_t in, std::uint32_t out_port, std::uint32_t out) {
      holds(name, id, number, in_port, in, out_port, out).key.leg = 1;
    };
    back("sw3", 0, 2, 700, 30, 51);
    back("sw2", 1, 21, 51, 20, 50);
    back("sw1", 2, 10, 50, 1, 800);
    for (auto& [name, hops] : held_) {
      for (LedgerHop& hop : hops) hop.bidirectional = true;
    }
  }
  LedgerHop& leg(const std::string& name, std::uint16_t number) {
    return *std::ranges::find_if(held_[name],
                                 [number](const LedgerHop& hop) { return hop.key.leg == number; });
  }
};

// ===== contracts =====

struct Demands {
  const char* what;
  std::uint64_t forward[3];  // at sw1, sw2, sw3
  std::uint64_t reverse[3];
};

class DifferingHops : public RecoveryDetailTest, public ::testing::WithParamInterface<Demands> {};

// Of each direction on its own.
TEST_P(DifferingHops, TheCallHasTheLesserContractOfEachDirection) {
  holds_both(earlier(1));
  const std::vector<std::string> names{"sw1", "sw2", "sw3"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    leg(names[i], 0).demand = {GetParam().forward[i], 10};
    leg(names[i], 1).demand = {GetParam().reverse[i], 10};
  }
  restart();
  const auto described = manager().describe(earlier(1));
  ASSERT_TRUE(described.has_value());
  const std::uint64_t forward = *std::ranges::min_element(GetParam().forward);
  const std::uint64_t reverse = *std::ranges::min_element(GetParam().reverse);
  EXPECT_EQ(described->connection.contract().forward.cells_per_s, forward);
  EXPECT_EQ(described->connection.contract().reverse.cells_per_s, reverse);
  wait(milliseconds{1});
  for (std::size_t i = 0; i < names.size(); ++i) {
    const HopBatch heard = take(names[i]);
    EXPECT_EQ(heard.modifies.size(), static_cast<std::size_t>(GetParam().forward[i] != forward) +
                                         (GetParam().reverse[i] != reverse))
        << names[i];
    for (const HopModify& lowered : heard.modifies) {
      EXPECT_EQ(lowered.demand.cells_per_s, lowered.key.leg == 1 ? reverse : forward);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Hops, DifferingHops,
    ::testing::Values(Demands{"ReverseAtItsFirstHop", {100, 100, 100}, {50, 50, 80}},
                      Demands{"ReverseAtItsMiddleHop", {100, 100, 100}, {50, 80, 50}},
                      Demands{"ReverseAtItsLastHop", {100, 100, 100}, {80, 50, 50}},
                      Demands{"ReverseLarger", {40, 40, 40}, {90, 70, 70}},
                      Demands{"ForwardAtItsFirstHop", {300, 100, 100}, {50, 50, 50}},
                      Demands{"ForwardAtItsLastHop", {60, 60, 90}, {200, 200, 200}},
                      Demands{"Both", {100, 150, 150}, {80, 80, 50}}),
    [](const auto& each) { return each.param.what; });

// ===== labels =====

// A manager whose demand is declared too low is refused labels as over its share.
TEST_F(RecoveryDetailTest, LabelsOfRestoredHopsAreDeclaredAsDemand) {
  config.label_policy = LabelPolicy::kCooperative;
  for (std::uint32_t i = 1; i <= 5; ++i) {
    holds("sw1", earlier(i), 0, 1, 500 + i, 10, 40 + i);
    holds("sw2", earlier(i), 1, 20, 40 + i, 21, 60 + i);
    holds("sw3", earlier(i), 2, 30, 60 + i, 2, 600 + i);
  }
  restart();
  ASSERT_THAT(manager().list(ConnectionId{}, 10), SizeIs(5));
  wait(seconds{2});
  const auto declared = [&](const std::string& name, PortId port) {
    std::uint64_t demand = 0;
    for (const PortDemand& one : take(name).declared) {
      if (one.port == port) demand = one.labels;
    }
    return demand;
  };
  EXPECT_GE(declared("sw1", PortId{10}), 5U);
  EXPECT_GE(declared("sw2", PortId{21}), 5U);
  EXPECT_EQ(declared("sw3", PortId{2}), 0U) << "a last hop has no label of a link";
}

// ===== releases that wait for ledgers =====

// Each is remembered until all ledgers are read: a client that releases made-up ids takes memory.
TEST_F(RecoveryDetailTest, ReleasesOfUnknownCallsAreKeptUpToTheirBound) {
  restart({"sw2"});
  manager().serve_with_switches_missing(now);
  finish();
  for (std::uint64_t i = 1; i < Recovery::kReleasesMax; ++i) {
    manager().release_local(RequestId{i}, earlier(i), now);
    if (i % 1'000 == 0) local_.clear();
  }
  finish();
  release(1, earlier(Recovery::kReleasesMax));
  EXPECT_EQ(outcome().cause, Cause::kUnknownConnection) << "what is found of it is removed";
  release(2, earlier(Recovery::kReleasesMax + 1));
  const Outcome refused = outcome();
  EXPECT_EQ(refused.cause, Cause::kBusy);
  EXPECT_EQ(refused.element, "switches not read since the restart");
  come_back("sw2");
  EXPECT_TRUE(manager().recovery().done());
  release(3, earlier(Recovery::kReleasesMax + 1));
  EXPECT_EQ(outcome().kind, OutcomeKind::kReleased) << "all ledgers are read: it is gone";
}

}  // namespace
}  // namespace xbind::cmgr
