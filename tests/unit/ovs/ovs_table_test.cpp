// Changes of the table: what each request makes of the bridge, in which order, and what is refused.
#include "ovs/ovs_table.hpp"

#include "tests/unit/ovs/ovs_table_fixture.hpp"

namespace xbind::ovs::test {
namespace {

using gsmp::PortFunction;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class OvsTableChanges : public OvsTableTest {};

// ----- connections ------------------------------------------------------------------------------

TEST_F(OvsTableChanges, AnAddIsAnsweredWhenTheBridgeHasConfirmedIt) {
  const Request added = add(link(2, 20), link(3, 30));
  EXPECT_EQ(table().branches(), 1U);
  EXPECT_EQ(table().changes_open(), 1U);
  made->carry_to_bridge();
  EXPECT_EQ(state(), "port 2 mpls 20 -> port 3 mpls 30");
  EXPECT_EQ(code(added), std::nullopt);
  EXPECT_EQ(done(added), Code::kNone);
  EXPECT_EQ(table().changes_open(), 0U);
  EXPECT_EQ(flow(link(2, 20))->cookie, parts.table.layout.cookie);
  expect_consistent();
}

TEST_F(OvsTableChanges, RequestsAreOneBatchWithOneBarrier) {
  const std::size_t before = memory.received();
  for (std::uint32_t label = 20; label < 30; ++label) add(link(2, label), link(3, label));
  settle();
  EXPECT_EQ(codes.size(), 10U);
  EXPECT_EQ(memory.received(), before + 11);
  EXPECT_EQ(table().bridge().counters().batches, 1U);
}

TEST_F(OvsTableChanges, HostsAreConnectedByTheirTraffic) {
  EXPECT_EQ(done(add(hosts(), link(2, 20))), Code::kNone);
  EXPECT_EQ(done(add(link(2, 20), hosts())), Code::kNone);
  EXPECT_EQ(done(add(frames("vlan 5"), link(2, 21))), Code::kNone);
  EXPECT_EQ(done(add(frames("class 7"), link(3, 22))), Code::kNone);
  EXPECT_EQ(state(),
            "port 1 mpls 16 -> port 2 mpls 20; port 1 mpls 4101 -> port 2 mpls 21; "
            "port 1 mpls 8199 -> port 3 mpls 22; port 2 mpls 20 -> port 1 mpls 16");
  expect_consistent();
}

TEST_F(OvsTableChanges, AddingABranchAgainChangesNothing) {
  EXPECT_EQ(done(add(link(2, 20), link(3, 30))), Code::kNone);
  memory.count(flow(link(2, 20))->match, flow(link(2, 20))->priority, 480);
  EXPECT_EQ(done(add(link(2, 20), link(3, 30))), Code::kNone);
  EXPECT_EQ(table().branches(), 1U);
  EXPECT_EQ(flow(link(2, 20))->octets, 480U) << "it goes on counting";
}

TEST_F(OvsTableChanges, ABidirectionalPairIsTwoFlows) {
  gsmp::AddBranch pair = branch(link(2, 20), hosts());
  pair.input_label.flags = gsmp::kFlagBidirectional;
  EXPECT_EQ(done(add(pair)), Code::kNone);
  EXPECT_EQ(state(), "port 1 mpls 16 -> port 2 mpls 20; port 2 mpls 20 -> port 1 mpls 16");
  EXPECT_EQ(done(add(pair)), Code::kBidirectionalExists);
  EXPECT_EQ(done(remove_tree(hosts())), Code::kNone);
  EXPECT_EQ(state(), "port 2 mpls 20 -> port 1 mpls 16");
  expect_consistent();
}

TEST_F(OvsTableChanges, MovesOfBothEnds) {
  add(link(2, 20), link(3, 30));
  EXPECT_EQ(done(move_output(link(2, 20), link(3, 30), link(4, 40))), Code::kNone);
  EXPECT_EQ(state(), "port 2 mpls 20 -> port 4 mpls 40");
  EXPECT_EQ(done(move_input(link(2, 20), hosts(), link(4, 40))), Code::kNone);
  EXPECT_EQ(state(), "port 1 mpls 16 -> port 4 mpls 40");
  EXPECT_EQ(done(move_input(hosts(), hosts(), link(4, 40))), Code::kNone);
  EXPECT_EQ(state(), "port 1 mpls 16 -> port 4 mpls 40");
  EXPECT_EQ(done(move_input(link(2, 20), link(2, 21), link(4, 40))), Code::kNoSuchConnection);
  EXPECT_EQ(done(move_output(hosts(), link(3, 30), link(4, 41))), Code::kNoSuchBranch);
  expect_consistent();
}

TEST_F(OvsTableChanges, OneBranchOfSeveralMovesToAnotherInput) {
  add(link(2, 20), link(3, 30));
  settle();
  add(link(2, 20), link(4, 40));
  settle();
  EXPECT_EQ(done(move_input(link(2, 20), link(2, 21), link(4, 40))), Code::kNone);
  EXPECT_EQ(state(), "port 2 mpls 20 -> port 3 mpls 30; port 2 mpls 21 -> port 4 mpls 40");
  EXPECT_THAT(tables().groups(), IsEmpty());
  expect_consistent();
}

TEST_F(OvsTableChanges, Deletes) {
  add(link(2, 20), link(3, 30));
  EXPECT_EQ(done(remove(link(2, 20), link(3, 31))), Code::kNoSuchBranch);
  EXPECT_EQ(done(remove(link(2, 21), link(3, 30))), Code::kNoSuchConnection);
  EXPECT_EQ(done(remove(link(2, 20), link(3, 30))), Code::kNone);
  EXPECT_EQ(done(remove_tree(link(2, 20))), Code::kNoSuchConnection);
  EXPECT_EQ(state(), "");
}

TEST_F(OvsTableChanges, AllOfAPortAreDeleted) {
  add(link(2, 20), link(3, 30));
  add(link(2, 21), link(4, 40));
  add(link(3, 30), link(2, 20));
  add(hosts(), link(3, 31));
  settle();
  add(hosts(), link(2, 22));
  settle();
  table().delete_all_output(PortId(3), ticket(100), now);
  EXPECT_EQ(done(100), Code::kNone);
  EXPECT_EQ(state(),
            "port 1 mpls 16 -> port 2 mpls 22; port 2 mpls 21 -> port 4 mpls 40; "
            "port 3 mpls 30 -> port 2 mpls 20");
  table().delete_all_input(PortId(2), ticket(101), now);
  EXPECT_EQ(done(101), Code::kNone);
  EXPECT_EQ(state(), "port 1 mpls 16 -> port 2 mpls 22; port 3 mpls 30 -> port 2 mpls 20");
  table().delete_all_input(PortId(4), ticket(102), now);
  EXPECT_EQ(done(102), Code::kNone) << "there is nothing to delete";
  expect_consistent();
}

TEST_F(OvsTableChanges, ClearLeavesTheFlowsOfOthers) {
  openflow::FlowMod other;
  other.cookie = 0x1234;
  other.actions = {openflow::Output{2}};
  tables().apply(other);
  add(link(2, 20), link(3, 30));
  add(link(2, 20), link(4, 30));
  add(policed(link(2, 21), link(3, 31), 1000));
  settle();
  table().clear(now);
  const Request behind = add(link(2, 20), link(4, 40));
  EXPECT_EQ(done(behind), Code::kNone) << "requests after it meet an empty table";
  EXPECT_EQ(state(), "port 2 mpls 20 -> port 4 mpls 40");
  EXPECT_EQ(tables().flows().size(), 2U);
  EXPECT_THAT(tables().groups(), IsEmpty());
  EXPECT_THAT(tables().meters(), IsEmpty());
  expect_consistent();
}

// ----- labels -----------------------------------------------------------------------------------

TEST_F(OvsTableChanges, LabelsWithoutAMeaningAreRefused) {
  EXPECT_EQ(done(add(link(1, 100), link(2, 20))), Code::kInvalidInputLabel) << "no such traffic";
  EXPECT_EQ(done(add(link(1, 8200), link(2, 20))), Code::kInvalidInputLabel) << "no class 8";
  EXPECT_EQ(done(add(link(2, 15), link(3, 30))), Code::kInvalidInputLabel) << "reserved";
  EXPECT_EQ(done(add(link(2, 20), link(1, 100))), Code::kInvalidOutputLabel);
  EXPECT_EQ(done(add({PortId(2), atm_label(0, 100)}, link(3, 30))), Code::kInvalidInputLabel);
  gsmp::AddBranch pair = branch(link(2, 20), hosts());
  pair.input_label.flags = gsmp::kFlagBidirectional;
  pair.output_label = gsmp::label_field(link(1, 100).label);
  EXPECT_EQ(done(add(pair)), Code::kInvalidOutputLabel);
  add(link(2, 20), link(3, 30));
  EXPECT_EQ(done(move_output(link(2, 20), link(3, 30), link(1, 100))), Code::kInvalidOutputLabel);
  EXPECT_EQ(done(move_input(link(2, 20), link(1, 100), link(3, 30))), Code::kInvalidInputLabel);
  EXPECT_EQ(state(), "port 2 mpls 20 -> port 3 mpls 30");
  EXPECT_EQ(table().counters().undone, 0U) << "the bridge was not asked";
}

TEST_F(OvsTableChanges, VirtualPathsAndReservationsAreRefused) {
  gsmp::AddBranch path = branch(link(2, 20), link(3, 30));
  path.header.type = gsmp::MessageType::kVpcAddBranch;
  EXPECT_EQ(done(add(path)), Code::kNoVpSwitching);
  gsmp::AddBranch reserved = branch(link(2, 20), link(3, 30));
  reserved.reservation = 5;
  EXPECT_NE(done(add(reserved)), Code::kNone);
  gsmp::ReservationRequest reserve;
  reserve.reservation = 5;
  reserve.input_port = PortId(2);
  reserve.output_port = PortId(3);
  table().reserve(reserve, ticket(100), now);
  EXPECT_EQ(done(100), Code::kReservationOutOfRange);
}

// ----- the order --------------------------------------------------------------------------------

TEST_F(OvsTableChanges, ARequestThatTouchesAnOpenChangeWaitsAndTheOrderIsKept) {
  const Request first = add(link(2, 20), link(3, 30));
  const Request same = remove(link(2, 20), link(3, 30));
  const Request other = add(link(2, 21), link(3, 31));
  EXPECT_EQ(table().requests_waiting(), 2U);
  EXPECT_EQ(table().branches(), 1U);
  made->carry_to_bridge();
  EXPECT_EQ(tables().flows().size(), 1U);
  settle();
  EXPECT_THAT(order, ElementsAre(first, same, other));
  EXPECT_EQ(table().requests_waiting(), 0U);
  EXPECT_EQ(state(), "port 2 mpls 21 -> port 3 mpls 31");
  EXPECT_GE(table().counters().waited, 2U);
}

TEST_F(OvsTableChanges, RequestsForOtherConnectionsDoNotWait) {
  add(link(2, 20), link(3, 30));
  add(link(2, 21), link(3, 30));
  remove_tree(link(2, 22));
  EXPECT_EQ(table().requests_waiting(), 0U);
  EXPECT_EQ(table().changes_open(), 2U);
}

TEST_F(OvsTableChanges, ReadingsWaitBehindRequestsThatWait) {
  add(link(2, 20), link(3, 30));
  const Request second = add(link(2, 20), link(4, 40));
  const Request seen = report(2);
  EXPECT_EQ(table().requests_waiting(), 2U);
  settle();
  EXPECT_THAT(order, ElementsAre(1, second, seen));
  EXPECT_EQ(reading<switchagent::TableReport>(seen).size(), 2U);
}

TEST_F(OvsTableChanges, AClientThatVanishesIsNotAnswered) {
  const Request open = add(link(2, 20), link(3, 30));
  const Request waits = add(link(2, 20), link(4, 40));
  const Request asks = report(2);
  table().set_client(nullptr);
  settle();
  table().set_client(this);
  settle();
  EXPECT_EQ(code(open), std::nullopt);
  EXPECT_EQ(code(waits), std::nullopt);
  EXPECT_EQ(code(asks), std::nullopt);
  EXPECT_EQ(state(), "port 2 mpls 20 -> port 3 mpls 30") << "what waited never began";
  expect_consistent();
}

// Answers to one controller's requests never reach the next one, which may use the same numbers.
class OvsClients : public OvsTableTest {
 protected:
  struct Other final : switchagent::TableClient {
    void completed(switchagent::Ticket ticket, Code) override {
      answered.push_back(ticket.request);
    }
    void completed(switchagent::Ticket ticket, Code, switchagent::TableReading) override {
      answered.push_back(ticket.request);
    }
    void port_changed(gsmp::MessageType, PortId, std::uint32_t) override {}
    void invalid_label(PortId, Label, TimePoint) override {}

