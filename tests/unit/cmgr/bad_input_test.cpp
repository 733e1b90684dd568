// Invalid input and failing peers: each case gets an answer that names the mistake, and leaves
// nothing behind. exchange.hpp shows the network.
#include "exchange.hpp"

namespace xbind::cmgr {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class BadInputTest : public ExchangeTest {};

TEST_F(BadInputTest, LabelsExhaustedOnEveryRoute) {
  attach_all();
  attach("sw5");
  connect(1);
  all_done("sw1");
  answer("sw2", {refused(setup("sw2"), Cause::kNoLabel, PortId{21}, 1)});
  answer_all_switches();
  route(found(take_route_queries().at(0), detour()));
  all_done("sw1");
  answer("sw5", {refused(setup("sw5"), Cause::kNoLabel, PortId{51}, 1)});
  answer_all_switches();
  route(none(take_route_queries().at(0), Cause::kNoRoute, "ann -> bob"));
  const Outcome refusal = outcome();
  EXPECT_EQ(refusal.cause, Cause::kNoLabel);
  EXPECT_EQ(refusal.element, "sw5 port 51");
  expect_nothing_left();
  EXPECT_TRUE(leaves_no_trace());
}

TEST_F(BadInputTest, BandwidthExhaustedAsTheTopologyKnowsIt) {
  attach_all();
  ask("mia", {{call(1, 12'000)}, {}});
  route(none(take_route_queries().at(0), Cause::kNoBandwidth, "ann -> bob", 10'000));
  EXPECT_EQ(explain(outcome()), "no bandwidth at ann -> bob: asked 12000 cells/s, free 10000");
  expect_nothing_left();
}

TEST_F(BadInputTest, AnEndThatIsNoNameIsRefusedAtOnceAndAsksNobody) {
  attach_all();
  const std::string huge(100'000, 'x');
  std::uint64_t number = 0;
  for (const std::string& wrong : {std::string{}, std::string{"a b"}, std::string{"bo\nb"}, huge}) {
    for (const bool first : {true, false}) {
      ConnectRequest request = call(++number, 100);
      (first ? request.from : request.to) = wrong;
      ask("mia", {{request}, {}});
      const Outcome refusal = outcome();
      EXPECT_EQ(refusal.kind, OutcomeKind::kRefused);
      EXPECT_EQ(refusal.cause, Cause::kInvalidRequest);
      EXPECT_THAT(refusal.reason, HasSubstr("is no name"));
      EXPECT_LT(refusal.reason.size(), 300U);
    }
  }
  EXPECT_THAT(take_route_queries(), IsEmpty());
  EXPECT_EQ(manager().prepare("a b", "bob", cells(100), 1, now).error().text,
            "the endpoint 'a b' is no name: ' ' at octet 2 is none of A-Z a-z 0-9 . - _ : @ +");
  expect_nothing_left();
}

TEST_F(BadInputTest, AClientsNameIsOne) {
  attach_all();
  for (const char* const wrong : {"", "mia\n", "(two-way)", "\x1b[2J"}) {
    EXPECT_EQ(manager().attach_client(wrong, Epoch{1}, now).error().code, ErrorCode::kBadInput);
  }
  EXPECT_TRUE(manager().attach_client(std::string(63, 'm'), Epoch{1}, now).has_value());
  EXPECT_EQ(manager().attach_client(std::string(64, 'm'), Epoch{1}, now).error().code,
            ErrorCode::kBadInput);
}

TEST_F(BadInputTest, AggregationOutOfRangeChangesNothing) {
  attach_all();
  const Aggregation before = manager().switches().queues().aggregation().settings();
  const auto refused_with = [&](Aggregation settings, const char* number) {
    const auto set = manager().set_aggregation(settings, now);
    ASSERT_FALSE(set.has_value());
    EXPECT_EQ(set.error().code, ErrorCode::kBadInput);
    EXPECT_THAT(set.error().text, HasSubstr(number));
    EXPECT_EQ(manager().switches().queues().aggregation().settings(), before);
  };
  Aggregation wrong = before;
  wrong.threshold = 0;
  refused_with(wrong, "0");
  wrong.threshold = 4'097;
  refused_with(wrong, "4097");
  wrong = before;
  wrong.flush_timeout = std::chrono::microseconds{49};
  refused_with(wrong, "0.05");
  wrong.flush_timeout = milliseconds{10'001};
  refused_with(wrong, "10001");
  // Valid settings apply at once; settings that are not named keep their values.
  Aggregation right = before;
  right.threshold = 4'096;
  right.regions.clear();
  EXPECT_TRUE(manager().set_aggregation(right, now).has_value());
  EXPECT_EQ(manager().switches().queues().aggregation().threshold(), 4'096U);
  EXPECT_EQ(manager().switches().queues().aggregation().settings().regions, before.regions);
}

TEST_F(BadInputTest, ALowerThresholdSendsWhatWaits) {
  config.aggregation.threshold = 100;
  start_with_labels({vci(32)}, {vci(40)});
  connect(1);
  EXPECT_TRUE(silent("sw1"));
  Aggregation at_once = config.aggregation;
  at_once.threshold = 1;
  ASSERT_TRUE(manager().set_aggregation(at_once, now).has_value());
  finish();
  EXPECT_FALSE(silent("sw1"));
}

TEST_F(BadInputTest, AnUnknownConnectionIsUnknownToEveryRequest) {
  attach_all();
  const ConnectionId nobodys{4711};
  ask("mia", {{},
              {{RequestId{1}, nobodys}},
              {{RequestId{2}, nobodys, cells(1), {}}},
              {{RequestId{3}, nobodys, "bob", false}, {RequestId{4}, nobodys, "bob", true}},
              {{RequestId{5}, nobodys}}});
  const auto outcomes = reported();
  EXPECT_THAT(outcomes, SizeIs(5));
  EXPECT_THAT(outcomes, Each(Field(&Outcome::kind, OutcomeKind::kRefused)));
  EXPECT_THAT(outcomes, Each(Field(&Outcome::cause, Cause::kUnknownConnection)));
  EXPECT_THAT(outcomes, Each(Field(&Outcome::asked, 4711U)));
  EXPECT_THAT(outcomes, Each(Field(&Outcome::connection, nobodys)))
      << "the refusal names the requested connection";
  EXPECT_TRUE(leaves_no_trace());
}

TEST_F(BadInputTest, ACallToItselfIsRefusedWithRouteObjectsReasonOnce) {
  attach_all();
  ConnectRequest itself = call(1);
  itself.to = itself.from;
  ask("mia", {{itself}, {}, {}, {}, {}});
  RouteReply reply = none(take_route_queries().at(0), Cause::kInvalidRequest, "ann -> ann");
  reply.reason = "source and destination are both 'ann'";
  route(reply);
  const Outcome refusal = outcome();
  const char* const kWords = "invalid request at ann -> ann: source and destination are both 'ann'";
  EXPECT_EQ(explain(refusal), kWords);
  // Whatever a peer states as its reason, also a whole explanation, is there once.
  Outcome repeated = refusal;
  repeated.reason = "invalid request at ann -> ann";
  EXPECT_EQ(explain(repeated), "invalid request at ann -> ann");
}

TEST_F(BadInputTest, ACallThatIsNotUpYetCannotBeChanged) {
  start_with_labels({vci(32)}, {vci(40)});
  connect(1);
  const ConnectionId early = setup("sw1").key.connection;
  modify(2, early, cells(300));
  EXPECT_EQ(outcome().cause, Cause::kUnknownConnection) << "the client does not have its id yet";
  commit(3, early);
  EXPECT_EQ(outcome().cause, Cause::kNotConnected);
}

TEST_F(BadInputTest, OneThatIsGoingAlreadyCannotBeReleasedOrChanged) {
  start_with_labels({vci(32)}, {vci(40)});
  const ConnectionId call = connected(1);
  release(2, call);
  release(3, call);
  modify(4, call, cells(300));
  add_leaf(5, call, "guy");
  drop_leaf(6, call, "bob");
  const auto outcomes = reported();
  EXPECT_THAT(outcomes, SizeIs(4));
  EXPECT_THAT(outcomes, Each(Field(&Outcome::cause, Cause::kBeingReleased)));
  answer_all_switches();
  EXPECT_EQ(outcome().request, RequestId{2});
  expect_nothing_left();
  EXPECT_TRUE(leaves_no_trace());
}

TEST_F(BadInputTest, AServiceThatCannotBeIsRefusedInAModifyToo) {
  start_with_labels({vci(32)}, {vci(40)});
  const ConnectionId call = connected(1);
  modify(2, call, cells(0));
  EXPECT_EQ(explain(outcome()), "invalid request at cells/s: 0 cells/s are not in 1 to 16777215");
  EXPECT_TRUE(silent("sw1"));
  EXPECT_EQ(manager().describe(call).value().connection.state(), State::kConnected);
}

TEST_F(BadInputTest, ResultsOfAnEarlierProcessOfTheManagerFindNobody) {
  config.epoch = 1;
  start_with_labels({vci(32)}, {vci(40)});
  connect(1);
  const HopSetup one = setup("sw1");
  const SessionId old = switches_.at("sw1").session;
  const auto late = switches_.at("sw1").link->send({{done(one)}, {}}, 1, now);
  // The manager crashes and is restarted with the next epoch.
  config.epoch = 2;
  start();
  attach_all();
  manager().on_results(old, late, now);
  finish();
  EXPECT_EQ(manager().counters().unknown_session, 1U);
  // A late result that arrives in the new session is not attributed to a new call either.
  answer("sw1", {done(one)});
  EXPECT_EQ(manager().counters().late_results, 1U);
  connect(1);
  EXPECT_NE(setup("sw1").key.connection, one.key.connection);
}

TEST_F(BadInputTest, ASwitchServerThatNeverAnswersCostsTheCallAndIsOwedTheRemoval) {
  config.crankbacks = 0;
  start_with_labels({vci(32)}, {vci(40)});
  connect(1);
  all_done("sw1");
  all_done("sw3");
  wait(config.hop_timer);
  all_done("sw1");
  all_done("sw3");
  wait(config.undo_timer);
  EXPECT_EQ(explain(outcome()), "timeout at sw2; owed: 1 removal at sw2");
  EXPECT_EQ(manager().gauges().connections, 0U);
  EXPECT_EQ(manager().gauges().under_way, 0U);
  EXPECT_EQ(manager().gauges().owed, 1U);
  const HopBatch heard = take("sw2");
  EXPECT_THAT(heard.setups, SizeIs(1));
  EXPECT_THAT(heard.removals, SizeIs(1));
  // sw2 wakes up and executes everything in order.
  answer("sw2", all_done(heard));
  expect_nothing_left();
  EXPECT_TRUE(leaves_no_trace());
}

TEST_F(BadInputTest, ASwitchServerThatIsNotThereAtAllIsSaidToBeUnreachable) {
  start();
  attach("sw1");
  attach("sw2");
  log_in("mia");
  learn_route();
  EXPECT_THAT(take_attach_requests(), ElementsAre("sw1", "sw2", "sw3"));
  connect(1);
  EXPECT_EQ(explain(outcome()), "switch unreachable at sw3");
  EXPECT_TRUE(silent("sw1"));
  EXPECT_FALSE(manager().reaches("sw3"));
}

TEST_F(BadInputTest, ResultsThatContradictThemselvesMoveNothing) {
  start_with_labels({vci(32)}, {vci(40)});
  connect(1);
  const HopSetup one = setup("sw1");
  HopResult wrong = done(one);
  wrong.key.generation = Generation{9};
  HopResult elsewhere = done(one);
  elsewhere.key.hop = 1;  // a hop of sw2
  HopResult nobody_asked = done(one.key, HopAction::kRemove);
  answer("sw1", {wrong, elsewhere, nobody_asked});
  EXPECT_EQ(manager().counters().late_results, 3U);
  EXPECT_THAT(reported(), IsEmpty());
  answer("sw1", {done(one)});
  all_done("sw2");
  all_done("sw3");
  EXPECT_EQ(outcome().kind, OutcomeKind::kConnected);
}

}  // namespace
}  // namespace xbind::cmgr
