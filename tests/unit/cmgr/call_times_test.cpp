// The stages in which setups and releases spend their time, to the nanosecond: the tests set the
// clock themselves. exchange.hpp shows the network.
#include "cmgr/parts/call_times.hpp"

#include <ostream>

#include "exchange.hpp"

namespace xbind::cmgr {

// The time that all setups, or all releases, spent in each stage.
struct SetupTook {
  Duration admission{};
  Duration qos{};
  Duration crankback{};
  Duration route{};
  Duration labels{};
  Duration queue{};
  Duration switches{};
  Duration answer{};
  std::uint64_t count = 1;

  friend bool operator==(const SetupTook&, const SetupTook&) = default;
  friend std::ostream& operator<<(std::ostream& out, const SetupTook& it) {
    return out << it.count << " setups: admission " << it.admission.count() << " ns, qos "
               << it.qos.count() << ", crankback " << it.crankback.count() << ", route "
               << it.route.count() << ", labels " << it.labels.count() << ", queue "
               << it.queue.count() << ", switches " << it.switches.count() << ", answer "
               << it.answer.count();
  }
};
struct ReleaseTook {
  Duration admission{};
  Duration queue{};
  Duration switches{};
  Duration answer{};
  std::uint64_t count = 1;

  friend bool operator==(const ReleaseTook&, const ReleaseTook&) = default;
  friend std::ostream& operator<<(std::ostream& out, const ReleaseTook& it) {
    return out << it.count << " releases: admission " << it.admission.count() << " ns, queue "
               << it.queue.count() << ", switches " << it.switches.count() << ", answer "
               << it.answer.count();
  }
};

namespace {

using std::chrono::microseconds;
using ::testing::SizeIs;

template <class Stage>
Duration sum_of(const StageTimes<Stage>& times, Stage stage) {
  EXPECT_EQ(times.of(stage).count, times.of(Stage::kTotal).count) << to_string(stage);
  return Duration{static_cast<Duration::rep>(times.of(stage).ns)};
}

SetupTook took(const StageTimes<SetupStage>& times) {
  const SetupTook all{
      sum_of(times, SetupStage::kAdmission), sum_of(times, SetupStage::kQos),
      sum_of(times, SetupStage::kCrankback), sum_of(times, SetupStage::kRoute),
      sum_of(times, SetupStage::kLabels),    sum_of(times, SetupStage::kQueue),
      sum_of(times, SetupStage::kSwitches),  sum_of(times, SetupStage::kAnswer),
      times.of(SetupStage::kTotal).count,
  };
  EXPECT_EQ(all.admission + all.qos + all.crankback + all.route + all.labels + all.queue +
                all.switches + all.answer,
            sum_of(times, SetupStage::kTotal))
      << "the stages are the total";
  return all;
}

ReleaseTook took(const StageTimes<ReleaseStage>& times) {
  const ReleaseTook all{
      sum_of(times, ReleaseStage::kAdmission), sum_of(times, ReleaseStage::kQueue),
      sum_of(times, ReleaseStage::kSwitches),  sum_of(times, ReleaseStage::kAnswer),
      times.of(ReleaseStage::kTotal).count,
  };
  EXPECT_EQ(all.admission + all.queue + all.switches + all.answer,
            sum_of(times, ReleaseStage::kTotal))
      << "the stages are the total";
  return all;
}

class CallTimesTest : public ExchangeTest {
 protected:
  static constexpr SetupTook kNoSetup{.count = 0};
  static constexpr ReleaseTook kNoRelease{.count = 0};

