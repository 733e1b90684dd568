// One connection, hop by hop: what manager, ledger and switch have of it.
#include "cmgr/call_check.hpp"

#include "exchange.hpp"

namespace xbind::cmgr {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class CallCheckTest : public ::testing::Test {
 protected:
  static LedgerHop hop(std::uint16_t number, std::uint32_t in, std::uint32_t out) {
    LedgerHop it;
    it.key = {ConnectionId{5}, Generation{1}, 0, number};
    it.cross_connect = {PortId{1}, vci(in), PortId{2}, vci(out)};
    it.demand = {100, 10};
    it.settled = true;
    return it;
  }
  // Two switches, all the same everywhere.
  void SetUp() override {
    view_.id = ConnectionId{5};
    view_.settled = true;
    view_.hops = {{"sw1", 0, hop(0, 32, 40)}, {"sw2", 1, hop(1, 40, 50)}};
    for (const CallView::Place& place : view_.hops) {
      CallAtSwitch& there = at_[place.switch_name];
      there.hops = {place.hop};
      there.entries = {place.hop.cross_connect};
    }
  }
  CallCheck check() { return check(view_); }
  CallCheck check(const CallView& before) {
    CallLooks looks;
    for (const auto& [name, there] : at_) looks.emplace(name, there);
    for (const auto& [name, why] : away_) {
      looks.insert_or_assign(name, fail(ErrorCode::kUnreachable, "{}", why));
    }
    return compare(before, looks, view_);
  }
  // The only finding of the check, at that switch.
  static HopFinding only(const CallCheck& check, const std::string& switch_name) {
    std::vector<HopFinding> all;
    for (const SwitchCheck& one : check.switches) {
      if (!one.findings.empty()) {
        EXPECT_EQ(one.switch_name, switch_name);
      }
      all.insert(all.end(), one.findings.begin(), one.findings.end());
    }
    EXPECT_THAT(all, SizeIs(1));
    return all.empty() ? HopFinding{} : all.front();
  }
  static std::vector<HopFinding> all_of(const CallCheck& check) {
    std::vector<HopFinding> all;
    for (const SwitchCheck& one : check.switches) {
      all.insert(all.end(), one.findings.begin(), one.findings.end());
    }
    return all;
  }

