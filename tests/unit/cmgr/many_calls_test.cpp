// More calls than one step looks at (PathWatch::kPerStep): a change of the network takes several
// steps, and calls end between them.
#include "reroute_fixture.hpp"

namespace xbind::cmgr {
namespace {

constexpr std::size_t kCalls = 5'000;
static_assert(kCalls > 2 * PathWatch::kPerStep, "a look at all of them takes three steps");

class ManyCallsTest : public RerouteTest {
 protected:
  ManyCallsTest() {
    config.operations_at_once = kCalls;
    config.reroutes_at_once = kCalls;
    config.label_cache_target = 1;
    config.aggregation.threshold = 500;
  }
  // Sets up `count` calls from ann to bob.
  std::vector<ConnectionId> up(std::size_t count) {
    attach_all();
    attach("sw5");
    const auto labels = [&](std::uint32_t from) {
      std::vector<Label> all;
      for (std::size_t i = 0; i < count; ++i) {
        all.push_back(vci(static_cast<std::uint32_t>(from + i)));
      }
      return all;
    };
    answer("sw1", {}, {{PortId{10}, labels(10'000)}});
    answer("sw2", {}, {{PortId{21}, labels(20'000)}});
    std::vector<ConnectionId> ids;
    for (std::uint64_t request = 1; request <= count;) {
      RequestBatch batch;
      for (int i = 0; i < 500 && request <= count; ++i) batch.connects.push_back(call(request++));
      ask_at_once(std::move(batch));
      answer_all_switches();
      for (const Outcome& outcome : reported()) {
        EXPECT_EQ(outcome.kind, OutcomeKind::kConnected);
        ids.push_back(outcome.connection);
      }
    }
    EXPECT_EQ(ids.size(), count);
    return ids;
  }
  // Releases them; sw1 and sw3 have removed their hops. Returns the results of sw2, which end them.
  std::vector<HopResult> almost_released(const std::vector<ConnectionId>& ids) {
    std::vector<HopResult> results;
    std::uint64_t request = 1'000'000;
    for (std::size_t next = 0; next < ids.size();) {
      RequestBatch batch;
      for (int i = 0; i < 500 && next < ids.size(); ++i) {
        batch.releases.push_back({RequestId{++request}, ids[next++]});
      }
      ask_at_once(std::move(batch));
      all_done("sw1");
      all_done("sw3");
      const std::vector<HopResult> more = all_done(take("sw2"));
      results.insert(results.end(), more.begin(), more.end());
    }
    return results;
  }
  // All commands leave, though their batches are not full.
  void ask_at_once(RequestBatch batch) {
    ask("mia", std::move(batch));
    manager().flush_all(now);
    finish();
  }
  // The manager gets the results, and does not finish its step.
  void hear(const std::string& name, std::vector<HopResult> results) {
    SwitchSide& side = switches_.at(name);
    HopResultBatch batch;
    batch.results = std::move(results);
    manager().on_results(side.session, side.link->send(std::move(batch), 100, now), now);
  }
};

TEST_F(ManyCallsTest, ALinkIsLeftInSeveralStepsAndThenTheManagerSleeps) {
  up(PathWatch::kPerStep + 100);
  manager().on_topology({2, link_drained()});
  EXPECT_EQ(manager().gauges().astray, PathWatch::kPerStep) << "one step's share";
  EXPECT_EQ(manager().gauges().reroutes_under_way, 0U);
  finish();
  EXPECT_EQ(manager().gauges().astray, PathWatch::kPerStep + 100);
  EXPECT_EQ(manager().gauges().reroutes_under_way, PathWatch::kPerStep + 100);
  EXPECT_GT(manager().next_deadline(), now);
}

TEST_F(ManyCallsTest, AStepLooksAtNoMoreThanItsShareAtTheBound) {
  up(PathWatch::kPerStep);
  manager().on_topology({2, link_drained()});
  EXPECT_EQ(manager().gauges().astray, PathWatch::kPerStep);
  finish();
  EXPECT_EQ(manager().gauges().reroutes_under_way, PathWatch::kPerStep);
}

TEST_F(ManyCallsTest, OneMessageThatEndsHalfOfThemBetweenTwoStepsDisturbsNoLook) {
  const std::vector<ConnectionId> ids = up(kCalls);
  // Those that were set up last end: the positions at the end of the list are gone.
  const std::vector<ConnectionId> ending(ids.begin() + kCalls / 2, ids.end());
  const std::vector<HopResult> ends = almost_released(ending);
  ASSERT_EQ(ends.size(), kCalls / 2);
  manager().on_topology({2, {{{"sw2", PortId{21}}, Unusable::kDrained}}});
  hear("sw2", ends);
  finish();
  EXPECT_EQ(manager().gauges().connections, kCalls / 2);
  EXPECT_EQ(manager().gauges().astray, kCalls / 2) << "each of the rest was looked at";
  EXPECT_GT(manager().next_deadline(), now);
}

// The other order of the two lists: the calls that stay are those at the end.
TEST_F(ManyCallsTest, ThoseThatTakeThePlaceOfEndedOnesAreLookedAt) {
  const std::vector<ConnectionId> ids = up(kCalls);
  const std::vector<ConnectionId> ending(ids.begin(), ids.begin() + kCalls / 2);
  const std::vector<HopResult> ends = almost_released(ending);
  manager().on_topology({2, {{{"sw2", PortId{21}}, Unusable::kDrained}}});
  hear("sw2", ends);
  finish();
  EXPECT_EQ(manager().gauges().astray, kCalls / 2);
  topology(3, {});
  EXPECT_EQ(manager().gauges().astray, 0U);
  EXPECT_GT(manager().next_deadline(), now);
}

TEST_F(ManyCallsTest, ReroutesThatWaitForTheirTurnLetTheManagerRest) {
  config.reroutes_at_once = 10;
  up(PathWatch::kPerStep + 100);
  topology(2, link_drained());
  EXPECT_EQ(manager().gauges().reroutes_under_way, 10U);
  EXPECT_EQ(manager().gauges().astray, PathWatch::kPerStep + 100);
  EXPECT_GT(manager().next_deadline(), now);
}

}  // namespace
}  // namespace xbind::cmgr
