// The null manager and null switches with a client and no network between them: frames are values.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "bench/null/null_manager.hpp"
#include "bench/null/null_switch.hpp"

namespace xbind::callgen::null {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

using ClientSession = session::Session<RequestBatch, OutcomeBatch>;

RequestBatch setups(std::uint64_t first, std::uint64_t count) {
  RequestBatch batch;
  for (std::uint64_t i = 0; i < count; ++i) {
    batch.connects.push_back({RequestId{first + i}, "host-a", "host-b", {.cells_per_s = 100}});
  }
  return batch;
}

// A client, a manager and its switches; step() carries the frames of each to the others.
class Network {
 public:
  Network(const Gathering& rule, std::size_t count) {
    for (std::size_t at = 0; at < count; ++at) {
      switches.emplace_back();
      sessions.push_back(switches.back().attach(now));
    }
    manager = std::make_unique<NullManager>(
        rule, std::vector<std::uint32_t>(count, NullSwitch{}.window()), now);
    session = manager->attach_client("client", now);
  }

  void ask(RequestBatch batch) {
    manager->on_requests(session, client.send(std::move(batch), 100, now), now);
  }

  // One round: due frames are sent and answered, and the answers arrive.
  void step() {
    std::vector<NullManager::ToClient> to_client;
    std::vector<NullManager::ToSwitch> to_switches;
    ASSERT_TRUE(manager->finish_step(now, to_client, to_switches));
    for (auto& outgoing : to_switches) {
      if (outgoing.frame.batch) batches.push_back(outgoing.frame.batch->commands());
      switches[outgoing.at].on_commands(sessions[outgoing.at], outgoing.frame, now);
    }
    for (auto& frame : to_client) {
      std::vector<std::shared_ptr<const OutcomeBatch>> applied;
      ASSERT_TRUE(client.receive(frame, now, applied));
      for (const auto& batch : applied) {
        outcomes.insert(outcomes.end(), batch->outcomes.begin(), batch->outcomes.end());
      }
    }
    for (std::size_t at = 0; at < switches.size(); ++at) {
      std::vector<NullSwitch::ToManager> results;
      switches[at].finish_step(now, results);
      for (auto& frame : results) ASSERT_TRUE(manager->on_results(at, frame, now));
    }
  }

  std::vector<OutcomeKind> kinds() const {
    std::vector<OutcomeKind> all;
    for (const Outcome& outcome : outcomes) all.push_back(outcome.kind);
    return all;
  }

