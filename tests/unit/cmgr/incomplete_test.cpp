// Calls of an earlier epoch of which the manager does not know all hops: what requests about them
// are answered, and how they are shown.
#include "recovery_fixture.hpp"

namespace xbind::cmgr {
namespace {

using ::testing::HasSubstr;

class IncompleteTest : public RecoveryTest {
 protected:
  // The manager restarts and serves without that switch.
  void serve_without(const std::string& unread) {
    restart({unread});
    manager().serve_with_switches_missing(now);
    finish();
  }
  void expect_incomplete(ConnectionId id) {
    const auto call = manager().incomplete(id);
    ASSERT_TRUE(call.has_value());
    const Outcome refused = outcome();
    EXPECT_EQ(refused.kind, OutcomeKind::kRefused);
    EXPECT_EQ(refused.cause, Cause::kIncomplete);
    EXPECT_EQ(refused.connection, id);
    EXPECT_EQ(refused.element, call->element);
    EXPECT_EQ(refused.reason, call->words());
    EXPECT_EQ(explain(refused), "incomplete: " + call->words());
  }
  // Its owner knows the call under another id, which the hop at sw1 has.
  void is_shown_as(ConnectionId shown) {
    held_["sw1"].front().shown_id = shown;
    held_["sw1"].front().revision = 3;
  }
};

TEST_F(IncompleteTest, OnlyItsReleaseIsTaken) {
  holds_call(earlier(1));
  serve_without("sw2");
  modify(1, earlier(1), cells(50));
  expect_incomplete(earlier(1));
  commit(2, earlier(1));
  expect_incomplete(earlier(1));
  add_leaf(3, earlier(1), "cy");
  expect_incomplete(earlier(1));
  drop_leaf(4, earlier(1), "bob");
  expect_incomplete(earlier(1));
  for (const char* name : {"sw1", "sw3"}) EXPECT_TRUE(silent(name)) << "no switch is sent anything";
  release(5, earlier(1));
  EXPECT_EQ(outcome().kind, OutcomeKind::kReleased);
  modify(6, earlier(1), cells(50));
  EXPECT_EQ(outcome().cause, Cause::kBusy) << "sw2 may still have a hop of it";
}

TEST_F(IncompleteTest, ItIsNamedByTheIdThatItsOwnerKnows) {
  holds_call(earlier(1));
  is_shown_as(earlier(2));
  serve_without("sw2");
  modify(1, earlier(2), cells(50));
  expect_incomplete(earlier(2));
  EXPECT_EQ(manager().incomplete(earlier(1))->shown, earlier(2)) << "audits name it by its own";
  EXPECT_THAT(manager().list_all(ConnectionId{}, 10), ElementsAre(earlier(2)));
  release(2, earlier(2));
  EXPECT_EQ(outcome().owed.removals, 2U);
  come_back("sw2");
  wait(milliseconds{1});
  for (const char* name : {"sw1", "sw2", "sw3"}) {
    EXPECT_EQ(removal(name).key.connection, earlier(1));
  }
  EXPECT_THAT(manager().list_all(ConnectionId{}, 10), IsEmpty());
}

TEST_F(IncompleteTest, ItStaysReleasedAlthoughTheHopWithThatIdIsReadLater) {
  holds_call(earlier(1));
  is_shown_as(earlier(2));
  serve_without("sw1");
  release(1, earlier(2));
  EXPECT_EQ(outcome().cause, Cause::kUnknownConnection) << "nobody who was read knows this id";
  come_back("sw1");
  wait(milliseconds{1});
  for (const char* name : {"sw1", "sw2", "sw3"}) {
    EXPECT_EQ(removal(name).key.connection, earlier(1));
  }
  EXPECT_THAT(manager().list_all(ConnectionId{}, 10), IsEmpty());
}

TEST_F(IncompleteTest, ItIsListedBetweenTheOthersPageByPage) {
  for (const std::uint32_t number : {1U, 3U}) {
    holds("sw1", earlier(number), 0, 1, 500 + number, 10, 40 + number);
  }
  client_.to = "ann";  // from sw1 to itself
  LedgerHop& whole = holds("sw1", earlier(2), 0, 1, 510, 2, 610);
  whole.hop_count = 1;
  serve_without("sw2");
  EXPECT_THAT(manager().list(ConnectionId{}, 10), ElementsAre(earlier(2)));
  EXPECT_THAT(manager().list_all(ConnectionId{}, 10),
              ElementsAre(earlier(1), earlier(2), earlier(3)));
  EXPECT_THAT(manager().list_all(ConnectionId{}, 2), ElementsAre(earlier(1), earlier(2)));
  EXPECT_THAT(manager().list_all(earlier(2), 2), ElementsAre(earlier(3)));
  EXPECT_FALSE(manager().describe(earlier(1)).has_value());
  EXPECT_FALSE(manager().incomplete(earlier(2)).has_value());
  EXPECT_EQ(manager().gauges().incomplete, 2U);
  EXPECT_EQ(manager().gauges().connections, 1U);
}

TEST_F(IncompleteTest, TheHopsThatAreKnownAreShownInOrder) {
  holds_call(earlier(1));
  holds_leaf(earlier(1));
  serve_without("sw1");
  const auto call = manager().incomplete(earlier(1));
  ASSERT_TRUE(call.has_value());
  std::vector<std::pair<int, int>> places;
  for (const FoundHop* const hop : hops_in_order(*call)) {
    places.emplace_back(hop->hop.key.leg, hop->hop.key.hop);
  }
  EXPECT_THAT(places,
              ElementsAre(std::pair{0, 1}, std::pair{0, 2}, std::pair{2, 0}, std::pair{2, 1}));
}

// A second call would find its way: only the leaf's switch has not been read.
TEST_F(IncompleteTest, TheRepeatedRequestOfItsSetupDoesNotSetUpASecondCall) {
  holds_call(earlier(1));
  holds_leaf(earlier(1));
  serve_without("sw4");
  learn_route();
  connect(9);
  const Outcome busy = outcome();
  EXPECT_EQ(busy.kind, OutcomeKind::kBusy);
  EXPECT_EQ(busy.connection, earlier(1));
  EXPECT_THAT(busy.reason, HasSubstr(manager().incomplete(earlier(1))->words()));
  EXPECT_EQ(manager().gauges().connections, 0U);
  connect(9);
  EXPECT_EQ(outcome().kind, OutcomeKind::kBusy) << "as often as it is asked";

  come_back("sw4");
  connect(9);
  const Outcome stands = outcome();
  EXPECT_EQ(stands.kind, OutcomeKind::kConnected);
  EXPECT_EQ(stands.connection, earlier(1));
}

TEST_F(IncompleteTest, AnOutcomeThatItsClientHasNotConfirmedStays) {
  holds_call(earlier(1));
  holds_leaf(earlier(1));
  serve_without("sw4");
  clients_.at("mia").deaf = true;
  connect(9);
  come_back("sw4");
  clients_.at("mia").deaf = false;
  connect(9);
  wait(seconds{5});  // the first answer is sent again
  const std::vector<Outcome> heard = reported();
  ASSERT_THAT(heard, SizeIs(2));
  EXPECT_EQ(heard[0].kind, OutcomeKind::kBusy);
  EXPECT_EQ(heard[0].connection, earlier(1));
  EXPECT_EQ(heard[1], heard[0]);
  connect(9);
  EXPECT_EQ(outcome().kind, OutcomeKind::kConnected) << "it has been confirmed";
}

TEST_F(IncompleteTest, TheSameNumberOfAnotherClientOrEpochIsANewCall) {
  holds_call(earlier(1));
  holds_leaf(earlier(1));
  serve_without("sw4");
  learn_route();
  log_in("leo");
  connect(9, "leo");
  EXPECT_THAT(reported("leo"), IsEmpty()) << "it is being set up";
  log_in("mia", 2);
  connect(9);
  EXPECT_THAT(reported(), IsEmpty()) << "the client has restarted";
  EXPECT_EQ(manager().gauges().connections, 2U);
}

TEST_F(IncompleteTest, AnIdThatIsNotKnownIsBusyWhileSwitchesAreNotRead) {
  serve_without("sw2");
  modify(1, earlier(7), cells(50));
  const Outcome busy = outcome();
  EXPECT_EQ(busy.kind, OutcomeKind::kBusy);
  EXPECT_EQ(busy.element, "switches not read since the restart");
}

// ===== release of an id that nobody has =====

TEST_F(IncompleteTest, TheReleaseOfAnIdThatNobodyHasIsUnknownWhileSwitchesAreNotRead) {
  holds_call(earlier(1));
  restart({"sw1", "sw2", "sw3"});
  manager().serve_with_switches_missing(now);
  release(1, earlier(1));
  const Outcome unknown = outcome();
  EXPECT_EQ(unknown.kind, OutcomeKind::kRefused);
  EXPECT_EQ(unknown.cause, Cause::kUnknownConnection);
  EXPECT_THAT(unknown.reason, HasSubstr("3 switches"));
  EXPECT_THAT(explain(unknown), HasSubstr("alarm calls-incomplete"));
  for (const char* name : {"sw1", "sw2", "sw3"}) come_back(name);
  wait(milliseconds{1});
  for (const char* name : {"sw1", "sw2", "sw3"}) all_done(name);
  EXPECT_THAT(manager().list_all(ConnectionId{}, 10), IsEmpty()) << "it is released nevertheless";
  EXPECT_EQ(manager().gauges().owed, 0U);
  release(2, earlier(1));
  EXPECT_EQ(outcome().kind, OutcomeKind::kReleased);
}

TEST_F(IncompleteTest, TheReleaseOfAnIdThatNobodyHasIsUnknownWhileEntriesAreNobodys) {
  restart();
  release(1, earlier(77));
  EXPECT_EQ(outcome().kind, OutcomeKind::kReleased);
  manager().note_entries_of_nobody("sw2", 12, now);
  manager().note_entries_of_nobody("sw3", 1, now);
  release(2, earlier(77));
  const Outcome unknown = outcome();
  EXPECT_EQ(unknown.kind, OutcomeKind::kRefused);
  EXPECT_EQ(unknown.cause, Cause::kUnknownConnection);
  EXPECT_EQ(explain(unknown),
            fmt::format("unknown connection at manager: connection {}; it may be among the entries "
                        "that nobody has claimed at sw2, sw3 (`xbindctl audit`, alarm "
                        "entries-of-nobody)",
                        earlier(77)));
  manager().note_entries_of_nobody("sw2", 0, now);
  manager().note_entries_of_nobody("sw3", 0, now);
  release(3, earlier(77));
  EXPECT_EQ(outcome().kind, OutcomeKind::kReleased);
  release(4, ConnectionId{77});
  EXPECT_EQ(explain(outcome()), "unknown connection at manager: connection 77")
      << "no epoch has given it out";
}

TEST_F(IncompleteTest, TheReleaseOfAnIdThatNobodyHasIsUnknownWhileClaimsAreAwaited) {
  restart();
  manager().note_entries_of_nobody("sw2", kEntriesUnknown, now);
  release(1, earlier(77));
  EXPECT_EQ(explain(outcome()),
            fmt::format("unknown connection at manager: connection {}; not known yet which entries "
                        "nobody has at sw2 (`xbindctl alarms`: claims-awaited, switch-away)",
                        earlier(77)));
  manager().note_entries_of_nobody("sw1", 2, now);
  release(2, earlier(77));
  EXPECT_THAT(explain(outcome()), HasSubstr("claimed at sw1 (`xbindctl audit`, alarm "
                                            "entries-of-nobody); not known yet which entries"));
  manager().note_entries_of_nobody("sw1", 0, now);
  manager().note_entries_of_nobody("sw2", 0, now);
  release(3, earlier(77));
  EXPECT_EQ(outcome().kind, OutcomeKind::kReleased);
}

TEST_F(IncompleteTest, AFigureThatIsNotKnownIsAskedForAgain) {
  restart();
  manager().note_entries_of_nobody("sw2", kEntriesUnknown, now);
  EXPECT_THAT(claims_done, IsEmpty()) << "not at once";
  wait(SwitchDesk::kDebtRetry);
  EXPECT_THAT(std::exchange(claims_done, {}), ElementsAre("sw2"));
  manager().claims_finished("sw2", claims_done_in, std::nullopt, now);
  wait(SwitchDesk::kDebtRetry);
  EXPECT_THAT(claims_done, IsEmpty()) << "after a longer pause";
  wait(SwitchDesk::kDebtRetry);
  EXPECT_THAT(std::exchange(claims_done, {}), ElementsAre("sw2"));
  release(1, earlier(77));
  EXPECT_EQ(outcome().cause, Cause::kUnknownConnection);
  manager().claims_finished("sw2", claims_done_in, 0, now);
  release(2, earlier(77));
  EXPECT_EQ(outcome().kind, OutcomeKind::kReleased);
  wait(SwitchDesk::kEntriesPauseMax);
  EXPECT_THAT(claims_done, IsEmpty());
}

// ===== audits =====

TEST_F(IncompleteTest, AnAuditTakesItsHopsForNoStrays) {
  holds_call(earlier(1));
  serve_without("sw2");
  LedgerReport report;
  report.hops = held_["sw1"];
  const ManagerView view = manager().view_of("sw1");
  EXPECT_THAT(compare("sw1", view, report, view), IsEmpty());
}

TEST_F(IncompleteTest, StraysAreLeftAloneWhereItLacksHops) {
  holds_call(earlier(1));
  serve_without("sw2");
  const std::string lacking = manager().incomplete(earlier(1))->element;
  LedgerReport report;
  report.findings = {{FindingKind::kStrayCrossConnect, lacking + " port 20", "a stray", 1}};
  const ManagerView lacks = manager().view_of(lacking);
  EXPECT_TRUE(lacks.lacks_hops);
  EXPECT_THAT(repairs_of(lacking, lacks, report, lacks, report.findings).for_switch_server,
              IsEmpty());
  const ManagerView other = manager().view_of("sw4");
  EXPECT_FALSE(other.lacks_hops);
  EXPECT_THAT(repairs_of("sw4", other, report, other, report.findings).for_switch_server,
              SizeIs(1));
}

TEST_F(IncompleteTest, ALookAtItNeverJudges) {
  holds_call(earlier(1));
  is_shown_as(earlier(2));
  serve_without("sw2");
  const auto view = manager().view_of_call(earlier(2));
  ASSERT_TRUE(view.has_value());
  EXPECT_EQ(view->id, earlier(1));
  EXPECT_THAT(switches_of(*view), ElementsAre("sw1", "sw3"));
  const CallCheck check = compare(*view, {{"sw1", CallAtSwitch{}}, {"sw3", CallAtSwitch{}}}, *view);
  EXPECT_FALSE(check.settled);
  for (const SwitchCheck& one : check.switches) EXPECT_THAT(one.findings, IsEmpty());
}

// ===== alarm, clear =====

TEST_F(IncompleteTest, TheAlarmCountsThemBySwitchAndSaysWhyTheFirstOneIs) {
  for (const std::uint32_t number : {3U, 1U, 2U}) {
    holds("sw1", earlier(number), 0, 1, 500 + number, 10, 40 + number);
  }
  serve_without("sw2");
  const auto first = manager().incomplete(earlier(1));
  EXPECT_THAT(alarms(), ElementsAre(fmt::format(
                            "manager m: 3 earlier calls are incomplete: 3 at {}; {}: {}; 1 switch "
                            "has not been read for earlier calls",
                            first->element, earlier(1), first->words())));
  for (const std::uint64_t number : {1U, 2U, 3U}) release(number, earlier(number));
  EXPECT_THAT(alarms(), ElementsAre("manager m: 1 switch has not been read for earlier calls"));
  come_back("sw2");
  EXPECT_THAT(alarms(), IsEmpty());
}

TEST_F(IncompleteTest, AnOperatorsEndByForceLeavesItsReleaseToDo) {
  holds_call(earlier(1));
  serve_without("sw2");
  EXPECT_FALSE(manager().end_by_force(earlier(1), now).stood);
  manager().release_local(RequestId{1}, earlier(1), now, EndWhy::kByForce);
  finish();
  ASSERT_THAT(local_, SizeIs(1));
  EXPECT_EQ(local_[0].second.kind, OutcomeKind::kReleased);
  EXPECT_EQ(local_[0].second.owed.removals, 2U);
  const EventPage page = manager().calls_after(0, 10, {now, 0});
  ASSERT_THAT(page.events, SizeIs(2));
  EXPECT_EQ(page.events[0].kind, EventKind::kIncomplete);
  EXPECT_EQ(page.events[1].kind, EventKind::kEnded);
  EXPECT_EQ(page.events[1].object, "mia");
  EXPECT_EQ(page.events[1].text, "an operator has ended it by force");
}

}  // namespace
}  // namespace xbind::cmgr
