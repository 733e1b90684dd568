// Re-routes: paths that end elsewhere, labels that a debt still holds, switches that cannot be
// reached, and retries. exchange.hpp shows the network; the other path leads over sw5.
#include "reroute_fixture.hpp"

namespace xbind::cmgr {
namespace {

class RerouteDetailTest : public RerouteTest {
 protected:
  // As start_with_two_paths(), with labels for several calls on both paths.
  void start_with_labels_for(std::uint32_t calls) {
    const auto labels = [calls](std::uint32_t from) {
      std::vector<Label> all;
      for (std::uint32_t i = 0; i < calls; ++i) all.push_back(vci(from + i));
      return all;
    };
    config.label_cache_target = 8;
    start_with_labels(labels(100), labels(200));
    attach("sw5");
    answer("sw1", {}, {{PortId{11}, labels(300)}});
    answer("sw5", {}, {{PortId{51}, labels(400)}});
  }
  std::uint64_t commands() { return manager().switches().counters().commands; }
};

// ===== the ends of the new path =====

struct OtherEnd {
  const char* what;
  std::size_t hop;  // of the detour
  PathHop instead;
};

class EndsElsewhere : public RerouteDetailTest, public ::testing::WithParamInterface<OtherEnd> {};

// The client knows the labels at both ends, and the endpoint is at the port that it has.
TEST_P(EndsElsewhere, IsNoPathForTheConnection) {
  start_with_two_paths();
  const ConnectionId connection = connected(1);
  topology(2, link_down());
  Path way = detour();
  way.hops[GetParam().hop] = GetParam().instead;
  if (GetParam().instead.switch_name == "sw4") attach("sw4");
  route(found(query(), way));
  for (const char* name : {"sw1", "sw3", "sw5"}) EXPECT_TRUE(silent(name)) << name;
  const Notice broken = notice();
  EXPECT_EQ(broken.kind, NoticeKind::kBroken);
  EXPECT_EQ(broken.cause, Cause::kNoRoute);
  EXPECT_EQ(broken.element, "bob");
  EXPECT_EQ(manager().describe(connection)->connection.hops().size(), 3U);
  release_and_expect_nothing(connection);
}

INSTANTIATE_TEST_SUITE_P(
    Ends, EndsElsewhere,
    ::testing::Values(OtherEnd{"FirstPort", 0, {"sw1", PortId{4}, PortId{11}}},
                      OtherEnd{"FirstSwitch", 0, {"sw4", PortId{1}, PortId{11}}},
                      OtherEnd{"LastPort", 2, {"sw3", PortId{31}, PortId{4}}},
                      OtherEnd{"LastSwitch", 2, {"sw4", PortId{31}, PortId{2}}}),
    [](const auto& each) { return each.param.what; });

// ===== debts =====

// guy was a leaf at sw2. The removal of the branch is owed, so 0/32 on the link from sw1 to sw2 may
// still lead to guy. The call then leaves that link.
class DebtOnTheOldPath : public RerouteDetailTest {
 protected:
  ConnectionId leave_link_with_debt() {
    start_with_two_paths();
    learn_route("guy");
    const ConnectionId call = connected(1);
    add_leaf(2, call, "guy");
    answer_all_switches();
    EXPECT_EQ(outcome().kind, OutcomeKind::kLeafAdded);
    drop_leaf(3, call, "guy");
    branch_ = removal("sw2");
    wait(config.undo_timer);
    EXPECT_EQ(outcome().kind, OutcomeKind::kLeafDropped);
    EXPECT_EQ(manager().gauges().owed, 1U);
    topology(2, link_drained());
    make();
    EXPECT_FALSE(silent("sw1")) << "the take-over is on its way";
    return call;
  }
  // Every switch confirms what it is asked to remove, except the branch.
  void remove_all() {
    for (bool again = true; again;) {
      again = false;
      for (const char* name : {"sw1", "sw2", "sw3", "sw5"}) {
        HopBatch heard = take(name);
        std::erase_if(heard.removals, [&](const HopRemoval& it) { return it.key == branch_.key; });
        if (heard.commands() == 0) continue;
        answer(name, all_done(heard));
        again = true;
      }
    }
  }
  // 0/32 is free when the branch is removed, not before.
  void expect_held_until_paid() {
    EXPECT_THAT(cached("sw1"), ::testing::Not(::testing::Contains(std::pair{PortId{10}, vci(32)})));
    EXPECT_THAT(manager().view_of("sw1").labels,
                ::testing::Contains(std::pair{PortId{10}, vci(32)}));
    answer("sw2", {removed(branch_)});
    EXPECT_EQ(manager().gauges().owed, 0U);
    EXPECT_THAT(cached("sw1"), ::testing::Contains(std::pair{PortId{10}, vci(32)}));
    expect_nothing_left();
  }

