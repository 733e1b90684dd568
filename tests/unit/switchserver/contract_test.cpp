// Traffic contracts in the controller: sent with the add, sent again by a modify, restored with the
// cross-connect. Also ports that begin a new session.
#include "controller_fixture.hpp"

namespace xbind {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr TrafficContract kSlow{ServiceCategory::kCbr, 100, 250};
constexpr TrafficContract kFast{ServiceCategory::kCbr, 300, 250};

class ContractTest : public SwitchControllerTest {
 protected:
  HopSetup slow(std::uint64_t connection = 1, std::uint32_t input_vci = 40) {
    HopSetup setup = middle(connection, input_vci, cache_one());
    setup.contract = kSlow;
    EXPECT_EQ(run({{setup}, {}, {}}).results.at(0).cause, Cause::kNone);
    return setup;
  }
  static HopBatch modify(const HopSetup& setup, std::uint32_t revision, Resources demand,
                         const TrafficContract& contract) {
    HopBatch batch;
    batch.modifies = {{setup.key, revision, demand, contract}};
    return batch;
  }
  HopRef hop(const HopSetup& setup) const {
    const auto manager = controller.ledger().managers().find("a");
    return *controller.ledger().hops().find(*manager, setup.key);
  }
  const HopRecord& record(const HopSetup& setup) const {
    return controller.ledger().hops().hop(hop(setup));
  }
  Resources taken() const { return controller.ledger().usage(kOut)->taken; }
};

TEST_F(ContractTest, GoesToTheSwitchWithTheAdd) {
  const HopSetup setup = slow();
  EXPECT_EQ(fake.contracts.at(cross(setup)), kSlow);
}

TEST_F(ContractTest, AReservationsContractGoesWithItsCommit) {
  HopSetup setup = middle(1, 40, cache_one());
  setup.contract = kSlow;
  HopSetup first = reserve(setup);
  first.output_label = setup.output_label;
  run({{first}, {}, {}});
  // manager --> modify while it is reserved, then the commit with the contract of the reservation
  EXPECT_THAT(run(modify(setup, 1, {300, 10}, kFast)).results,
              ElementsAre(done(setup.key, HopAction::kModify)));
  EXPECT_EQ(run({{setup}, {}, {}}).results.at(0).cause, Cause::kNone);
  EXPECT_EQ(fake.contracts.at(cross(setup)), kFast);
}

TEST_F(ContractTest, AModifyIsDoneWhenTheSwitchHasConfirmedIt) {
  const HopSetup setup = slow();
  // manager --> modify;  --> Add Branch with the new contract
  apply(modify(setup, 1, {300, 10}, kFast));
  EXPECT_TRUE(no_results());
  EXPECT_EQ(taken(), (Resources{300, 10}));
  EXPECT_FALSE(record(setup).settled());
  // <-- success;  manager <-- done
  answer_all();
  EXPECT_THAT(result().results, ElementsAre(done(setup.key, HopAction::kModify)));
  EXPECT_EQ(fake.contracts.at(cross(setup)), kFast);
  EXPECT_EQ(record(setup).contract(), kFast);
  EXPECT_TRUE(record(setup).settled());
  EXPECT_EQ(controller.counters().contracts_told, 1U);
  EXPECT_EQ(controller.counters().modifies, 1U);
}

TEST_F(ContractTest, MoreThatTheSwitchRefusesIsUndone) {
  const HopSetup setup = slow();
  fake.refuse_add = [](const CrossConnect&) { return std::uint8_t{18}; };
  EXPECT_THAT(run(modify(setup, 1, {300, 10}, kFast)).results,
              ElementsAre(refused(setup.key, HopAction::kModify, Cause::kSwitchRefused, 18)));
  EXPECT_EQ(taken(), (Resources{100, 10}));
  EXPECT_EQ(record(setup).contract(), kSlow);
  EXPECT_EQ(controller.ledger().extras().revision(hop(setup)), 0U);
  EXPECT_FALSE(HopFsm::stale(record(setup).state()));
  EXPECT_EQ(controller.counters().contracts_refused, 1U);
}

TEST_F(ContractTest, AHopIsListedWithWhatTheSwitchCannotRefuse) {
  const HopSetup setup = slow();
  const auto listed = [&] { return controller.held_hops("a", 0, 10, now).hops.at(0); };
  apply(modify(setup, 1, {300, 10}, kFast));
  EXPECT_EQ(listed().demand, (Resources{100, 10}));
  EXPECT_EQ(listed().contract, kSlow);
  EXPECT_FALSE(listed().settled);
  answer_all();
  EXPECT_EQ(listed().contract, kFast);
  apply(modify(setup, 2, {100, 10}, kSlow));
  EXPECT_EQ(listed().demand, (Resources{100, 10}));
  EXPECT_EQ(listed().contract, kSlow);
  EXPECT_FALSE(listed().settled);
}

TEST_F(ContractTest, AHopWhoseContractTheSwitchMayNotHaveIsListedAsNotSettled) {
  const HopSetup setup = slow();
  const auto listed = [&] { return controller.held_hops("a", 0, 10, now).hops.at(0); };
  apply(modify(setup, 1, {300, 10}, kFast));
  answer_with(Cause::kTimeout);
  EXPECT_THAT(result().results,
              ElementsAre(refused(setup.key, HopAction::kModify, Cause::kTimeout, 0)));
  EXPECT_EQ(listed().contract, kSlow);
  EXPECT_FALSE(listed().settled) << "the switch may have kFast";
  run(modify(setup, 2, {100, 10}, kSlow));
  EXPECT_TRUE(listed().settled);
}

TEST_F(ContractTest, LessIsDoneWhateverTheSwitchSays) {
  const HopSetup setup = slow();
  run(modify(setup, 1, {300, 10}, kFast));
  apply(modify(setup, 2, {100, 10}, kSlow));
  EXPECT_EQ(taken(), (Resources{300, 10})) << "until the switch has answered";
  answer_with(Cause::kTimeout);
  EXPECT_THAT(result().results, ElementsAre(done(setup.key, HopAction::kModify)));
  EXPECT_EQ(taken(), (Resources{100, 10}));
  EXPECT_TRUE(HopFsm::stale(record(setup).state()));
}

TEST_F(ContractTest, WhatTheSwitchMayNotHaveHeardIsToldWhenItIsReadAgain) {
  const HopSetup setup = slow();
  run(modify(setup, 1, {300, 10}, kFast));
  session_breaks();
  EXPECT_THAT(run(modify(setup, 2, {100, 10}, kSlow)).results,
              ElementsAre(done(setup.key, HopAction::kModify)));
  EXPECT_EQ(fake.contracts.at(cross(setup)), kFast);
  // The switch is back with its table;  --> Report Connection State;  --> Add Branch
  controller.on_driver(driver::Up{ports(), true}, now);
  answer_all();
  EXPECT_EQ(fake.contracts.at(cross(setup)), kSlow);
  EXPECT_FALSE(HopFsm::stale(record(setup).state()));
  EXPECT_EQ(controller.counters().reasserted, 1U);
}

TEST_F(ContractTest, ASwitchThatForgotGetsTheContractBack) {
  const HopSetup setup = slow();
  run(modify(setup, 1, {300, 10}, kFast));
  session_breaks();
  fake.table.clear();
  fake.contracts.clear();
  controller.on_driver(driver::Up{ports(), false}, now);
  answer_all();
  EXPECT_EQ(fake.contracts.at(cross(setup)), kFast);
}

TEST_F(ContractTest, ASessionThatBreaksInTheMiddleUndoesMoreAndTellsTheOldContract) {
  const HopSetup setup = slow();
  apply(modify(setup, 1, {300, 10}, kFast));
  session_breaks();
  EXPECT_THAT(result().results,
              ElementsAre(refused(setup.key, HopAction::kModify, Cause::kSwitchUnreachable)));
  EXPECT_EQ(fake.contracts.at(cross(setup)), kFast) << "it had arrived";
  controller.on_driver(driver::Up{ports(), true}, now);
  answer_all();
  EXPECT_EQ(fake.contracts.at(cross(setup)), kSlow);
  EXPECT_EQ(taken(), (Resources{100, 10}));
}

TEST_F(ContractTest, AModifyBehindAnotherWaitsItsTurn) {
  const HopSetup setup = slow();
  apply(modify(setup, 1, {300, 10}, kFast), 1);
  // The manager takes the change back because another hop has refused it.
  apply(modify(setup, 2, {100, 10}, kSlow), 2);
  apply(modify(setup, 2, {100, 10}, kSlow), 3);  // repeated
  EXPECT_TRUE(no_results());
  answer();
  EXPECT_THAT(result(1).results, ElementsAre(done(setup.key, HopAction::kModify)));
  answer();
  const auto outputs = controller.take_outputs();
  ASSERT_THAT(outputs.results, SizeIs(2));
  HopResult second = done(setup.key, HopAction::kModify);
  second.revision = 2;
  for (const auto& out : outputs.results) {
    EXPECT_THAT(out.batch.results, ElementsAre(second)) << "which of the changes it answers";
  }
  EXPECT_EQ(fake.contracts.at(cross(setup)), kSlow);
  EXPECT_EQ(taken(), (Resources{100, 10}));
}

TEST_F(ContractTest, OtherNumbersUnderARevisionThatIsBeingToldAreStale) {
  constexpr TrafficContract kOther{ServiceCategory::kCbr, 200, 250};
  const HopSetup setup = slow();
  const auto stale = [&](std::uint32_t revision) {
    HopResult result = refused(setup.key, HopAction::kModify, Cause::kStale, revision);
    result.free = revision;
    return result;
  };
  apply(modify(setup, 1, {300, 10}, kFast), 1);
  apply(modify(setup, 1, {200, 10}, kOther), 2);
  EXPECT_THAT(result(2).results, ElementsAre(stale(1)));
  // The same applies to the modify that waits behind it.
  apply(modify(setup, 2, {100, 10}, kSlow), 3);
  apply(modify(setup, 2, {200, 10}, kOther), 4);
  EXPECT_THAT(result(4).results, ElementsAre(stale(2)));
  answer_all();
  EXPECT_EQ(fake.contracts.at(cross(setup)), kSlow);
  EXPECT_EQ(controller.ledger().extras().revision(hop(setup)), 2U);
  EXPECT_EQ(taken(), (Resources{100, 10}));
}

TEST_F(ContractTest, AThirdTakesThePlaceOfTheSecond) {
  const HopSetup setup = slow();
  apply(modify(setup, 1, {300, 10}, kFast), 1);
  apply(modify(setup, 2, {200, 10}, {ServiceCategory::kCbr, 200, 250}), 2);
  apply(modify(setup, 3, {100, 10}, kSlow), 3);
  HopResult stale = refused(setup.key, HopAction::kModify, Cause::kStale, 2);
  stale.free = 3;
  EXPECT_THAT(result(2).results, ElementsAre(stale));
  answer_all();
  EXPECT_THAT(controller.take_outputs().results, SizeIs(2));
  EXPECT_EQ(record(setup).contract(), kSlow);
}

TEST_F(ContractTest, ARemovalInTheMiddleOfAModifyEndsBoth) {
  const HopSetup setup = slow();
  apply(modify(setup, 1, {300, 10}, kFast), 1);
  apply({{}, {{setup.key, 0}}, {}}, 2);
  answer_all();
  const auto outputs = controller.take_outputs();
  ASSERT_THAT(outputs.results, SizeIs(2));
  HopResult ended = refused(setup.key, HopAction::kModify, Cause::kBeingReleased, 1);
  ended.revision = 1;
  EXPECT_THAT(outputs.results[0].batch.results, ElementsAre(ended));
  EXPECT_THAT(outputs.results[1].batch.results,
              ElementsAre(removed(setup.key, setup.output_label)));
  EXPECT_THAT(fake.table, IsEmpty());
  EXPECT_EQ(taken(), Resources{});
}

TEST_F(ContractTest, AModifyWhileItIsPutBackWaitsForThat) {
  const HopSetup setup = slow();
  session_breaks();
  fake.table.clear();
  controller.on_driver(driver::Up{ports(), false}, now);
  apply(modify(setup, 1, {300, 10}, kFast));
  EXPECT_TRUE(no_results());
  answer();
  EXPECT_EQ(fake.contracts.at(cross(setup)), kFast) << "queued behind the old one";
  answer();
  EXPECT_THAT(result().results, ElementsAre(done(setup.key, HopAction::kModify)));
}

// ----- ports ----------------------------------------------------------------------------------

TEST_F(ContractTest, HopsOfAPortThatBeganANewSessionAreAddedOnceMore) {
  const HopSetup setup = slow();
  run({{whole_path(2)}, {}, {}});  // enters at another port
  const int adds = fake.adds;
  fake.table.erase(cross(setup));
  controller.on_driver(driver::Ports{ports(), {kTrunk}}, now);
  EXPECT_EQ(fake.adds, adds + 1);
  answer_all();
  EXPECT_TRUE(fake.table.contains(cross(setup)));
  EXPECT_EQ(fake.contracts.at(cross(setup)), kSlow);
  EXPECT_EQ(controller.counters().reasserted, 1U);
  EXPECT_EQ(controller.counters().port_changes, 1U);
  EXPECT_TRUE(controller.up()) << "nothing was interrupted";
}

TEST_F(ContractTest, APortThatIsDownShowsInTheBooksAndHurtsNoCall) {
  const HopSetup setup = slow();
  auto now_down = ports();
  now_down[3].up = false;
  apply({{middle(2, 41, cache_one())}, {}, {}});
  controller.on_driver(driver::Ports{now_down, {}}, now);
  EXPECT_FALSE(controller.ledger().ports().present().at(3).up);
  answer_all();
  EXPECT_EQ(result().results.at(0).cause, Cause::kNone)
      << "an open setup is not refused when its port goes down";
  EXPECT_TRUE(record(setup).settled());
}

TEST_F(ContractTest, WhatWasRefusedForAnOldPortSessionIsAskedAgain) {
  const HopSetup setup = middle(1, 40, cache_one());
  apply({{setup}, {}, {}});
  auto refused_once = std::get<driver::Done>(fake.answers.front().event);
  fake.answers.pop_front();
  fake.table.clear();
  refused_once.cause = Cause::kSwitchRefused;
  refused_once.failure_code = 5;
  refused_once.again = true;
  controller.on_driver(refused_once, now);
  EXPECT_TRUE(no_results());
  answer_all();
  EXPECT_EQ(result().results.at(0).cause, Cause::kNone);
  EXPECT_TRUE(fake.table.contains(cross(setup)));
}

TEST_F(ContractTest, AnAddRefusedForAnOldPortSessionIsNotRepeatedBehindItsRemoval) {
  const HopSetup setup = middle(1, 40, cache_one());
  fake.refuse_add = [](const CrossConnect&) { return std::uint8_t{5}; };
  apply({{setup}, {{setup.key, 1}}, {}});
  auto refused_once = std::get<driver::Done>(fake.answers.front().event);
  fake.answers.pop_front();
  refused_once.again = true;
  fake.refuse_add = [](const CrossConnect&) { return std::uint8_t{0}; };
  controller.on_driver(refused_once, now);
  answer_all();
  EXPECT_THAT(fake.table, IsEmpty());
}

// ----- counters -------------------------------------------------------------------------------

TEST_F(ContractTest, CountersComeWithTheirToken) {
  fake.cells[kOut].output_cells = 99;
  ASSERT_TRUE(controller.read_statistics(kOut, {}, 7).has_value());
  answer_all();
  const auto outputs = controller.take_outputs();
  ASSERT_THAT(outputs.statistics, SizeIs(1));
  EXPECT_EQ(outputs.statistics[0].token, 7U);
  EXPECT_EQ(outputs.statistics[0].cause, Cause::kNone);
  EXPECT_EQ(outputs.statistics[0].counters.output_cells, 99U);
}

TEST_F(ContractTest, CountersOfASwitchThatIsAwayCannotBeRead) {
  ASSERT_TRUE(controller.read_statistics(kOut, {}, 7).has_value());
  session_breaks();
  const auto outputs = controller.take_outputs();
  ASSERT_THAT(outputs.statistics, SizeIs(1));
  EXPECT_EQ(outputs.statistics[0].cause, Cause::kSwitchUnreachable);
  EXPECT_EQ(controller.read_statistics(kOut, {}, 8).error().code, ErrorCode::kUnreachable);
}

TEST_F(ContractTest, CountersAreReadUpToABoundAtATime) {
  constexpr SwitchController::Token kMost = 1024;
  for (SwitchController::Token token = 1; token <= kMost; ++token) {
    ASSERT_TRUE(controller.read_statistics(kOut, {}, token).has_value()) << token;
  }
  EXPECT_EQ(controller.read_statistics(kOut, {}, kMost + 1).error().code, ErrorCode::kExhausted);
  answer();
  EXPECT_TRUE(controller.read_statistics(kOut, {}, kMost + 1).has_value());
  answer_all();
  EXPECT_THAT(controller.take_outputs().statistics, SizeIs(kMost + 1));
}

TEST_F(ContractTest, NoPortNoCounters) {
  EXPECT_EQ(controller.read_statistics(PortId{9}, {}, 7).error().code, ErrorCode::kNotFound);
}

TEST_F(ContractTest, AModifyWhileTheCommitIsOnItsWayIsToldBehindIt) {
  HopSetup setup = middle(1, 40, cache_one());
  setup.contract = kSlow;
  apply({{setup}, {}, {}}, 1);
  apply(modify(setup, 1, {300, 10}, kFast), 2);
  EXPECT_THAT(result(2).results, ElementsAre(done(setup.key, HopAction::kModify)));
  answer();
  EXPECT_EQ(fake.contracts.at(cross(setup)), kFast);
  EXPECT_TRUE(HopFsm::add_open(record(setup).state()));
  answer_all();
  EXPECT_FALSE(HopFsm::stale(record(setup).state()));
}

TEST_F(ContractTest, MoreBandwidthWithASlowerContractIsUndoneWhenTheSwitchRefuses) {
  constexpr TrafficContract kSlower{ServiceCategory::kCbr, 50, 250};
  const HopSetup setup = slow();
  fake.refuse_add = [](const CrossConnect&) { return std::uint8_t{18}; };
  EXPECT_THAT(run(modify(setup, 1, {300, 10}, kSlower)).results,
              ElementsAre(refused(setup.key, HopAction::kModify, Cause::kSwitchRefused, 18)));
  EXPECT_EQ(taken(), (Resources{100, 10}));
}

TEST_F(ContractTest, AModifyThatWaitsWhenTheSessionBreaksIsToldToNobody) {
  const HopSetup setup = slow();
  apply(modify(setup, 1, {300, 10}, kFast), 1);
  apply(modify(setup, 2, {400, 10}, {ServiceCategory::kCbr, 400, 250}), 2);
  const int adds = fake.adds;
  session_breaks();
  EXPECT_EQ(fake.adds, adds);
  const auto outputs = controller.take_outputs();
  ASSERT_THAT(outputs.results, SizeIs(2));
  for (const auto& results : outputs.results) {
    EXPECT_EQ(results.batch.results.at(0).cause, Cause::kSwitchUnreachable) << results.token;
  }
}

}  // namespace
}  // namespace xbind