  TimePoint now{1h};
  std::deque<NullSwitch> switches;
  std::vector<SessionId> sessions;
  std::unique_ptr<NullManager> manager;
  SessionId session;
  ClientSession client{session::Limits{}, now};
  std::vector<std::size_t> batches;  // number of commands in each batch that a switch received
  std::vector<Outcome> outcomes;
};

TEST(NullManager, WithoutSwitchesAnswersByItself) {
  Network network({}, 0);
  network.ask(setups(1, 3));
  network.step();
  EXPECT_THAT(network.kinds(), ElementsAre(OutcomeKind::kConnected, OutcomeKind::kConnected,
                                           OutcomeKind::kConnected));
  EXPECT_EQ(network.outcomes[2].request, RequestId{3});
  EXPECT_NE(network.outcomes[0].connection, network.outcomes[1].connection);
  EXPECT_EQ(network.manager->under_way(), 0U);
}

TEST(NullManager, AnswersWhenEverySwitchHas) {
  Network network({.threshold = 1}, 3);
  network.ask(setups(1, 1));
  network.step();  // to the switches and back
  EXPECT_THAT(network.outcomes, IsEmpty());
  EXPECT_THAT(network.batches, ElementsAre(1, 1, 1));
  network.step();
  ASSERT_THAT(network.outcomes, SizeIs(1));
  EXPECT_EQ(network.outcomes[0].kind, OutcomeKind::kConnected);
  EXPECT_EQ(network.manager->commands(), 3U);

  RequestBatch release;
  release.releases.push_back({RequestId{2}, network.outcomes[0].connection});
  network.ask(std::move(release));
  network.step();
  network.step();
  ASSERT_THAT(network.outcomes, SizeIs(2));
  EXPECT_EQ(network.outcomes[1].kind, OutcomeKind::kReleased);
  EXPECT_EQ(network.outcomes[1].request, RequestId{2});
  EXPECT_EQ(network.outcomes[1].connection, network.outcomes[0].connection);
}

TEST(NullManager, WaitsForTheThresholdOrTheFlushTimeout) {
  Network network({.threshold = 4, .flush_timeout = 5ms}, 1);
  network.ask(setups(1, 3));
  network.step();
  EXPECT_THAT(network.batches, IsEmpty());
  EXPECT_EQ(network.manager->next_deadline(), network.now + 5ms);
  network.ask(setups(4, 1));
  network.step();
  EXPECT_THAT(network.batches, ElementsAre(4));

  network.ask(setups(5, 2));
  network.step();
  EXPECT_THAT(network.batches, ElementsAre(4));
  network.now += 5ms;
  network.step();
  EXPECT_THAT(network.batches, ElementsAre(4, 2));
}

TEST(NullManager, AdaptiveGathersOnlyWhileBatchesAreOnTheirWay) {
  Network network({.adaptive = true, .in_flight = 1}, 1);
  std::vector<NullManager::ToClient> to_client;
  std::vector<NullManager::ToSwitch> first;
  network.ask(setups(1, 1));
  ASSERT_TRUE(network.manager->finish_step(network.now, to_client, first));
  ASSERT_THAT(first, SizeIs(1));  // at once, because nothing is in flight

  std::vector<NullManager::ToSwitch> second;
  network.ask(setups(2, 2));
  ASSERT_TRUE(network.manager->finish_step(network.now, to_client, second));
  EXPECT_THAT(second, IsEmpty());

  network.switches[0].on_commands(network.sessions[0], first[0].frame, network.now);
  std::vector<NullSwitch::ToManager> results;
  network.switches[0].finish_step(network.now, results);
  ASSERT_TRUE(network.manager->on_results(0, results.at(0), network.now));
  ASSERT_TRUE(network.manager->finish_step(network.now, to_client, second));
  ASSERT_THAT(second, SizeIs(1));
  EXPECT_EQ(second[0].frame.batch->commands(), 2U);
}

TEST(NullManager, EveryKindOfRequestHasItsAnswer) {
  Network network({.threshold = 1}, 2);
  RequestBatch batch = setups(1, 1);
  batch.connects.push_back({RequestId{2}, "host-a", "host-b", {.cells_per_s = 1}, {}, 0, 1000});
  batch.modifies.push_back({RequestId{3}, ConnectionId{7}, {.cells_per_s = 2}});
  batch.leaves.push_back({RequestId{4}, ConnectionId{7}, "host-c", false});
  batch.leaves.push_back({RequestId{5}, ConnectionId{7}, "host-c", true});
  batch.commits.push_back({RequestId{6}, ConnectionId{8}});
  network.ask(std::move(batch));
  network.step();
  network.step();
  EXPECT_THAT(network.kinds(),
              testing::UnorderedElementsAre(OutcomeKind::kConnected, OutcomeKind::kHeld,
                                            OutcomeKind::kModified, OutcomeKind::kLeafAdded,
                                            OutcomeKind::kLeafDropped, OutcomeKind::kConnected));
  EXPECT_EQ(network.manager->under_way(), 0U);
}

TEST(NullManager, AnswersNobodyWhoseSessionIsOver) {
  Network network({.threshold = 1}, 1);
  network.ask(setups(1, 1));
  network.step();
  const SessionId next = network.manager->attach_client("another", network.now);
  EXPECT_NE(next, network.session);
  network.step();
  EXPECT_THAT(network.outcomes, IsEmpty());
  EXPECT_EQ(network.manager->under_way(), 0U);
}

TEST(NullManager, RefusesResultsThatNobodyWaitsFor) {
  Network network({.threshold = 1}, 1);
  HopResultBatch strange;
  strange.results.push_back({{ConnectionId{99}, Generation{1}, 0, 0}, {}, {}, {}, {}, {}, 0, 0});
  session::Frame<HopResultBatch> frame{BatchSeq{1}, BatchSeq{},
                                       std::make_shared<const HopResultBatch>(strange)};
  const auto taken = network.manager->on_results(0, frame, network.now);
  ASSERT_FALSE(taken);
  EXPECT_THAT(taken.error().text, testing::HasSubstr("99"));
}

TEST(NullSwitch, AnswersInTheOrderOfItsCommandsAndGrantsTheLabelsAskedFor) {
  const TimePoint now{1h};
  NullSwitch one;
  const SessionId session = one.attach(now);
  const auto setup = [](std::uint64_t number) {
    HopSetup made;
    made.key = {ConnectionId{number}, Generation{1}};
    made.output_port = PortId{2};
    made.labels_wanted = 1;
    return made;
  };
  HopBatch batch;
  batch.setups = {setup(1), setup(2)};
  batch.removals = {{{ConnectionId{3}, Generation{1}}, 1}, {{ConnectionId{4}, Generation{1}}, 2}};
  one.on_commands(
      session, {BatchSeq{1}, BatchSeq{}, std::make_shared<const HopBatch>(std::move(batch))}, now);
  std::vector<NullSwitch::ToManager> out;
  one.finish_step(now, out);
  ASSERT_THAT(out, SizeIs(1));
  std::vector<std::uint64_t> order;
  for (const HopResult& result : out[0].batch->results) {
    order.push_back(result.key.connection.value());
  }
  EXPECT_THAT(order, ElementsAre(1, 3, 2, 4));
  ASSERT_THAT(out[0].batch->granted, SizeIs(1));
  EXPECT_EQ(out[0].batch->granted[0].port, PortId{2});
  EXPECT_THAT(out[0].batch->granted[0].labels, SizeIs(2));
}

TEST(NullSwitch, IgnoresWhatComesInAnotherSession) {
  const TimePoint now{1h};
  NullSwitch one;
  const SessionId old = one.attach(now);
  EXPECT_NE(one.attach(now), old);
  one.on_commands(old, {BatchSeq{1}, BatchSeq{}, std::make_shared<const HopBatch>()}, now);
  std::vector<NullSwitch::ToManager> out;
  one.finish_step(now, out);
  EXPECT_THAT(out, IsEmpty());
}

}  // namespace
}  // namespace xbind::callgen::null
