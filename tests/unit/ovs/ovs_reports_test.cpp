// Reports and counters: they come from the bridge.
#include "tests/unit/ovs/ovs_table_fixture.hpp"

namespace xbind::ovs::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Scope = switchagent::SwitchTable::Scope;

class OvsReports : public OvsTableTest {
 protected:
  // The label a connection has at its input, for a report of one label.
  std::size_t branches_at(const Place& at, Scope scope, Request number) {
    table().report(at.port, scope, at.label, ticket(number), now);
    EXPECT_EQ(done(number), Code::kNone);
    return reading<switchagent::TableReport>(number).size();
  }
};

TEST_F(OvsReports, AreSortedByInputAndOutput) {
  memory.set_part_entries(2);
  for (const std::uint32_t label : {23, 21, 22}) {
    add(link(2, label), link(4, label));
    settle();
    add(link(2, label), link(3, label));
    settle();
  }
  EXPECT_THAT(
      reported(2),
      ElementsAre(std::pair(link(2, 21), link(3, 21)), std::pair(link(2, 21), link(4, 21)),
                  std::pair(link(2, 22), link(3, 22)), std::pair(link(2, 22), link(4, 22)),
                  std::pair(link(2, 23), link(3, 23)), std::pair(link(2, 23), link(4, 23))));
}

TEST_F(OvsReports, AreOfTheWholePortOrOfOneLabel) {
  add(hosts(), link(2, 20));
  add(frames("class 7"), link(2, 21));
  add(frames("vlan 5"), link(2, 22));
  settle();
  EXPECT_EQ(branches_at(hosts(), Scope::kPort, 100), 3U);
  EXPECT_EQ(branches_at(hosts(), Scope::kLabel, 101), 1U)
      << "the bridge also returns the flow of the class, whose match is narrower";
  EXPECT_EQ(branches_at(frames("class 7"), Scope::kLabel, 102), 1U);
  EXPECT_EQ(branches_at(frames("vlan 6"), Scope::kLabel, 103), 0U);
  EXPECT_EQ(branches_at(link(1, 100), Scope::kLabel, 104), 0U) << "a label without a meaning";
  EXPECT_EQ(branches_at(hosts(), Scope::kVpi, 105), 0U);
}

TEST_F(OvsReports, AFlowThatSomebodyChangedIsMissing) {
  add(link(2, 20), link(3, 30));
  add(link(2, 21), link(3, 31));
  settle();
  flow(link(2, 20))->actions = {openflow::Output{4}};
  EXPECT_THAT(reported(2), ElementsAre(std::pair(link(2, 21), link(3, 31))));
  EXPECT_THAT(table().take_notices(),
              ElementsAre("a flow of ours at port 2 was changed by others"));
}

TEST_F(OvsReports, AFlowThatSomebodyRemovedOrRedirectedIsReportedAsItIs) {
  add(link(2, 20), link(3, 30));
  add(link(2, 21), link(3, 31));
  settle();
  tables().apply(openflow::FlowMod{.command = openflow::FlowCommand::kDelete,
                                   .match = flow(link(2, 20))->match});
  flow(link(2, 21))->actions = {openflow::SetMplsLabel{99}, openflow::DecMplsTtl{},
                                openflow::Output{4}};
  EXPECT_THAT(reported(2), ElementsAre(std::pair(link(2, 21), link(4, 99))));
  EXPECT_EQ(done(add(link(2, 20), link(3, 30))), Code::kNone) << "the audit's repair";
  EXPECT_EQ(done(add(link(2, 21), link(3, 31))), Code::kNone);
  expect_consistent();
}

TEST_F(OvsReports, AGroupThatSomebodyRemovedMakesTheConnectionMissing) {
  add(link(2, 20), link(3, 30));
  settle();
  add(link(2, 20), link(4, 40));
  settle();
  tables().apply(openflow::GroupMod{.command = openflow::GroupCommand::kDelete,
                                    .id = tables().groups().begin()->first});
  EXPECT_THAT(reported(2), IsEmpty());
}

TEST_F(OvsReports, FlowsOfOthersAreNotReported) {
  openflow::FlowMod other;
  other.cookie = 0x5842'ffff'0000'0000;  // another agent's
  other.match.in_port = 2;
  other.priority = 5;
  other.actions = {openflow::Output{3}};
  tables().apply(other);
  EXPECT_THAT(reported(2), IsEmpty());
  EXPECT_THAT(table().take_notices(), IsEmpty());
}

TEST_F(OvsReports, CountersAreCellsOfTheFlow) {
  add(hosts(), link(2, 20));
  add(frames("class 7"), link(3, 30));
  settle();
  add(hosts(), link(3, 31));
  settle();
  memory.count(flow(hosts())->match, flow(hosts())->priority, 1500);
  memory.count(flow(frames("class 7"))->match, flow(frames("class 7"))->priority, 96);
  const Request read_hosts = read(hosts());
  const Request read_class = read(frames("class 7"));
  EXPECT_EQ(done(read_class), Code::kNone);
  const auto counted = reading<switchagent::ConnectionReading>(read_hosts);
  EXPECT_EQ(counted.branches, 2U);
  EXPECT_EQ(counted.counters.input_cells, 32U) << "1500 octets";
  EXPECT_EQ(counted.counters.output_cells, 64U) << "to each branch";
  EXPECT_EQ(reading<switchagent::ConnectionReading>(read_class).counters.input_cells, 2U);
  EXPECT_EQ(done(read(link(2, 99))), Code::kNoSuchConnection);
}

TEST_F(OvsReports, CountersOfAPort) {
  memory.count({.in_port = 2}, 1, 480);
  table().read_port(PortId(2), ticket(100), now);
  EXPECT_EQ(done(100), Code::kNone);
  EXPECT_EQ(reading<switchagent::PortReading>(100).counters.input_cells, 10U);
  memory.remove_port(2);
  table().read_port(PortId(2), ticket(101), now);
  EXPECT_EQ(done(101), Code::kNone);
  EXPECT_EQ(reading<switchagent::PortReading>(101).counters.input_cells, 0U)
      << "the bridge does not have the port now";
}

TEST_F(OvsReports, FailWhileThereIsNoBridge) {
  add(link(2, 20), link(3, 30));
  settle();
  const Request open = report(2);
  const Request reading = read(link(2, 20));
  made->cut();
  EXPECT_EQ(code(open), Code::kUnspecified);
  EXPECT_EQ(code(reading), Code::kUnspecified);
  EXPECT_EQ(done(report(2)), Code::kUnspecified);
  EXPECT_EQ(done(read(link(2, 20))), Code::kUnspecified);
  table().read_port(PortId(2), ticket(100), now);
  EXPECT_EQ(done(100), Code::kUnspecified);
}

}  // namespace
}  // namespace xbind::ovs::test
