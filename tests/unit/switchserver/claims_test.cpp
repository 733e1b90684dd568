// A SwitchServer that restarts with an empty ledger, and managers that claim what they have there.
#include "claims_fixture.hpp"

namespace xbind {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST_F(ClaimsTest, ClaimedHopsStandAndTheSwitchIsLeftAlone) {
  const HopSetup another = committed(2, 41);
  const HopClaims claims = claims_of();
  const auto before = fake.table;
  const int adds = fake.adds;
  restart();
  EXPECT_EQ(holder_of(old.output_label), LabelHolder::kUnclaimed);
  attach();
  EXPECT_THAT(claim(claims).refused, IsEmpty());
  EXPECT_EQ(books().hops().size(), 2U);
  EXPECT_EQ(fake.table, before);
  EXPECT_EQ(fake.adds, adds);
  EXPECT_EQ(holder_of(old.output_label), LabelHolder::kConnection);
  EXPECT_EQ(books().usage(kOut)->hops, controller.ledger().usage(kOut)->hops);
  EXPECT_THAT(look(), IsEmpty());
  // What it described before, it describes again.
  HopClaims again{
      next().held_hops("a", 0, 100, now).hops, next().held_hops("a", 0, 100, now).owners, {}, true};
  EXPECT_EQ(again, claims);