    std::vector<Request> answered;
  };
  // A request of each kind that the bridge has not answered yet.
  void ask_all() {
    add(link(2, 21), link(3, 31));
    report(2);
    read(link(2, 20));
    table().read_port(PortId(2), ticket(100), now);
    add(link(2, 21), link(3, 32));  // waits
    report(3);
  }
};

TEST_F(OvsClients, AnswersForAClientThatHasGoneReachNoOther) {
  EXPECT_EQ(done(add(link(2, 20), link(3, 30))), Code::kNone);
  ask_all();
  Other next;
  table().set_client(&next);
  settle();
  EXPECT_THAT(next.answered, IsEmpty());
  EXPECT_THAT(order, ElementsAre(1));
  table().report(PortId(2), switchagent::SwitchTable::Scope::kPort, {}, ticket(7), now);
  settle();
  EXPECT_THAT(next.answered, ElementsAre(7)) << "its own is answered";
  table().set_client(this);
}

TEST_F(OvsClients, NorOneAtTheSamePlaceInMemory) {
  EXPECT_EQ(done(add(link(2, 20), link(3, 30))), Code::kNone);
  ask_all();
  table().set_client(nullptr);
  table().set_client(this);
  settle();
  EXPECT_THAT(order, ElementsAre(1));
}

// A report of a connection with a group asks the bridge twice.
TEST_F(OvsClients, NorBetweenTheTwoQuestionsOfAReport) {
  EXPECT_EQ(done(add(link(2, 20), link(3, 30))), Code::kNone);
  EXPECT_EQ(done(add(link(2, 20), link(4, 40))), Code::kNone);
  const Request asked = report(2);
  made->carry_to_bridge();
  made->carry_to_table(now);
  EXPECT_EQ(code(asked), std::nullopt);
  table().set_client(nullptr);
  table().set_client(this);
  settle();
  EXPECT_EQ(code(asked), std::nullopt);
}

// ----- the bridge's numbers ---------------------------------------------------------------------

// An agent that makes 10'000 changes a second comes there after five days.
TEST_F(OvsTableChanges, ChangesAreAnsweredAcrossTheWrapOfTheirNumbers) {
  for (std::uint32_t before = 0; before < 40; ++before) {
    SCOPED_TRACE(before);
    parts.table.bridge.first_number = 0xffffffff - before;
    restart_agent();
    memory.refuse_next(MemoryBridge::Kind::kFlow, openflow::ErrorType::kFlowModFailed,
                       openflow::kFlowTableFull);
    const Request refused = add(link(2, 20), link(3, 30));
    const Request good = add(link(2, 21), link(3, 31));
    settle();
    EXPECT_EQ(code(refused), Code::kOutOfResources);
    EXPECT_EQ(code(good), Code::kNone);
    EXPECT_EQ(done(add(link(2, 21), link(4, 41))), Code::kNone) << "a group, in a bundle";
    memory.refuse_next(MemoryBridge::Kind::kFlow, openflow::ErrorType::kFlowModFailed,
                       openflow::kFlowTableFull);
    EXPECT_EQ(done(add(link(2, 21), hosts())), Code::kOutOfResources);
    EXPECT_EQ(state(), "port 2 mpls 21 -> port 3 mpls 31, port 4 mpls 41");
    EXPECT_EQ(done(remove_tree(link(2, 21))), Code::kNone);
    EXPECT_EQ(table().changes_open(), 0U);
    expect_consistent();
    ASSERT_FALSE(HasFailure());
  }
}

// ----- ports ------------------------------------------------------------------------------------

TEST_F(OvsTableChanges, APortThatIsTakenDownHasNoFlowsAndKeepsItsConnections) {
  add(link(2, 20), link(3, 30));
  add(link(3, 30), link(2, 20));
  add(link(4, 40), link(3, 31));
  settle();
  add(link(4, 40), link(2, 21));
  settle();
  EXPECT_EQ(done(manage(2, PortFunction::kTakeDown)), Code::kNone);
  EXPECT_EQ(state(), "port 4 mpls 40 -> port 3 mpls 31");
  EXPECT_EQ(table().branches(), 4U);
  EXPECT_THAT(reported(4), ElementsAre(std::pair(link(4, 40), link(2, 21)),
                                       std::pair(link(4, 40), link(3, 31))));
  EXPECT_THAT(reported(2), ElementsAre(std::pair(link(2, 20), link(3, 30))));

  const Request up = manage(2, PortFunction::kBringUp);
  EXPECT_EQ(done(up), Code::kNone);
  EXPECT_EQ(reading<switchagent::BranchesDeleted>(up).count, 1U)
      << "the connection whose input the port is";
  EXPECT_EQ(state(),
            "port 3 mpls 30 -> port 2 mpls 20; port 4 mpls 40 -> port 2 mpls 21, port 3 mpls 31");
  expect_consistent();
}

TEST_F(OvsTableChanges, AConnectionAtAPortOutOfServiceIsWrittenWhenThePortIsBack) {
  EXPECT_EQ(done(manage(3, PortFunction::kTakeDown)), Code::kNone);
  EXPECT_EQ(done(add(link(2, 20), link(3, 30))), Code::kNone);
  EXPECT_EQ(state(), "");
  EXPECT_EQ(done(manage(3, PortFunction::kBringUp)), Code::kNone);
  EXPECT_EQ(state(), "port 2 mpls 20 -> port 3 mpls 30");
  expect_consistent();
}

TEST_F(OvsTableChanges, ALoopbackEndsByItself) {
  add(link(2, 20), link(3, 30));
  add(link(3, 30), link(2, 20));
  settle();
  EXPECT_EQ(done(manage(2, PortFunction::kInternalLoopback, 3)), Code::kNone);
  EXPECT_EQ(state(), "");
  EXPECT_EQ(table().next_deadline(), now + std::chrono::seconds(3));
  now += std::chrono::seconds(3);
  tick();
  settle();
  EXPECT_EQ(state(), "port 3 mpls 30 -> port 2 mpls 20");
  EXPECT_EQ(table().branches(), 1U) << "as with Bring Up";
  expect_consistent();
}

// What is due waits as every later change does, and the agent sleeps meanwhile.
TEST_F(OvsTableChanges, ALoopbackThatEndsWhileChangesWaitEndsAfterThem) {
  add(link(2, 20), link(3, 30));
  settle();
  EXPECT_EQ(done(manage(3, PortFunction::kInternalLoopback, 3)), Code::kNone);
  memory.hold_answers();
  add(link(2, 21), link(4, 41));
  const Request waits = remove_tree(link(2, 21));
  EXPECT_EQ(table().requests_waiting(), 1U);
  now += std::chrono::seconds(3);
  tick();
  tick();
  EXPECT_NE(fabric().port_status(PortId(3)), gsmp::PortStatus::kAvailable);
  memory.release_answers();
  settle();
  EXPECT_EQ(code(waits), Code::kNone);
  EXPECT_EQ(fabric().port_status(PortId(3)), gsmp::PortStatus::kAvailable);
  EXPECT_EQ(state(), "port 2 mpls 20 -> port 3 mpls 30");
  expect_consistent();
}

TEST_F(OvsTableChanges, TheLinesOfTheBridgeAreThePortsLines) {
  memory.set_port(3, false);
  settle();
  EXPECT_THAT(events, ElementsAre("port 3 down"));
  EXPECT_FALSE(fabric().port_states().line_up(PortId(3)));
  memory.set_port(3, true);
  memory.remove_port(4);
  settle();
  EXPECT_THAT(events, ElementsAre("port 3 down", "port 3 up", "port 4 down"));
  memory.set_port(9, true);
  settle();
  EXPECT_EQ(events.size(), 3U) << "beyond our ports";
}

TEST_F(OvsTableChanges, LabelRangesAreReported) {
  gsmp::LabelRangeMessage query;
  query.port = PortId(1);
  query.query = true;
  query.ranges.emplace_back();
  table().label_range(query, ticket(100), now);
  EXPECT_EQ(done(100), Code::kNone);
  EXPECT_EQ(reading<switchagent::LabelRangesReading>(100).ranges.size(), 3U);
}

}  // namespace
}  // namespace xbind::ovs::test