  void start_with_many_labels() {
    config.label_cache_target = 8;
    start_with_labels({vci(32), vci(33), vci(34)}, {vci(40), vci(41), vci(42)});
  }
  SetupTook setups() { return took(manager().call_times().setups()); }
  ReleaseTook releases() { return took(manager().call_times().releases()); }
  // Like all_done(); the step that handles the answers lasts `length`.
  void all_done_within(const std::string& name, Duration length) {
    const HopBatch heard = take(name);
    SwitchSide& side = switches_.at(name);
    manager().on_results(side.session, side.link->send({all_done(heard), {}}, 100, now), now);
    now += length;
    finish();
  }
  void everybody_does_after(Duration time) {
    now += time;
    answer_all_switches();
  }
  using ExchangeTest::all_done;
};

// --- setups ---

TEST_F(CallTimesTest, WithEverythingAtHandACallWaitsForTheSwitchesAlone) {
  start_with_many_labels();
  connect(1);
  now += microseconds{200};
  all_done("sw1");
  all_done("sw2");
  now += microseconds{100};
  EXPECT_EQ(setups(), kNoSetup) << "under way";
  EXPECT_EQ(manager().call_times().size(), 1U);
  all_done_within("sw3", microseconds{7});
  EXPECT_EQ(outcome().kind, OutcomeKind::kConnected);
  EXPECT_EQ(setups(), (SetupTook{.switches = microseconds{300}, .answer = microseconds{7}}));
  EXPECT_EQ(manager().call_times().size(), 0U);
}

TEST_F(CallTimesTest, LabelsThatAreMissingAreReservedFirst) {
  attach_all();
  connect(1);
  now += microseconds{100};
  all_done("sw1");
  now += microseconds{50};
  all_done("sw2");  // and the manager sends every commit
  everybody_does_after(microseconds{200});
  EXPECT_EQ(setups(), (SetupTook{.labels = microseconds{150}, .switches = microseconds{200}}));
}

TEST_F(CallTimesTest, ARouteThatIsNotKnownIsAskedFor) {
  start_with_many_labels();
  ConnectRequest to_guy = call(1);
  to_guy.to = "guy";
  ask("mia", {{to_guy}, {}});
  now += microseconds{80};
  route(found({"ann", "guy", 100}, path_to("guy")));
  everybody_does_after(microseconds{30});
  EXPECT_EQ(outcome().kind, OutcomeKind::kConnected);
  EXPECT_EQ(setups(), (SetupTook{.route = microseconds{80}, .switches = microseconds{30}}));
}

TEST_F(CallTimesTest, AServiceThatIsNotKnownIsAskedFor) {
  config.remote_qos = true;
  start_with_many_labels();
  connect(1);
  now += microseconds{60};
  manager().on_services({{cells(100), NetworkService{{100, 10}}}}, now);
  finish();
  everybody_does_after(microseconds{30});
  EXPECT_EQ(outcome().kind, OutcomeKind::kConnected);
  EXPECT_EQ(setups(), (SetupTook{.qos = microseconds{60}, .switches = microseconds{30}}));
  // The next call finds the mapping in the cache.
  connect(2);
  everybody_does_after(microseconds{5});
  EXPECT_EQ(setups(),
            (SetupTook{.qos = microseconds{60}, .switches = microseconds{35}, .count = 2}));
}

TEST_F(CallTimesTest, ARequestMayHaveToWaitToBeBegun) {
  config.operations_at_once = 1;
  start_with_many_labels();
  connect(1);
  now += microseconds{10};
  connect(2);
  // To the first call; the second begins, and everything is done at once.
  everybody_does_after(microseconds{90});
  EXPECT_THAT(reported(), SizeIs(2));
  EXPECT_EQ(setups(),
            (SetupTook{.admission = microseconds{90}, .switches = microseconds{100}, .count = 2}));
}

TEST_F(CallTimesTest, CommandsWaitForTheThreshold) {
  config.aggregation.threshold = 2;
  start_with_many_labels();
  connect(1);
  now += microseconds{300};
  EXPECT_TRUE(silent("sw1"));
  connect(2);
  everybody_does_after(microseconds{50});
  EXPECT_THAT(reported(), SizeIs(2));
  EXPECT_EQ(setups(),
            (SetupTook{.queue = microseconds{300}, .switches = 2 * microseconds{50}, .count = 2}))
      << "the second one filled the batch and waited for nothing";
}

TEST_F(CallTimesTest, OrForTheFlushTimeout) {
  config.aggregation.threshold = 10;
  config.aggregation.flush_timeout = milliseconds{5};
  start_with_many_labels();
  connect(1);
  wait(milliseconds{5});
  everybody_does_after(microseconds{50});
  EXPECT_EQ(setups(), (SetupTook{.queue = milliseconds{5}, .switches = microseconds{50}}));
}

TEST_F(CallTimesTest, OfSeveralQueuesTheLastOneCounts) {
  start_with_many_labels();
  attach("sw2", {}, 1);  // one batch in flight
  answer("sw2", {}, {{PortId{21}, {vci(43), vci(44)}}});
  connect(1);
  connect(2);
  EXPECT_THAT(take("sw1").setups, SizeIs(2));
  now += microseconds{90};
  const HopBatch first = take("sw2");
  EXPECT_THAT(first.setups, SizeIs(1));
  answer("sw2", all_done(first));  // frees the credit for the second batch
  const HopBatch second = take("sw2");
  ASSERT_THAT(second.setups, SizeIs(1));
  now += microseconds{20};
  answer("sw2", all_done(second));
  const HopBatch last = take("sw3");
  answer("sw3", all_done(last));
  std::vector<HopResult> rest;
  for (HopResult result : all_done(last)) {
    result.key.hop = 0;
    result.output_label = {};
    rest.push_back(result);
  }
  answer("sw1", rest);
  EXPECT_THAT(reported(), SizeIs(2));
  EXPECT_EQ(setups(), (SetupTook{.queue = microseconds{90},
                                 .switches = microseconds{110} + microseconds{20},
                                 .count = 2}));
}

TEST_F(CallTimesTest, ARefusalEntersNothing) {
  start_with_many_labels();
  connect(1);
  all_done("sw1");
  all_done("sw2");
  now += microseconds{40};
  answer("sw3", {refused(setup("sw3"), Cause::kNoBandwidth, PortId{2}, 100, 20)});
  everybody_does_after(microseconds{40});
  EXPECT_EQ(outcome().cause, Cause::kNoBandwidth);
  EXPECT_EQ(setups(), kNoSetup);
  EXPECT_EQ(releases(), kNoRelease) << "undoing a setup counts as no release";
  expect_nothing_left();
}

TEST_F(CallTimesTest, RoutesTriedInVainAreAStageOfTheirOwn) {
  start_with_many_labels();
  attach("sw5");
  answer("sw1", {}, {{PortId{11}, {vci(50)}}});
  answer("sw5", {}, {{PortId{51}, {vci(60)}}});
  connect(1);
  all_done("sw1");
  all_done("sw3");
  now += microseconds{100};
  answer("sw2", {refused(setup("sw2"), Cause::kNoBandwidth, PortId{21}, 100, 20)});
  everybody_does_after(microseconds{50});  // the other hops are undone
  const auto asked = take_route_queries();
  ASSERT_THAT(asked, SizeIs(1));
  now += microseconds{40};
  route(found(asked[0], detour()));
  everybody_does_after(microseconds{200});
  EXPECT_EQ(outcome().kind, OutcomeKind::kConnected);
  EXPECT_EQ(setups(), (SetupTook{.crankback = microseconds{150},
                                 .route = microseconds{40},
                                 .switches = microseconds{200}}));
}

TEST_F(CallTimesTest, AnOutcomeMayHaveToWaitForCredit) {
  config.client_session.batches_in_flight = 1;
  start_with_many_labels();
  connect(1);
  connect(2);
  const HopBatch last = take("sw3");
  ASSERT_THAT(last.setups, SizeIs(2));
  all_done("sw1");
  all_done("sw2");
  answer("sw3", {done(last.setups[0])});
  answer("sw3", {done(last.setups[1])});
  EXPECT_THAT(reported(), SizeIs(1));
  EXPECT_EQ(setups().count, 1U) << "the other one waits";
  now += microseconds{60};
  release(3, ConnectionId{1});  // confirms the first outcome; connection 1 does not exist
  EXPECT_THAT(reported(), SizeIs(2));
  EXPECT_EQ(setups(), (SetupTook{.answer = microseconds{60}, .count = 2}));
}

TEST_F(CallTimesTest, WhatNobodyIsToldCountsForNothing) {
  start_with_many_labels();
  connect(1);
  manager().detach_client(clients_.at("mia").session);
  everybody_does_after(microseconds{60});
  EXPECT_EQ(manager().counters().connected, 1U);
  EXPECT_EQ(setups(), kNoSetup);
  EXPECT_EQ(manager().call_times().size(), 0U);
}

TEST_F(CallTimesTest, ATwoWayCallIsAnsweredAtOnce) {
  start_with_many_labels();
  manager().request_local(RequestId{1}, ConnectRequest{{}, "ann", "bob", cells(100)}, now);
  finish();
  now += microseconds{60};
  all_done("sw1");
  all_done("sw2");
  all_done_within("sw3", microseconds{9});
  EXPECT_THAT(local_, SizeIs(1));
  EXPECT_EQ(setups(), (SetupTook{.switches = microseconds{60}}));
}

TEST_F(CallTimesTest, AHoldAndItsCommitEnterNothing) {
  start_with_many_labels();
  hold(1, 10'000);
  everybody_does_after(microseconds{60});
  commit(2, outcome().connection);
  everybody_does_after(microseconds{60});
  EXPECT_EQ(outcome().kind, OutcomeKind::kConnected);
  EXPECT_EQ(setups(), kNoSetup);
}

TEST_F(CallTimesTest, AConnectionPreparedInAdvanceTakesNoTime) {
  start_with_many_labels();
  ASSERT_TRUE(manager().prepare("ann", "bob", cells(100), 1, now).has_value());
  finish();
  everybody_does_after(microseconds{60});
  EXPECT_EQ(setups(), kNoSetup) << "a connection prepared in advance has no request";
  connect(1);
  EXPECT_EQ(outcome().kind, OutcomeKind::kConnected);
  EXPECT_EQ(setups(), SetupTook{});
}

TEST_F(CallTimesTest, TheEnginesThatWaitQueueNothing) {
  config.one_by_one = true;
  config.operations_at_once = 1;
  config.label_cache_target = 0;
  attach_all();
  connect(1);
  const auto serve_all = [&] {
    int served = 0;
    for (auto asked = invocations(); !asked.empty(); asked = invocations()) {
      for (const Invocation& it : asked) {
        now += microseconds{100};
        reply(it);
        ++served;
      }
    }
    return served;
  };
  EXPECT_EQ(serve_all(), 5) << "two reserve, three commit";
  const ConnectionId id = outcome().connection;
  EXPECT_EQ(setups(), (SetupTook{.labels = microseconds{200}, .switches = microseconds{300}}));
  release(2, id);
  EXPECT_EQ(serve_all(), 3);
  EXPECT_EQ(releases(), (ReleaseTook{.switches = microseconds{300}}));
}

// --- releases ---

TEST_F(CallTimesTest, AReleaseWaitsForItsBatchesAndForTheSwitches) {
  start_with_many_labels();
  const ConnectionId id = connected(1);
  Aggregation settings = config.aggregation;
  settings.threshold = 10;
  settings.flush_timeout = milliseconds{2};
  ASSERT_TRUE(manager().set_aggregation(settings, now).has_value());
  release(2, id);
  wait(milliseconds{2});
  now += microseconds{70};
  all_done("sw3");
  all_done("sw2");
  all_done_within("sw1", microseconds{4});
  EXPECT_EQ(outcome().kind, OutcomeKind::kReleased);
  EXPECT_EQ(releases(), (ReleaseTook{.queue = milliseconds{2},
                                     .switches = microseconds{70},
                                     .answer = microseconds{4}}));
  EXPECT_EQ(setups().count, 1U);
  expect_nothing_left();
}

TEST_F(CallTimesTest, AReleaseMayHaveToWaitToBeBegun) {
  config.operations_at_once = 1;
  start_with_many_labels();
  const ConnectionId id = connected(1);
  connect(2);
  now += microseconds{5};
  release(3, id);
  everybody_does_after(microseconds{45});
  EXPECT_THAT(reported(), SizeIs(2));
  EXPECT_EQ(releases(), (ReleaseTook{.admission = microseconds{45}}));
}

TEST_F(CallTimesTest, AReleaseThatEndsOwingARemovalEntersNothing) {
  start_with_many_labels();
  const ConnectionId id = connected(1);
  release(2, id);
  all_done("sw1");
  all_done("sw2");
  wait(config.undo_timer);
  EXPECT_EQ(outcome().kind, OutcomeKind::kReleased);
  EXPECT_EQ(manager().gauges().owed, 1U);
  EXPECT_EQ(releases(), kNoRelease);
  EXPECT_EQ(manager().call_times().size(), 0U);
}

TEST_F(CallTimesTest, WhatWasQueuedForASessionThatEndedHoldsNothing) {
  config.aggregation.threshold = 10;
  start_with_many_labels();
  connect(1);
  for (const char* name : {"sw1", "sw2", "sw3"}) lose(name);
  wait(config.undo_timer);
  EXPECT_EQ(outcome().cause, Cause::kSwitchUnreachable);
  EXPECT_EQ(setups(), kNoSetup);
  EXPECT_EQ(manager().call_times().size(), 0U);
}

// --- the table ---

constexpr TimePoint at(std::int64_t ns) { return TimePoint{Duration{ns}}; }

TEST(CallTimes, CommandsOfAnAbandonedTryCountForNobody) {
  CallTimes times;
  TimesIndex call = times.open_setup({at(1), at(2)}, at(4));
  times.path_known(call, at(8));
  times.labels_in_hand(call, at(16));
  times.queued(call);
  const TimesIndex first_try = call;
  call = times.try_again(call, at(32));
  EXPECT_NE(call, first_try);
  EXPECT_EQ(times.size(), 2U) << "the first one as long as its command waits";
  times.path_known(call, at(64));
  times.labels_in_hand(call, at(64));
  times.queued(call);
  times.left(call, at(128));
  times.left(first_try, at(200));
  EXPECT_EQ(times.size(), 1U);
  times.answered(call, at(256));
  times.handed_over(call, at(512));
  EXPECT_EQ(times.size(), 0U);
  EXPECT_EQ(took(times.setups()),
            (SetupTook{Duration{1}, Duration{2}, Duration{28}, Duration{32}, Duration{0},
                       Duration{64}, Duration{128}, Duration{256}}));
}

TEST(CallTimes, AnEntryIsUsedAgain) {
  CallTimes times;
  const TimesIndex setup = times.open_setup({at(1), at(1)}, at(1));
  times.close(setup);
  const TimesIndex release = times.open_release({at(10), at(11)});
  EXPECT_EQ(release, setup);
  times.queued(release);
  times.left(release, at(13));
  times.answered(release, at(17));
  times.handed_over(release, at(25));
  EXPECT_EQ(took(times.releases()),
            (ReleaseTook{Duration{1}, Duration{2}, Duration{4}, Duration{8}}));
  EXPECT_EQ(took(times.setups()), (SetupTook{.count = 0}));
}

TEST(CallTimes, WhatIsNotTimedIsNoTrouble) {
  CallTimes times;
  times.queued(kNotTimed);
  times.left(kNotTimed, at(1));
  times.answered(kNotTimed, at(1));
  EXPECT_EQ(times.try_again(kNotTimed, at(1)), kNotTimed);
  times.handed_over(kNotTimed, at(1));
  times.handed_over_at_once(kNotTimed);
  times.close(kNotTimed);
  EXPECT_EQ(times.size(), 0U);
  EXPECT_EQ(took(times.setups()), (SetupTook{.count = 0}));
}

TEST(CallTimes, EveryStageHasAName) {
  Metrics metrics;
  CallTimes{}.setups().append_metrics("setup", metrics);
  CallTimes{}.releases().append_metrics("release", metrics);
  EXPECT_THAT(metrics, SizeIs(2 * (9 + 5)));
  for (const auto& [name, value] : metrics) {
    EXPECT_EQ(name.find("unknown"), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace xbind::cmgr