  EXPECT_EQ(remove(another.key), removed(another.key, another.output_label));
  EXPECT_EQ(holder_of(another.output_label), LabelHolder::kQuarantine);
  EXPECT_FALSE(fake.table.contains(cross(another)));
}

TEST_F(ClaimsTest, ACallBeginsAndEndsAtOneSwitch) {
  const HopSetup whole = whole_path(7);
  commits(whole);
  const HopClaims claims = claims_of();
  restart();
  attach();
  EXPECT_THAT(claim(claims).refused, IsEmpty());
  EXPECT_EQ(books().usage(kIn)->ingress_cells_per_s,
            controller.ledger().usage(kIn)->ingress_cells_per_s);
  EXPECT_THAT(look(), IsEmpty());
  EXPECT_EQ(remove(whole.key).cause, Cause::kNone);
  EXPECT_EQ(books().usage(kIn)->ingress_cells_per_s, 0U);
  EXPECT_THAT(fake.table, SizeIs(1)) << "the other hop's";
}

// Of two hops the one with the higher revision has heard of the last owner (found_gaps.hpp).
TEST_F(ClaimsTest, AClaimedHopKeepsTheRevisionOfItsLastChange) {
  HopClaims claims = claims_of();
  claims.hops.at(0).revision = 2;
  claims.hops[0].shown_id = ConnectionId{77};
  restart();
  attach();
  claim(claims);
  const HeldHops held = next().held_hops("a", 0, 100, now);
  ASSERT_THAT(held.hops, SizeIs(1));
  EXPECT_EQ(held.hops[0].revision, 2U);
  EXPECT_EQ(held.hops[0].shown_id, ConnectionId{77});
}

TEST_F(ClaimsTest, WhatTheSwitchLacksIsPutBack) {
  const HopClaims claims = claims_of();
  restart();
  attach();
  fake.table.clear();
  next().on_driver(driver::Up{ports(), false}, now);  // it has restarted, too
  claim(claims);
  EXPECT_TRUE(fake.table.contains(cross(old)));
  EXPECT_EQ(next().counters().put_back, 1U);
  EXPECT_THAT(look(), IsEmpty());
}

TEST_F(ClaimsTest, AContractThatIsInDoubtIsAssertedAgain) {
  HopClaims claims = claims_of();
  claims.hops.at(0).settled = false;
  restart();
  attach();
  claim(claims);
  EXPECT_EQ(next().counters().reasserted, 1U);
}

TEST_F(ClaimsTest, ARemovalThatIsOwedIsCarriedOut) {
  HopClaims claims = claims_of();
  claims.hops.at(0).stage = HopStage::kRemoving;
  claims.hops.at(0).owner = kNoOwner;
  restart();
  attach();
  claim(claims);
  EXPECT_FALSE(fake.table.contains(cross(old)));
  const auto outputs = next().take_outputs();
  ASSERT_THAT(outputs.unasked, SizeIs(1));
  EXPECT_EQ(outputs.unasked[0].result, removed(old.key, old.output_label));
  EXPECT_EQ(holder_of(old.output_label), LabelHolder::kQuarantine);
}

TEST_F(ClaimsTest, AHopThatIsRemovedBetweenTwoPagesLeavesNothingBehind) {
  HopClaims page = claims_of();
  page.last = false;
  restart();
  attach();
  claim(page);
  EXPECT_EQ(remove(old.key), removed(old.key, old.output_label));
  EXPECT_EQ(books().labels().input_label(old.input_port, old.input_label)->holder,
            LabelHolder::kFree);
  claim({{}, {}, {}, true});
  EXPECT_EQ(next().entries_of_nobody(), 0U);
  ASSERT_TRUE(next().give_back("a", {old.output_port, {old.output_label}}, {}).has_value());
  EXPECT_EQ(holder_of(old.output_label), LabelHolder::kFree);
  EXPECT_EQ(books().labels().unclaimed_labels(), 0U);
  EXPECT_THAT(look(), IsEmpty());
}

TEST_F(ClaimsTest, AnOwedHopWhoseLabelNoAnswerNamedIsFoundByTheOther) {
  for (const bool input : {true, false}) {
    SCOPED_TRACE(input);
    HopClaims claims = claims_of();
    CrossConnect& known = claims.hops.at(0).cross_connect;
    (input ? known.input_label : known.output_label) = {};
    claims.hops.at(0).stage = HopStage::kRemoving;
    fake.table.insert(cross(old));
    restart();
    attach();
    claim(claims);
    EXPECT_FALSE(fake.table.contains(cross(old)));
    EXPECT_EQ(books().hops().size(), 0U);
  }
}

TEST_F(ClaimsTest, OfSeveralEntriesThatAnOwedHopMayHaveNoneIsRemoved) {
  CrossConnect another = cross(old);
  another.input_label = atm_label(0, 60);
  fake.table.insert(another);
  HopClaims claims = claims_of();
  claims.hops.at(0).cross_connect.input_label = {};
  claims.hops.at(0).stage = HopStage::kRemoving;
  restart();
  attach();
  claim(claims);
  EXPECT_EQ(fake.table, (std::set{cross(old), another}));
  EXPECT_EQ(next().entries_of_nobody(), 2U);
}

TEST_F(ClaimsTest, AnOwedHopThatTheSwitchDoesNotHaveIsGone) {
  HopClaims claims = claims_of();
  claims.hops.at(0).stage = HopStage::kRemoving;
  fake.table.clear();
  const int removes = fake.removes;
  restart();
  attach();
  claim(claims);
  EXPECT_EQ(books().hops().size(), 0U);
  EXPECT_EQ(fake.removes, removes);
  EXPECT_EQ(holder_of(old.output_label), LabelHolder::kQuarantine);
}

TEST_F(ClaimsTest, LabelsThatTheFarEndMayHaveRest) {
  restart();
  attach();
  HopClaims claims{{}, {}, {{kEnd, {atm_label(0, 40)}}}, true};
  EXPECT_THAT(claim(claims).quarantined, ElementsAre(PortLabels{kEnd, {atm_label(0, 40)}}));
  EXPECT_EQ(holder_of(atm_label(0, 40), kEnd), LabelHolder::kQuarantine);
}

TEST_F(ClaimsTest, TheClaimsOfOneManagerDoNotCompleteThoseOfAnother) {
  HopClaims claims = claims_of();
  claims.hops.at(0).stage = HopStage::kRemoving;
  claims.last = false;
  restart({{{"a", Epoch{1}}, {"b", Epoch{1}}}});
  attach();
  attach("b");
  claim(claims);
  claim({{}, {}, {}, true}, "b");
  EXPECT_TRUE(fake.table.contains(cross(old))) << "more pages of a may follow";
  claim({{}, {}, {}, true});
  EXPECT_FALSE(fake.table.contains(cross(old)));
}

TEST_F(ClaimsTest, AnInputStaysBlockedWhileAnotherEntryBeginsThere) {
  const CrossConnect stray{old.input_port, old.input_label, kEnd, atm_label(0, 60)};
  fake.table.insert(stray);
  const HopClaims claims = claims_of();
  restart();
  attach();
  claim(claims);
  EXPECT_EQ(remove(old.key).cause, Cause::kNone);
  EXPECT_EQ(books().labels().input_label(old.input_port, old.input_label)->holder,
            LabelHolder::kUnclaimed);
  EXPECT_TRUE(fake.table.contains(stray));
}

TEST_F(ClaimsTest, AnOutputStaysBlockedWhileAnotherEntryEndsThere) {
  const CrossConnect stray{old.input_port, atm_label(0, 70), old.output_port, old.output_label};
  fake.table.insert(stray);
  const HopClaims claims = claims_of();
  restart();
  attach();
  claim(claims);
  EXPECT_EQ(remove(old.key).cause, Cause::kNone);
  EXPECT_EQ(holder_of(old.output_label), LabelHolder::kQuarantine);
  ASSERT_TRUE(next().give_back("a", {old.output_port, {old.output_label}}, {}).has_value());
  EXPECT_EQ(holder_of(old.output_label), LabelHolder::kUnclaimed);
  EXPECT_TRUE(fake.table.contains(stray));
}

// ----- two paths of one call ------------------------------------------------------------------

TEST_F(ClaimsTest, APathThatTookOverStandsAboveTheEarlierOneInAnyOrder) {
  commits(later);
  HopClaims claims = claims_of();
  ASSERT_THAT(claims.hops, SizeIs(2));
  for (int order = 0; order < 2; ++order) {
    SCOPED_TRACE(order);
    restart();
    attach();
    claim(claims);
    const auto upper = books().hops().find(*books().managers().find("a"), later.key);
    const auto lower = books().hops().find(*books().managers().find("a"), old.key);
    ASSERT_TRUE(upper && lower);
    EXPECT_TRUE(books().stacks().superseded(*lower));
    EXPECT_EQ(books().stacks().below(*upper), lower);
    EXPECT_TRUE(fake.table.contains(cross(later)));
    EXPECT_THAT(look(), IsEmpty());
    std::swap(claims.hops[0], claims.hops[1]);
  }
}

TEST_F(ClaimsTest, APathThatIsGivenUpLeadsBack) {
  commits(later);
  HopClaims claims = claims_of();
  for (LedgerHop& hop : claims.hops) {
    if (hop.key == later.key) hop.stage = HopStage::kRemoving;
  }
  restart();
  attach();
  claim(claims);
  EXPECT_TRUE(fake.table.contains(cross(old)));
  EXPECT_FALSE(fake.table.contains(cross(later)));
  EXPECT_EQ(books().hops().size(), 1U);
  EXPECT_THAT(look(), IsEmpty());
}

TEST_F(ClaimsTest, TheSwitchIsLedToThePathThatTheManagerHas) {
  commits(later);
  const HopClaims claims = claims_of();
  fake.table = {cross(old)};  // the request to move had not arrived
  restart();
  attach();
  claim(claims);
  EXPECT_EQ(fake.table, std::set{cross(later)});
  EXPECT_EQ(fake.branches, 0);
}

TEST_F(ClaimsTest, PathsThatMeetAgainShareTheirOutput) {
  const HopSetup joining = join(old, kIn, 50);
  commits(joining);
  const HopClaims claims = claims_of();
  restart();
  attach();
  EXPECT_THAT(claim(claims).refused, IsEmpty());
  EXPECT_EQ(books().usage(kOut)->hops, controller.ledger().usage(kOut)->hops);
  EXPECT_THAT(look(), IsEmpty());
  EXPECT_EQ(remove(old.key).output_label, Label{}) << "the other hop has it";
}

// ----- others wait -------------------------------------------------------------------------------

TEST_F(ClaimsTest, NothingNewIsAdmittedBeforeEveryManagerHasClaimed) {
  const HopClaims claims = claims_of();
  restart({{{"a", Epoch{1}}, {"b", Epoch{3}}}});
  attach("b", Epoch{3});
  claim({{}, {}, {}, true}, "b");
  EXPECT_TRUE(next().settling().pending());
  EXPECT_THAT(next().grant("b", kOut, 4, {100, 0}, now)->labels, IsEmpty());
  EXPECT_EQ(commit(whole_path(8), "b").cause, Cause::kSwitchUnreachable);
  EXPECT_THAT(look(), ElementsAre(testing::Field(&Finding::kind, FindingKind::kUnreadable)))
      << "unclaimed is not stray";

  attach();
  claim(claims);
  EXPECT_FALSE(next().settling().pending());
  EXPECT_THAT(next().grant("b", kOut, 4, {}, now)->labels, SizeIs(4));
  EXPECT_EQ(commit(whole_path(8), "b").cause, Cause::kNone);
  EXPECT_THAT(look(), IsEmpty());
}

// What the change would take may be promised to a hop that is claimed later: claims are not refused
// for want of room.
TEST_F(ClaimsTest, NoHopGetsMoreBeforeEveryManagerHasClaimed) {
  const HopClaims claims = claims_of();
  restart({{{"a", Epoch{1}}, {"b", Epoch{3}}}});
  attach();
  claim(claims);
  ASSERT_TRUE(next().settling().pending());
  EXPECT_EQ(change(old.key, 1, {90, 10}).cause, Cause::kNone);
  EXPECT_EQ(change(old.key, 2, {95, 10}).cause, Cause::kSwitchUnreachable);
  EXPECT_EQ(books().usage(kOut)->hops, (Resources{90, 10}));

  attach("b", Epoch{3});
  claim({{}, {}, {}, true}, "b");
  ASSERT_FALSE(next().settling().pending());
  EXPECT_EQ(change(old.key, 3, {95, 10}).cause, Cause::kNone);
}

TEST_F(ClaimsTest, TheWaitHasAnEndAndUnclaimedEntriesStay) {
  restart({{{"a", Epoch{1}}, {"gone", Epoch{2}}}});
  attach();
  EXPECT_EQ(next().wake_at(), now + std::chrono::seconds{15});
  now = next().wake_at();
  next().on_time(now);
  EXPECT_FALSE(next().settling().pending());
  EXPECT_THAT(next().grant("a", kOut, 1, {}, now)->labels, SizeIs(1));
  EXPECT_TRUE(fake.table.contains(cross(old)));
  EXPECT_EQ(holder_of(old.output_label), LabelHolder::kUnclaimed);
  const auto is = [](FindingKind kind) { return testing::Field(&Finding::kind, kind); };
  EXPECT_THAT(look(), ElementsAre(is(FindingKind::kUnreadable))) << "it may be a silent manager's";
  claim({{}, {}, {}, true});
  EXPECT_THAT(look(), ElementsAre(is(FindingKind::kUnreadable)));
  EXPECT_TRUE(next().forget("gone").has_value());
  EXPECT_THAT(look(), ElementsAre(is(FindingKind::kStrayCrossConnect))) << "nobody is left";
}

TEST_F(ClaimsTest, NobodyWaitsForAManagerThatIsForgotten) {
  restart({{{"gone", Epoch{2}}}});
  EXPECT_TRUE(next().settling().pending());
  EXPECT_EQ(next().forget("gone"), 0U);
  EXPECT_FALSE(next().settling().pending());
  EXPECT_THAT(next().known_managers(), IsEmpty());
}

TEST_F(ClaimsTest, WhoDoesNotKnowTheManagersWaitsForTheTime) {
  restart(std::nullopt);
  attach();
  claim({{}, {}, {}, true});
  EXPECT_TRUE(next().settling().pending());
  // An entry goes from kTrunk to kOut.
  EXPECT_THAT(next().grant("a", kOut, 1, {}, now)->labels, IsEmpty());
  HopSetup through = whole_path(8);
  through.input_port = kTrunk;
  EXPECT_EQ(commit(through).cause, Cause::kSwitchUnreachable);
  EXPECT_EQ(commit(whole_path(9)).cause, Cause::kNone) << "between other ports";
  EXPECT_THAT(next().grant("a", kEnd, 1, {}, now)->labels, SizeIs(1));
}

TEST_F(ClaimsTest, AFirstStartWaitsForNobody) {
  EXPECT_FALSE(controller.settling().pending());
  EXPECT_EQ(controller.wake_at(), kNever);
}

// ----- what is refused -------------------------------------------------------------------------

TEST_F(ClaimsTest, ALabelOfAnotherConnectionIsNotClaimed) {
  HopClaims claims = claims_of();
  restart({{{"a", Epoch{1}}, {"b", Epoch{1}}}});
  attach();
  claim(claims);
  attach("b");
  const ClaimsTaken taken = claim(claims, "b");
  EXPECT_THAT(taken.refused,
              ElementsAre(testing::Field(&HopResult::cause, Cause::kForeignInputLabel)));
  EXPECT_EQ(next().counters().claims_refused, 1U);
  claims.hops[0].cross_connect.input_label = atm_label(0, 55);
  claims.hops[0].key.connection = ConnectionId{8};
  EXPECT_THAT(claim(claims, "b").refused,
              ElementsAre(testing::Field(&HopResult::cause, Cause::kLabelNotHeld)));
}

// The label of an owed removal may be another call's by now: the removal is done.
TEST_F(ClaimsTest, ARemovalIsRefusedForALabelOfOthersOnlyIfTheSwitchHasTheEntry) {
  LedgerHop owed = claims_of().hops.at(0);
  owed.key.connection = ConnectionId{8};
  owed.stage = HopStage::kRemoving;
  owed.settled = true;
  owed.owner = kNoOwner;
  owed.cross_connect.output_port = kEnd;
  owed.cross_connect.output_label = atm_label(0, 60);
  for (const bool there : {false, true}) {
    SCOPED_TRACE(there);
    if (there) fake.table.insert(owed.cross_connect);
    const HopClaims claims = claims_of();
    restart({{{"a", Epoch{1}}, {"b", Epoch{1}}}});
    attach();
    claim(claims);
    attach("b");
    const ClaimsTaken taken = claim({{owed}, {}, {}, true}, "b");
    EXPECT_EQ(next().counters().claims_refused, there ? 1U : 0U);
    ASSERT_THAT(taken.refused, SizeIs(there ? 1 : 0));
    if (there) {
      EXPECT_EQ(taken.refused[0].cause, Cause::kForeignInputLabel);
    }
    EXPECT_EQ(fake.table.contains(owed.cross_connect), there);
    EXPECT_TRUE(fake.table.contains(cross(old)));
  }
}

TEST_F(ClaimsTest, ImpossibleClaimsAreRefusedByTheirCause) {
  const LedgerHop good = claims_of().hops.at(0);
  const auto refused = [&](LedgerHop bad) {
    const ClaimsTaken taken = claim({{std::move(bad)}, {}, {}, false});
    return taken.refused.empty() ? Cause::kNone : taken.refused[0].cause;
  };
  restart();
  attach();
  LedgerHop bad = good;
  bad.cross_connect.output_port = PortId{99};
  EXPECT_EQ(refused(bad), Cause::kUnknownPort);
  bad = good;
  bad.cross_connect.input_label = atm_label(0, 99);  // outside the port's range
  EXPECT_EQ(refused(bad), Cause::kInvalidRequest);
  bad = good;
  bad.hop_count = 1;  // it is number 1
  bad.key.hop = 1;
  EXPECT_EQ(refused(bad), Cause::kInvalidRequest);
  bad = good;
  bad.stage = HopStage::kReserved;  // and not held
  EXPECT_EQ(refused(bad), Cause::kInvalidRequest);
  bad = good;
  bad.stage = HopStage::kCommitting;
  EXPECT_EQ(refused(bad), Cause::kInvalidRequest);
  EXPECT_EQ(refused(good), Cause::kNone);
  EXPECT_EQ(refused(good), Cause::kNone) << "a repetition";
  EXPECT_EQ(books().hops().size(), 1U);
}

TEST_F(ClaimsTest, NothingIsClaimedBeforeTheTableHasBeenRead) {
  SwitchControllerOptions options{.name = "sw"};
  options.known = {{"a", Epoch{1}}};
  next_.emplace(options, fake);
  attach();
  EXPECT_EQ(next().claim("a", {{}, {}, {}, true}, now).error().code, ErrorCode::kUnreachable);
  next().on_driver(driver::Up{ports(), true}, now);
  EXPECT_EQ(next().claim("a", {{}, {}, {}, true}, now).error().code, ErrorCode::kUnreachable);
  answers();
  EXPECT_TRUE(next().claim("a", {{}, {}, {}, true}, now).has_value());
  EXPECT_EQ(next().claim("b", {{}, {}, {}, true}, now).error().code, ErrorCode::kNotFound);
}

TEST_F(ClaimsTest, EarlierEpochsStayFencedOff) {
  restart({{{"a", Epoch{7}}}});
  EXPECT_EQ(next().epochs_of("a").newest, Epoch{7});
  EXPECT_EQ(next().attach("a", Epoch{6}).error().code, ErrorCode::kFenced);
  EXPECT_THAT(next().known_managers(), ElementsAre(KnownManager{"a", Epoch{7}}));
}

TEST_F(ClaimsTest, AHoldIsClaimedAndCanBeCommitted) {
  HopSetup held = reserve(whole_path(5));
  held.held = true;
  held.hold_ms = 60'000;
  EXPECT_EQ(run(setup(held)).results.at(0).cause, Cause::kNone);
  now += std::chrono::seconds{20};
  const HopClaims claims = claims_of();
  EXPECT_EQ(claims.hops.back().hold_left, std::chrono::seconds{40});
  restart();
  attach();
  EXPECT_THAT(claim(claims).refused, IsEmpty());
  now += std::chrono::seconds{30};
  EXPECT_EQ(next().held_hops("a", 0, 10, now).hops.back().hold_left, std::chrono::seconds{10});
  EXPECT_EQ(commit(whole_path(5)).cause, Cause::kNone);
  EXPECT_THAT(look(), IsEmpty());
}

}  // namespace
}  // namespace xbind