  CallView view_;
  std::map<std::string, CallAtSwitch> at_;
  std::map<std::string, std::string> away_;
};

TEST_F(CallCheckTest, AgreementIsNoFinding) {
  const CallCheck all = check();
  EXPECT_TRUE(all.settled);
  ASSERT_THAT(all.switches, SizeIs(2));
  EXPECT_THAT(all_of(all), IsEmpty());
  EXPECT_FALSE(is_doubtful(all));
}

TEST_F(CallCheckTest, TheQuestionNamesLegsAndInputs) {
  view_.hops[1].hop.key.leg = 7;
  EXPECT_THAT(switches_of(view_), ElementsAre("sw1", "sw2"));
  const CallQuestion one = question_about(view_, "sw1");
  EXPECT_EQ(one.connection, ConnectionId{5});
  EXPECT_THAT(one.legs, IsEmpty()) << "0 and 1 are looked at in any case";
  EXPECT_THAT(one.inputs, ElementsAre(view_.hops[0].hop.cross_connect));
  EXPECT_THAT(question_about(view_, "sw2").legs, ElementsAre(7));
}

TEST_F(CallCheckTest, AnEntryThatTheSwitchLacksIsMissingAtItsHop) {
  at_["sw2"].entries.clear();
  at_["sw2"].differences = {
      {FindingKind::kMissingCrossConnect, {}, view_.hops[1].hop.cross_connect}};
  const HopFinding found = only(check(), "sw2");
  EXPECT_EQ(found.what.kind, FindingKind::kMissingCrossConnect);
  EXPECT_EQ(found.what.element, "sw2 port 1");
  EXPECT_EQ(found.what.text, "port 1 0/40 -> port 2 0/50 is in the ledger, not in the switch");
  EXPECT_EQ(found.number, 1);
  EXPECT_EQ(found.difference, at_["sw2"].differences[0]);
  EXPECT_TRUE(is_doubtful(check()));
}

TEST_F(CallCheckTest, OtherLabelsInTheSwitchAreChanged) {
  CrossConnect other = view_.hops[1].hop.cross_connect;
  other.output_label = vci(99);
  at_["sw2"].differences = {
      {FindingKind::kChangedCrossConnect, other, view_.hops[1].hop.cross_connect}};
  const HopFinding found = only(check(), "sw2");
  EXPECT_EQ(found.what.kind, FindingKind::kChangedCrossConnect);
  EXPECT_EQ(found.what.text,
            "port 1 0/40 -> port 2 0/99 is in the switch, port 1 0/40 -> port 2 0/50 in the "
            "ledger");
}

TEST_F(CallCheckTest, ABranchTooManyIsAStrayOfItsHop) {
  CrossConnect branch = view_.hops[1].hop.cross_connect;
  branch.output_port = PortId{3};
  at_["sw2"].differences = {{FindingKind::kStrayCrossConnect, branch, {}}};
  const HopFinding found = only(check(), "sw2");
  EXPECT_EQ(found.what.kind, FindingKind::kStrayCrossConnect);
  EXPECT_EQ(found.number, 1);
  EXPECT_THAT(found.what.text, HasSubstr("a branch that the ledger does not have"));
}

TEST_F(CallCheckTest, AHopThatTheLedgerLacksIsMissing) {
  at_["sw1"].hops.clear();
  const HopFinding found = only(check(), "sw1");
  EXPECT_EQ(found.what.kind, FindingKind::kMissingHop);
  EXPECT_EQ(found.what.element, "sw1 port 2");
  EXPECT_FALSE(found.difference);
}

TEST_F(CallCheckTest, AHopInAnotherStageIsMissingToo) {
  at_["sw1"].hops[0].stage = HopStage::kRemoving;
  const HopFinding found = only(check(), "sw1");
  EXPECT_EQ(found.what.kind, FindingKind::kMissingHop);
  EXPECT_THAT(found.what.text, HasSubstr("is removing in the ledger, committed for the manager"));
}

TEST_F(CallCheckTest, AHopThatTheManagerDoesNotHaveIsStray) {
  LedgerHop stray = hop(3, 60, 61);
  at_["sw1"].hops.push_back(stray);
  const HopFinding found = only(check(), "sw1");
  EXPECT_EQ(found.what.kind, FindingKind::kStrayHop);
  EXPECT_EQ(found.number, 3);
  EXPECT_EQ(found.stray, stray);
  view_.owed = {stray.key};
  EXPECT_THAT(all_of(check()), IsEmpty()) << "its removal is owed";
}

TEST_F(CallCheckTest, ALedgerWithOtherLabelsDiffersFromTheManager) {
  at_["sw1"].hops[0].cross_connect.output_label = vci(77);
  const HopFinding found = only(check(), "sw1");
  EXPECT_EQ(found.what.kind, FindingKind::kChangedCrossConnect);
  EXPECT_EQ(found.what.text,
            "the ledger has port 1 0/32 -> port 2 0/77, the manager port 1 0/32 -> port 2 0/40");
  EXPECT_FALSE(found.difference) << "nobody knows which is right";
}

TEST_F(CallCheckTest, AnotherContractAndAnotherDemandAreFindings) {
  at_["sw2"].hops[0].demand.cells_per_s = 150;
  at_["sw2"].hops[0].contract.category = ServiceCategory::kUbr;
  at_["sw2"].hops[0].contract.pcr_cells_per_s = 5;
  const auto found = all_of(check());
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_EQ(found[0].what.kind, FindingKind::kChangedCrossConnect);
  EXPECT_EQ(found[1].what.kind, FindingKind::kLeakedBandwidth);
  EXPECT_EQ(found[1].what.amount, 50U);
}

TEST_F(CallCheckTest, ASwitchThatIsNotReadAndOneThatIsNotReachedAreUnreadable) {
  at_["sw1"].unreadable = "away";
  away_["sw2"] = "no answer";
  const CallCheck all = check();
  const auto found = all_of(all);
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_EQ(found[0].what.kind, FindingKind::kUnreadable);
  EXPECT_EQ(found[0].what.text, "away");
  EXPECT_EQ(found[1].what.text, "no answer");
  EXPECT_EQ(all.switches[1].unreachable, "no answer");
  EXPECT_FALSE(is_doubtful(all)) << "another look would not help";
}

TEST_F(CallCheckTest, ACallThatChangesIsNotJudged) {
  at_["sw1"].hops.clear();
  CallView before = view_;
  before.hops[0].hop.key.generation = Generation{2};
  EXPECT_FALSE(check(before).settled);
  EXPECT_THAT(all_of(check(before)), IsEmpty());
  view_.settled = false;
  EXPECT_FALSE(check().settled);
}

TEST_F(CallCheckTest, AHoldIsReservedInTheLedgerAndInNoSwitch) {
  for (CallView::Place& place : view_.hops) {
    place.hop.stage = HopStage::kReserved;
    place.hop.cross_connect.input_label = {};
    CallAtSwitch& there = at_[place.switch_name];
    there.hops[0].stage = HopStage::kReserved;
    there.hops[0].settled = false;
    there.entries.clear();
  }
  EXPECT_THAT(all_of(check()), IsEmpty());
  EXPECT_THAT(question_about(view_, "sw1").inputs, IsEmpty());
}

TEST_F(CallCheckTest, OnlyWhatTwoLooksFindCounts) {
  at_["sw1"].hops.clear();
  const CallCheck first = check();
  EXPECT_THAT(all_of(seen_twice(first, check())), SizeIs(1));
  at_["sw1"].hops = {view_.hops[0].hop};
  at_["sw2"].unreadable = "away";
  const auto left = all_of(seen_twice(first, check()));
  ASSERT_THAT(left, SizeIs(1));
  EXPECT_EQ(left[0].what.kind, FindingKind::kUnreadable);
}

TEST_F(CallCheckTest, WhatHasBeenSeenIsRepaired) {
  at_["sw1"].hops.push_back(hop(3, 60, 61));
  at_["sw2"].differences = {
      {FindingKind::kMissingCrossConnect, {}, view_.hops[1].hop.cross_connect}};
  EXPECT_THAT(repairs_of(check(), {}), IsEmpty());
  // Findings that came over the wire have only their texts.
  std::vector<HopFinding> seen;
  for (const HopFinding& one : all_of(check())) seen.push_back({one.leg, one.number, one.what});
  const auto repairs = repairs_of(check(), seen);
  ASSERT_THAT(repairs, SizeIs(2));
  EXPECT_EQ(repairs[0].switch_name, "sw1");
  EXPECT_THAT(repairs[0].stray_hops, SizeIs(1));
  EXPECT_EQ(repairs[1].differences, at_["sw2"].differences);
  view_.settled = false;
  EXPECT_THAT(repairs_of(check(), seen), IsEmpty()) << "the call is changing";
}

// ===== at the bounds =====

TEST_F(CallCheckTest, ALedgerEntryWhoseCommandIsOnItsWayToTheSwitchIsNotCompared) {
  LedgerHop& theirs = at_["sw2"].hops[0];
  theirs.settled = false;
  theirs.demand.cells_per_s = 150;
  theirs.cross_connect.output_label = vci(99);
  theirs.contract.pcr_cells_per_s = 5;
  EXPECT_THAT(all_of(check()), IsEmpty());
  theirs.settled = true;
  EXPECT_THAT(all_of(check()), SizeIs(3)) << "each of the three differences";
}

TEST_F(CallCheckTest, AQuestionNamesAtMostTheLegsThatASwitchServerTakes) {
  view_.hops.clear();
  for (std::size_t i = 0; i < kCallLegsMax + 44; ++i) {
    CallView::Place place{"sw1", 0, hop(0, 32, static_cast<std::uint32_t>(1'000 + i))};
    place.hop.key.leg = static_cast<std::uint16_t>(2 + i);
    place.hop.branch = true;
    view_.hops.push_back(place);
  }
  const CallQuestion question = question_about(view_, "sw1");
  EXPECT_THAT(question.legs, SizeIs(kCallLegsMax));
  EXPECT_EQ(question.legs.back(), 2 + kCallLegsMax - 1);
  EXPECT_THAT(question.inputs, SizeIs(1)) << "the branches share their input";
  view_.hops.resize(kCallLegsMax);
  EXPECT_THAT(question_about(view_, "sw1").legs, SizeIs(kCallLegsMax));
  view_.hops.resize(kCallLegsMax - 1);
  EXPECT_THAT(question_about(view_, "sw1").legs, SizeIs(kCallLegsMax - 1));
}

// An extra entry belongs to the first of the hops with its input; a missing one to its own hop.
TEST_F(CallCheckTest, OfBranchesWithOneInputTheFirstIsNamedOrTheOneThatLacksItsEntry) {
  view_.hops.clear();
  for (const std::uint16_t leg : std::initializer_list<std::uint16_t>{0, 2, 3}) {
    CallView::Place place{"sw1", 0, hop(0, 32, 40U + leg)};
    place.hop.key.leg = leg;
    place.hop.branch = leg != 0;
    place.hop.cross_connect.output_port = PortId{2U + leg};
    view_.hops.push_back(place);
  }
  at_.erase("sw2");
  at_["sw1"].hops = {view_.hops[0].hop, view_.hops[1].hop, view_.hops[2].hop};
  CrossConnect extra = view_.hops[0].hop.cross_connect;
  extra.output_port = PortId{9};
  at_["sw1"].differences = {{FindingKind::kStrayCrossConnect, extra, {}}};
  EXPECT_EQ(only(check(), "sw1").leg, 0);
  for (const std::size_t i : {0U, 1U, 2U}) {
    at_["sw1"].differences = {
        {FindingKind::kMissingCrossConnect, {}, view_.hops[i].hop.cross_connect}};
    EXPECT_EQ(only(check(), "sw1").leg, view_.hops[i].hop.key.leg);
  }
}

class CallViewTest : public ExchangeTest {};

TEST_F(CallViewTest, AnUnknownConnectionHasNoView) {
  start();
  EXPECT_FALSE(manager().view_of_call(ConnectionId{7}));
}

}  // namespace
}  // namespace xbind::cmgr
