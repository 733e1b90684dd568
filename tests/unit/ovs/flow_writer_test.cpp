// Groups and meters of connections, and what becomes of a change that the bridge refuses.
#include "tests/unit/ovs/ovs_table_fixture.hpp"

namespace xbind::ovs::test {
namespace {

using openflow::ErrorType;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;
using Kind = MemoryBridge::Kind;
using When = MemoryBridge::When;

constexpr std::uint32_t kFirstGroup = 0x58420000;
constexpr std::uint32_t kFirstMeter = 131'073;

MeterRate rate(std::uint32_t kbps, std::uint32_t burst_kbit) { return {kbps, burst_kbit}; }

// ----- groups -----------------------------------------------------------------------------------

class OvsGroups : public OvsTableTest {
 protected:
  std::vector<std::uint32_t> numbers() {
    std::vector<std::uint32_t> found;
    for (const auto& [number, buckets] : tables().groups()) found.push_back(number);
    return found;
  }
  // From port 2 label 20 to port 3 label 30 and port 4 label 40.
  void two_branches() {
    add(link(2, 20), link(3, 30));
    settle();
    EXPECT_EQ(done(add(link(2, 20), link(4, 40))), Code::kNone);
  }
};

TEST_F(OvsGroups, ASecondBranchMakesAGroupAndItsEndRemovesIt) {
  EXPECT_EQ(done(add(link(2, 20), link(3, 30))), Code::kNone);
  EXPECT_THAT(numbers(), IsEmpty());
  EXPECT_EQ(done(add(link(2, 20), hosts())), Code::kNone);
  EXPECT_THAT(numbers(), ElementsAre(kFirstGroup));
  EXPECT_THAT(flow(link(2, 20))->actions, ElementsAre(openflow::Group{kFirstGroup}));
  EXPECT_EQ(done(add(link(2, 20), link(4, 40))), Code::kNone);
  EXPECT_THAT(numbers(), ElementsAre(kFirstGroup)) << "the same with one more bucket";
  EXPECT_THAT(tables().groups().begin()->second, SizeIs(3));
  expect_consistent();

  EXPECT_EQ(done(remove(link(2, 20), hosts())), Code::kNone);
  EXPECT_EQ(done(remove(link(2, 20), link(3, 30))), Code::kNone);
  EXPECT_THAT(numbers(), IsEmpty());
  EXPECT_EQ(state(), "port 2 mpls 20 -> port 4 mpls 40");
  expect_consistent();
}

TEST_F(OvsGroups, GoWithTheirConnection) {
  two_branches();
  EXPECT_EQ(done(remove_tree(link(2, 20))), Code::kNone);
  EXPECT_THAT(numbers(), IsEmpty());
  EXPECT_THAT(tables().flows(), IsEmpty());
}

TEST_F(OvsGroups, OfTwoConnectionsAreTwo) {
  two_branches();
  add(link(2, 21), link(3, 31));
  settle();
  EXPECT_EQ(done(add(link(2, 21), link(4, 41))), Code::kNone);
  EXPECT_THAT(numbers(), ElementsAre(kFirstGroup, kFirstGroup + 1));
  expect_consistent();
}

TEST_F(OvsGroups, NumbersThatTheBridgeAlreadyHasAreSetAside) {
  for (const std::uint32_t number : {kFirstGroup, kFirstGroup + 2}) {
    openflow::GroupMod group;
    group.id = number;
    group.buckets = {{{openflow::Output{2}}}};
    tables().apply(group);
    openflow::FlowMod user;  // or the group would be one that our agent has forgotten
    user.priority = static_cast<std::uint16_t>(number - kFirstGroup + 1);
    user.actions = {openflow::Group{number}};
    tables().apply(user);
  }
  restart_agent();
  two_branches();
  EXPECT_THAT(numbers(), ElementsAre(kFirstGroup, kFirstGroup + 1, kFirstGroup + 2));
  EXPECT_THAT(flow(link(2, 20))->actions, ElementsAre(openflow::Group{kFirstGroup + 1}));
  EXPECT_EQ(done(remove_tree(link(2, 20))), Code::kNone);
  EXPECT_THAT(numbers(), ElementsAre(kFirstGroup, kFirstGroup + 2)) << "those of others stay";
}

class OvsOneGroup : public OvsGroups {
 protected:
  OvsOneGroup() {
    auto with = words();
    with.insert(with.end(), {"--groups", "5-5", "--meters", "6-6"});
    restart_agent(parts = parts_for(with));
  }
};

TEST_F(OvsOneGroup, WithoutANumberTheBranchIsRefusedAndTheConnectionStays) {
  two_branches();
  add(link(2, 21), link(3, 31));
  settle();
  EXPECT_EQ(done(add(link(2, 21), link(4, 41))), Code::kOutOfResources);
  EXPECT_EQ(state(),
            "port 2 mpls 20 -> port 3 mpls 30, port 4 mpls 40; port 2 mpls 21 -> port 3 mpls 31");
  expect_consistent();
  EXPECT_EQ(done(remove(link(2, 20), link(4, 40))), Code::kNone);
  EXPECT_EQ(done(add(link(2, 21), link(4, 41))), Code::kNone) << "the number has come back";
  EXPECT_THAT(numbers(), ElementsAre(5));
  expect_consistent();
}

TEST_F(OvsOneGroup, ANumberIsFreeWhenTheBridgeHasConfirmedItsEnd) {
  two_branches();
  add(link(2, 21), link(3, 31));
  settle();
  const Request freed = remove(link(2, 20), link(4, 40));
  const Request early = add(link(2, 21), link(4, 41));
  settle();
  EXPECT_EQ(code(freed), Code::kNone);
  EXPECT_EQ(code(early), Code::kOutOfResources) << "the bridge might have refused the removal";
  EXPECT_EQ(done(add(link(2, 21), link(4, 41))), Code::kNone);
  EXPECT_THAT(numbers(), ElementsAre(5));
  expect_consistent();
}

TEST_F(OvsOneGroup, WithoutAMeterNumberAMoveToAnotherInputChangesNothing) {
  EXPECT_EQ(done(add(policed(link(2, 20), link(3, 30), 1000))), Code::kNone);
  EXPECT_EQ(done(move_input(policed(link(2, 20), link(3, 30), 1000), link(2, 21))),
            Code::kOutOfResources)
      << "the number of the old input is not free yet";
  EXPECT_EQ(state(), "port 2 mpls 20 -> port 3 mpls 30");
  EXPECT_THAT(tables().meters(), ElementsAre(Pair(6, rate(384, 48))));
  ASSERT_NE(flow(link(2, 20)), nullptr);
  EXPECT_EQ(flow(link(2, 20))->meter, 6U);
  expect_consistent();
  EXPECT_EQ(done(remove_tree(link(2, 20))), Code::kNone);
  EXPECT_EQ(done(add(policed(link(2, 21), link(3, 31), 1000))), Code::kNone);
  EXPECT_EQ(flow(link(2, 21))->meter, 6U);
  expect_consistent();
}

// ----- meters -----------------------------------------------------------------------------------

class OvsMeters : public OvsTableTest {};

TEST_F(OvsMeters, AContractIsAMeterAndChangesWithIt) {
  EXPECT_EQ(done(add(policed(link(2, 20), link(3, 30), 1000))), Code::kNone);
  EXPECT_THAT(tables().meters(), ElementsAre(Pair(kFirstMeter, rate(384, 48))));
  EXPECT_EQ(flow(link(2, 20))->meter, kFirstMeter);
  EXPECT_EQ(done(add(policed(link(2, 20), link(3, 30), 2000))), Code::kNone);
  EXPECT_THAT(tables().meters(), ElementsAre(Pair(kFirstMeter, rate(768, 76))));
  EXPECT_EQ(flow(link(2, 20))->meter, kFirstMeter);
  EXPECT_EQ(done(remove_tree(link(2, 20))), Code::kNone);
  EXPECT_THAT(tables().meters(), IsEmpty());
  EXPECT_THAT(tables().flows(), IsEmpty());
}

TEST_F(OvsMeters, AContractThatEndsToBePolicedHasNoMeter) {
  EXPECT_EQ(done(add(policed(link(2, 20), link(3, 30), 1000))), Code::kNone);
  gsmp::AddBranch free = policed(link(2, 20), link(3, 30), 1000);
  free.input_traffic->tc_flags = 0;
  EXPECT_EQ(done(add(free)), Code::kNone);
  EXPECT_THAT(tables().meters(), IsEmpty());
  ASSERT_NE(flow(link(2, 20)), nullptr) << "the bridge removes the flows of a meter with it";
  EXPECT_EQ(flow(link(2, 20))->meter, std::nullopt);
  expect_consistent();
}

TEST_F(OvsMeters, AnAddWithoutAContractKeepsTheMeter) {
  EXPECT_EQ(done(add(policed(link(2, 20), link(3, 30), 1000))), Code::kNone);
  EXPECT_EQ(done(add(link(2, 20), link(3, 30))), Code::kNone);
  EXPECT_EQ(flow(link(2, 20))->meter, kFirstMeter);
}

TEST_F(OvsMeters, OneMeterPolicesAllBranches) {
  EXPECT_EQ(done(add(policed(link(2, 20), link(3, 30), 1000))), Code::kNone);
  EXPECT_EQ(done(add(policed(link(2, 20), link(4, 40), 1000))), Code::kNone);
  EXPECT_THAT(tables().meters(), SizeIs(1));
  EXPECT_EQ(flow(link(2, 20))->meter, kFirstMeter);
  EXPECT_EQ(done(remove(link(2, 20), link(3, 30))), Code::kNone);
  EXPECT_EQ(flow(link(2, 20))->meter, kFirstMeter);
  expect_consistent();
}

TEST_F(OvsMeters, AMoveToAnotherInputBringsItsOwn) {
  EXPECT_EQ(done(add(policed(link(2, 20), link(3, 30), 1000))), Code::kNone);
  EXPECT_EQ(done(move_input(policed(link(2, 20), link(3, 30), 1000), link(2, 21))), Code::kNone);
  EXPECT_THAT(tables().meters(), ElementsAre(Pair(kFirstMeter + 1, rate(384, 48))));
  EXPECT_EQ(state(), "port 2 mpls 21 -> port 3 mpls 30");
  EXPECT_EQ(flow(link(2, 21))->meter, kFirstMeter + 1);
  expect_consistent();
}

TEST_F(OvsMeters, AMeterIsRemovedBehindAPortThatIsTakenDown) {
  EXPECT_EQ(done(add(policed(link(2, 20), link(3, 30), 1000))), Code::kNone);
  EXPECT_EQ(done(manage(3, gsmp::PortFunction::kTakeDown)), Code::kNone);
  EXPECT_THAT(tables().meters(), IsEmpty());
  EXPECT_EQ(done(manage(3, gsmp::PortFunction::kBringUp)), Code::kNone);
  EXPECT_THAT(tables().meters(), ElementsAre(Pair(kFirstMeter + 1, rate(384, 48))));
  expect_consistent();
}

// ----- refusals ---------------------------------------------------------------------------------

class OvsRefusals : public OvsGroups {
 protected:
  // The connection, its group and its meter as before; nothing else.
  void expect_nothing_left(std::size_t groups, std::size_t meters) {
    EXPECT_THAT(tables().groups(), SizeIs(groups));
    EXPECT_THAT(tables().meters(), SizeIs(meters));
    expect_consistent();
  }
};

TEST_F(OvsRefusals, AFullTableRefusesAnAdd) {
  tables().flows_max = 1;
  const Request fits = add(link(2, 20), link(3, 30));
  const Request full = add(link(2, 21), link(3, 31));
  settle();
  EXPECT_EQ(code(fits), Code::kNone);
  EXPECT_EQ(code(full), Code::kOutOfResources);
  EXPECT_EQ(table().branches(), 1U);
  EXPECT_EQ(table().counters().undone, 1U);
  EXPECT_THAT(table().take_notices(),
              ElementsAre("the bridge refuses a change of port 2 mpls 21: OFPFMFC_TABLE_FULL"));
  EXPECT_EQ(done(remove_tree(link(2, 20))), Code::kNone);
  EXPECT_EQ(done(add(link(2, 21), link(3, 31))), Code::kNone);
  expect_nothing_left(0, 0);
}

TEST_F(OvsRefusals, ABidirectionalPairComesAsAWholeOrNotAtAll) {
  tables().flows_max = 1;
  gsmp::AddBranch pair = branch(link(2, 20), hosts());
  pair.input_label.flags = gsmp::kFlagBidirectional;
  EXPECT_EQ(done(add(pair)), Code::kOutOfResources);
  EXPECT_EQ(state(), "");
  expect_nothing_left(0, 0);
}

TEST_F(OvsRefusals, AnyOtherErrorIsUnspecified) {
  memory.refuse_next(Kind::kFlow, ErrorType::kFlowModFailed, 4);
  EXPECT_EQ(done(add(link(2, 20), link(3, 30))), Code::kUnspecified);
  expect_nothing_left(0, 0);
}

TEST_F(OvsRefusals, ARefusedMoveGoesBack) {
  add(link(2, 20), link(3, 30));
  settle();
  memory.refuse_next(Kind::kFlow, ErrorType::kFlowModFailed, openflow::kFlowTableFull);
  EXPECT_EQ(done(move_output(link(2, 20), link(3, 30), link(4, 40))), Code::kOutOfResources);
  EXPECT_EQ(state(), "port 2 mpls 20 -> port 3 mpls 30");
  memory.refuse_next(Kind::kFlow, ErrorType::kFlowModFailed, openflow::kFlowTableFull);
  EXPECT_EQ(done(move_input(link(2, 20), link(2, 21), link(3, 30))), Code::kOutOfResources);
  EXPECT_EQ(state(), "port 2 mpls 20 -> port 3 mpls 30");
  expect_nothing_left(0, 0);
}

TEST_F(OvsRefusals, ARequestThatWaitedForARefusedOneMeetsTheOldState) {
  add(link(2, 20), link(3, 30));
  settle();
  memory.refuse_next(Kind::kFlow, ErrorType::kFlowModFailed, openflow::kFlowTableFull);
  const Request refused = move_output(link(2, 20), link(3, 30), link(4, 40));
  const Request waits = move_output(link(2, 20), link(3, 30), link(4, 41));
  settle();
  EXPECT_EQ(code(refused), Code::kOutOfResources);
  EXPECT_EQ(code(waits), Code::kNone);
  EXPECT_EQ(state(), "port 2 mpls 20 -> port 4 mpls 41");
  expect_nothing_left(0, 0);
}

// The ways in which a bridge may refuse a part of a change of several messages.
struct Fault {
  const char* name;
  Kind kind;
  When when;
};
class EveryFault : public OvsRefusals, public ::testing::WithParamInterface<Fault> {
 protected:
  void refuse_next() {
    const auto [type, code] =
        GetParam().kind == Kind::kFlow
            ? std::pair(ErrorType::kFlowModFailed, openflow::kFlowTableFull)
            : std::pair(ErrorType::kGroupModFailed, openflow::kGroupOutOfGroups);
    memory.refuse_next(GetParam().kind, type, code, GetParam().when);
  }
};

TEST_P(EveryFault, ASecondBranchGoesBack) {
  add(link(2, 20), link(3, 30));
  settle();
  refuse_next();
  EXPECT_EQ(done(add(link(2, 20), link(4, 40))), Code::kOutOfResources);
  EXPECT_EQ(state(), "port 2 mpls 20 -> port 3 mpls 30");
  expect_nothing_left(0, 0);
}

TEST_P(EveryFault, AThirdBranchGoesBack) {
  two_branches();
  refuse_next();
  EXPECT_EQ(done(add(link(2, 20), hosts())), Code::kOutOfResources);
  EXPECT_EQ(state(), "port 2 mpls 20 -> port 3 mpls 30, port 4 mpls 40");
  expect_nothing_left(1, 0);
}

class FaultOfAFlow : public EveryFault {};  // groups are only deleted, which is never refused

TEST_P(FaultOfAFlow, ARemovedBranchComesBack) {
  two_branches();
  refuse_next();
  EXPECT_EQ(done(remove(link(2, 20), link(4, 40))), Code::kOutOfResources);
  EXPECT_EQ(state(), "port 2 mpls 20 -> port 3 mpls 30, port 4 mpls 40");
  expect_nothing_left(1, 0);
  EXPECT_EQ(done(remove(link(2, 20), link(4, 40))), Code::kNone);
  expect_nothing_left(0, 0);
}

TEST_P(FaultOfAFlow, ABranchThatMovedToAnotherInputComesBack) {
  two_branches();
  refuse_next();
  EXPECT_EQ(done(move_input(link(2, 20), link(2, 21), link(4, 40))), Code::kOutOfResources);
  EXPECT_EQ(state(), "port 2 mpls 20 -> port 3 mpls 30, port 4 mpls 40");
  expect_nothing_left(1, 0);
}

std::string name_of(const ::testing::TestParamInfo<Fault>& about) { return about.param.name; }
constexpr Fault kFlowExecuted{"FlowExecuted", Kind::kFlow, When::kExecuted};
constexpr Fault kFlowRead{"FlowRead", Kind::kFlow, When::kRead};
constexpr Fault kGroupExecuted{"GroupExecuted", Kind::kGroup, When::kExecuted};
constexpr Fault kGroupRead{"GroupRead", Kind::kGroup, When::kRead};
INSTANTIATE_TEST_SUITE_P(Of, EveryFault,
                         ::testing::Values(kFlowExecuted, kFlowRead, kGroupExecuted, kGroupRead),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Of, FaultOfAFlow, ::testing::Values(kFlowExecuted, kFlowRead), name_of);

TEST_F(OvsRefusals, APortThatIsBroughtUpStaysUpThoughTheTableIsFull) {
  EXPECT_EQ(done(add(link(2, 20), link(3, 30))), Code::kNone);
  EXPECT_EQ(done(manage(3, gsmp::PortFunction::kTakeDown)), Code::kNone);
  tables().flows_max = 1;
  EXPECT_EQ(done(add(link(2, 21), link(4, 41))), Code::kNone) << "in its place";
  const Request up = manage(3, gsmp::PortFunction::kBringUp);
  EXPECT_EQ(done(up), Code::kNone);
  EXPECT_EQ(reading<switchagent::BranchesDeleted>(up).count, 0U);
  EXPECT_EQ(fabric().port_status(PortId(3)), gsmp::PortStatus::kAvailable);
  EXPECT_THAT(reported(2), ElementsAre(std::pair(link(2, 21), link(4, 41))))
      << "the audit finds the other one missing";
  EXPECT_EQ(done(add(link(2, 20), link(3, 30))), Code::kOutOfResources) << "and repairs it";
  tables().flows_max = 2;
  EXPECT_EQ(done(add(link(2, 20), link(3, 30))), Code::kNone);
  expect_nothing_left(0, 0);
}

// The controller has been answered that connections are gone: they do not come back.
TEST_F(OvsRefusals, APortThatIsBroughtUpHasLostWhatEnteredThereThoughTheBridgeRefuses) {
  add(link(2, 20), link(3, 30));
  EXPECT_EQ(done(add(link(3, 31), link(2, 21))), Code::kNone);
  EXPECT_EQ(done(manage(3, gsmp::PortFunction::kTakeDown)), Code::kNone);
  EXPECT_EQ(state(), "");
  tables().flows_max = 0;
  const Request up = manage(3, gsmp::PortFunction::kBringUp);
  EXPECT_EQ(done(up), Code::kNone);
  EXPECT_EQ(reading<switchagent::BranchesDeleted>(up).count, 1U);
  EXPECT_EQ(table().counters().undone, 1U);
  EXPECT_EQ(table().branches(), 1U);
  EXPECT_EQ(done(remove_tree(link(3, 31))), Code::kNoSuchConnection);
  tables().flows_max = 9;
  EXPECT_EQ(done(add(link(2, 20), link(3, 30))), Code::kNone);
  expect_nothing_left(0, 0);
}

// The bridge has refused what undid the first change: that is none of the second one's errors.
TEST_F(OvsRefusals, ErrorsOfEarlierMessagesFailNoChange) {
  two_branches();
  memory.refuse_next(Kind::kFlow, ErrorType::kFlowModFailed, openflow::kFlowTableFull);
  const Request refused = add(link(2, 20), hosts());
  const Request waits = add(link(2, 20), hosts());
  settle();
  EXPECT_EQ(code(refused), Code::kOutOfResources);
  EXPECT_EQ(code(waits), Code::kNone);
  EXPECT_GT(table().bridge().counters().refused, 2U) << "a group was added again";
  EXPECT_EQ(table().counters().undone, 1U);
  EXPECT_EQ(state(), "port 2 mpls 20 -> port 1 mpls 16, port 3 mpls 30, port 4 mpls 40");
  expect_nothing_left(1, 0);
}

// A connection that needs a group and a meter at once gets both numbers or neither.
TEST_F(OvsOneGroup, WithoutAMeterNumberTheGroupsNumberIsFreeAgain) {
  EXPECT_EQ(done(add(policed(link(2, 20), hosts(), 1000))), Code::kNone);
  EXPECT_EQ(done(manage(3, gsmp::PortFunction::kTakeDown)), Code::kNone);
  EXPECT_EQ(done(manage(4, gsmp::PortFunction::kTakeDown)), Code::kNone);
  EXPECT_EQ(done(add(policed(link(2, 21), link(3, 31), 1000))), Code::kNone);
  EXPECT_EQ(done(add(policed(link(2, 21), link(4, 41), 1000))), Code::kNone);
  EXPECT_EQ(done(manage(3, gsmp::PortFunction::kBringUp)), Code::kNone);
  EXPECT_EQ(done(manage(4, gsmp::PortFunction::kBringUp)), Code::kNone);
  EXPECT_EQ(state(), "port 2 mpls 20 -> port 1 mpls 16") << "the only meter is in use";
  EXPECT_EQ(table().flows().groups_used(), 0U);
  EXPECT_EQ(table().flows().meters_used(), 1U);
  add(link(2, 22), link(3, 32));
  settle();
  EXPECT_EQ(done(add(link(2, 22), link(4, 42))), Code::kNone);
  EXPECT_EQ(done(remove_tree(link(2, 22))), Code::kNone);
  EXPECT_EQ(table().flows().groups_used(), 0U);
}

TEST_F(OvsOneGroup, APortThatIsBroughtUpStaysUpWithoutANumber) {
  two_branches();
  EXPECT_EQ(done(manage(3, gsmp::PortFunction::kTakeDown)), Code::kNone);
  EXPECT_EQ(done(add(link(2, 21), link(2, 31))), Code::kNone);
  EXPECT_EQ(done(add(link(2, 21), link(4, 41))), Code::kNone);
  EXPECT_EQ(done(manage(3, gsmp::PortFunction::kBringUp)), Code::kNone);
  EXPECT_THAT(table().take_notices(),
              ElementsAre("port 2 mpls 20 has no number for its group or meter"));
  EXPECT_EQ(state(),
            "port 2 mpls 20 -> port 4 mpls 40; port 2 mpls 21 -> port 2 mpls 31, "
            "port 4 mpls 41");
}

TEST_F(OvsRefusals, WithoutAMeterThereIsNoConnection) {
  memory.refuse_next(Kind::kMeter, ErrorType::kMeterModFailed, openflow::kMeterOutOfMeters);
  EXPECT_EQ(done(add(policed(link(2, 20), link(3, 30), 1000))), Code::kOutOfResources);
  EXPECT_EQ(state(), "");
  expect_nothing_left(0, 0);
  EXPECT_EQ(done(add(policed(link(2, 20), link(3, 30), 1000))), Code::kNone);
  expect_nothing_left(0, 1);
}

TEST_F(OvsRefusals, ARefusedContractLeavesTheOldOne) {
  EXPECT_EQ(done(add(policed(link(2, 20), link(3, 30), 1000))), Code::kNone);
  memory.refuse_next(Kind::kMeter, ErrorType::kMeterModFailed, 6);
  EXPECT_EQ(done(add(policed(link(2, 20), link(3, 30), 2000))), Code::kUnspecified);
  EXPECT_THAT(tables().meters(), ElementsAre(Pair(kFirstMeter, rate(384, 48))));
  memory.refuse_next(Kind::kFlow, ErrorType::kFlowModFailed, 4);
  EXPECT_EQ(done(add(policed(link(2, 20), link(3, 30), 2000))), Code::kUnspecified);
  EXPECT_THAT(tables().meters(), ElementsAre(Pair(kFirstMeter, rate(384, 48))));
  EXPECT_EQ(done(add(policed(link(2, 20), link(3, 30), 2000))), Code::kNone);
  EXPECT_THAT(tables().meters(), ElementsAre(Pair(kFirstMeter, rate(768, 76))));
  expect_nothing_left(0, 1);
}

TEST_F(OvsRefusals, ARefusedEndOfPolicingKeepsTheMeter) {
  EXPECT_EQ(done(add(policed(link(2, 20), link(3, 30), 1000))), Code::kNone);
  gsmp::AddBranch free = policed(link(2, 20), link(3, 30), 1000);
  free.input_traffic->tc_flags = 0;
  memory.refuse_next(Kind::kFlow, ErrorType::kFlowModFailed, 4);
  EXPECT_EQ(done(add(free)), Code::kUnspecified);
  EXPECT_EQ(state(), "port 2 mpls 20 -> port 3 mpls 30");
  ASSERT_NE(flow(link(2, 20)), nullptr);
  EXPECT_EQ(flow(link(2, 20))->meter, kFirstMeter);
  expect_nothing_left(0, 1);
}

TEST_F(OvsOneGroup, ANumberThatARefusedChangeFreedIsStillTaken) {
  two_branches();
  add(link(2, 21), link(3, 31));
  settle();
  memory.refuse_next(Kind::kFlow, ErrorType::kFlowModFailed, 4);
  EXPECT_EQ(done(remove(link(2, 20), link(4, 40))), Code::kUnspecified);
  EXPECT_EQ(done(add(link(2, 21), link(4, 41))), Code::kOutOfResources);
  EXPECT_EQ(state(),
            "port 2 mpls 20 -> port 3 mpls 30, port 4 mpls 40; port 2 mpls 21 -> port 3 mpls 31");
  expect_consistent();
}

TEST_F(OvsOneGroup, WithoutAMeterNumberThereIsNoConnection) {
  EXPECT_EQ(done(add(policed(link(2, 20), link(3, 30), 1000))), Code::kNone);
  EXPECT_EQ(done(add(policed(link(2, 21), link(3, 31), 1000))), Code::kOutOfResources);
  EXPECT_EQ(state(), "port 2 mpls 20 -> port 3 mpls 30");
  EXPECT_EQ(done(add(link(2, 21), link(3, 31))), Code::kNone);
  expect_consistent();
}

}  // namespace
}  // namespace xbind::ovs::test