  HopRemoval branch_;
};

TEST_F(DebtOnTheOldPath, KeepsItsLabelWhenTheCallIsReleasedBeforeTheOldPathIsRemoved) {
  const ConnectionId call = leave_link_with_debt();
  all_done("sw1");
  EXPECT_EQ(notice().kind, NoticeKind::kRerouted);
  ASSERT_EQ(manager().gauges().reroutes_under_way, 1U) << "the old path stays for a moment";
  release(4, call);
  remove_all();
  EXPECT_EQ(outcome().kind, OutcomeKind::kReleased);
  expect_held_until_paid();
}

TEST_F(DebtOnTheOldPath, KeepsItsLabelWhenTheCallIsReleasedBeforeTheTakeOverIsConfirmed) {
  const ConnectionId call = leave_link_with_debt();
  release(4, call);
  remove_all();
  EXPECT_EQ(outcome().kind, OutcomeKind::kReleased);
  expect_held_until_paid();
}

TEST_F(DebtOnTheOldPath, KeepsItsLabelWhenTheOldPathIsRemoved) {
  const ConnectionId call = leave_link_with_debt();
  all_done("sw1");
  EXPECT_EQ(notice().kind, NoticeKind::kRerouted);
  wait(config.break_delay);
  remove_all();
  release(4, call);
  remove_all();
  EXPECT_EQ(outcome().kind, OutcomeKind::kReleased);
  expect_held_until_paid();
}

// ===== switches that cannot be reached =====

TEST_F(RerouteDetailTest, NothingIsSentToADetachedSwitchToLeadCellsBack) {
  const ConnectionId connection = reroute_until_take_over();
  lose("sw1");
  const std::uint64_t before = commands();
  wait(config.undo_timer);
  EXPECT_EQ(commands(), before) << "sw1 has no session, and the others wait for it";
  attach("sw1");
  EXPECT_EQ(commands(), before) << "the retry has its time";
  wait(config.undo_timer);
  EXPECT_EQ(removal("sw1").key, (HopKey{connection, Generation{2}, 0, 0}));
  EXPECT_EQ(commands(), before + 1);
}

// ===== retries =====

class FailuresTogether : public RerouteDetailTest, public ::testing::WithParamInterface<bool> {
 protected:
  void expect_the_sooner_retry(bool soon_fails_first) {
    config.crankbacks = 0;
    start_with_labels_for(2);
    connected(1);
    connected(2);
    topology(2, link_down());
    make();
    const HopBatch heard = take("sw1");
    ASSERT_THAT(heard.setups, SizeIs(2));
    for (const std::size_t place : {0U, 1U}) {
      const HopSetup& setup = heard.setups[GetParam() ? place : 1 - place];
      const bool soon = soon_fails_first == (place == 0);
      answer("sw1", {soon ? refused(setup, Cause::kChangeUnderWay)
                          : refused(setup, Cause::kSwitchRefused, {}, 30)});
      answer_all_switches();
    }
    ASSERT_EQ(manager().counters().reroutes_failed, 2U);
    ASSERT_GT(config.reroute_retry, milliseconds{500});
    wait(milliseconds{500});
    EXPECT_GT(manager().counters().reroutes_begun, 2U);
  }
};

// One call was refused for a moment, the other one for long: the sooner retry counts, in whichever
// order they fail.
TEST_P(FailuresTogether, TheSoonerRetryCounts) { expect_the_sooner_retry(true); }
TEST_P(FailuresTogether, TheSoonerRetryCountsWhenTheOtherFailsFirst) {
  expect_the_sooner_retry(false);
}

INSTANTIATE_TEST_SUITE_P(Calls, FailuresTogether, ::testing::Bool());

}  // namespace
}  // namespace xbind::cmgr
