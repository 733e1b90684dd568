// The bridge and the agent come and go.
#include "tests/unit/ovs/ovs_table_fixture.hpp"

namespace xbind::ovs::test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

MeterRate metered(std::uint32_t kbps, std::uint32_t burst_kbit) { return {kbps, burst_kbit}; }

class OvsContents : public OvsTableTest {
 protected:
  // One connection of each form.
  void some_connections() {
    add(link(2, 20), link(3, 30));
    add(hosts(), link(2, 21));
    add(policed(frames("class 7"), link(3, 31), 1000));
    settle();
    EXPECT_EQ(done(add(hosts(), link(4, 40))), Code::kNone);
    EXPECT_EQ(state(), kSome);
  }
  static constexpr const char* kSome =
      "port 1 mpls 16 -> port 2 mpls 21, port 4 mpls 40; port 1 mpls 8199 -> port 3 mpls 31; "
      "port 2 mpls 20 -> port 3 mpls 30";

  // A flow of others at the place of an input of ours.
  void stranger(const Place& at, std::uint64_t cookie = 0x1234) {
    openflow::FlowMod other;
    const Input input = input_of(parts.table.layout, at);
    other.match = input.match;
    other.priority = input.priority;
    other.cookie = cookie;
    other.actions = {openflow::Output{4}};
    tables().apply(other);
  }
  void restart_bridge() {
    memory.restart();
    made->cut();
  }
};

// ----- the agent restarts -----------------------------------------------------------------------

TEST_F(OvsContents, OfAnEarlierAgentAreAdopted) {
  some_connections();
  const auto flows = tables().flows();
  restart_agent();
  EXPECT_EQ(table().counters().adopted, 3U);
  EXPECT_EQ(table().branches(), 4U);
  EXPECT_EQ(tables().flows(), flows) << "nothing is written";
  expect_consistent();
  EXPECT_EQ(done(add(hosts(), link(3, 32))), Code::kNone) << "the group grows";
  EXPECT_THAT(tables().groups(), SizeIs(1));
  EXPECT_EQ(done(remove_tree(frames("class 7"))), Code::kNone);
  EXPECT_THAT(tables().meters(), IsEmpty());
  expect_consistent();
}

TEST_F(OvsContents, AnAdoptedConnectionKeepsItsMeterUntilItsContractComes) {
  EXPECT_EQ(done(add(policed(link(2, 20), link(3, 30), 1000))), Code::kNone);
  const auto meter = flow(link(2, 20))->meter;
  restart_agent();
  EXPECT_EQ(done(add(link(2, 20), link(4, 40))), Code::kNone);
  EXPECT_EQ(flow(link(2, 20))->meter, meter);
  EXPECT_EQ(done(add(policed(link(2, 20), link(3, 30), 2000))), Code::kNone);
  expect_consistent();
}

TEST_F(OvsContents, AFlowOfOursThatCannotBeReadIsRemoved) {
  some_connections();
  flow(link(2, 20))->actions = {openflow::Output{4}};
  restart_agent();
  EXPECT_EQ(table().counters().adopted, 2U);
  EXPECT_EQ(table().counters().removed, 1U);
  EXPECT_EQ(flow(link(2, 20)), nullptr);
  expect_consistent();
}

TEST_F(OvsContents, WithFewerPortsTheOtherConnectionsAreRemoved) {
  some_connections();
  auto with = words();
  with.insert(with.end(), {"--ports", "3"});
  restart_agent(parts_for(with));
  EXPECT_EQ(state(), "port 1 mpls 8199 -> port 3 mpls 31; port 2 mpls 20 -> port 3 mpls 30");
  EXPECT_THAT(tables().groups(), IsEmpty());
  expect_consistent();
}

TEST_F(OvsContents, GroupsAndMetersWithoutAConnectionAreRemovedFromOurRanges) {
  tables().apply(openflow::GroupMod{.id = 0x58420005, .buckets = {{{openflow::Output{2}}}}});
  tables().apply(openflow::GroupMod{.id = 7, .buckets = {{{openflow::Output{2}}}}});
  tables().apply(openflow::MeterMod{.id = 131'080, .rate_kbps = 1, .burst_kbit = 1});
  tables().apply(openflow::MeterMod{.id = 8, .rate_kbps = 1, .burst_kbit = 1});
  restart_agent();
  EXPECT_THAT(tables().groups(), ElementsAre(Pair(7, SizeIs(1))));
  EXPECT_THAT(tables().meters(), ElementsAre(Pair(8, metered(1, 1))));
}

TEST_F(OvsContents, AgentsOfOtherNamesLeaveEachOtherAlone) {
  some_connections();
  auto with = words();
  with.insert(with.end(), {"--name", "second"});
  OvsSwitch second(memory, parts_for(with));
  made->cut();
  second.connect(now);
  EXPECT_EQ(second.table().branches(), 0U);
  EXPECT_EQ(state(), kSome);
}

TEST_F(OvsContents, AFlowWithOurCookieAndAForeignMatchIsLeftAlone) {
  openflow::FlowMod other;
  other.cookie = parts.table.layout.cookie;
  other.match.eth_type = 0x0806;  // readable, but no input of ours
  tables().apply(other);
  restart_agent();
  EXPECT_THAT(tables().flows(), IsEmpty()) << "its match could be named in the removal";
}

// ----- strangers --------------------------------------------------------------------------------

TEST_F(OvsContents, AnInputThatOthersHaveTakenIsRefused) {
  stranger(link(2, 20));
  stranger(hosts());
  restart_agent();
  EXPECT_THAT(table().take_notices(),
              Contains("port 2 mpls 20 is taken by a flow of others with our priority"));
  const auto flows = tables().flows();
  EXPECT_EQ(done(add(link(2, 20), link(3, 30))), Code::kInvalidInputLabel);
  gsmp::AddBranch pair = branch(link(2, 21), hosts());
  pair.input_label.flags = gsmp::kFlagBidirectional;
  EXPECT_NE(done(add(pair)), Code::kNone);
  EXPECT_EQ(tables().flows(), flows);
  EXPECT_EQ(done(add(link(2, 22), link(3, 30))), Code::kNone);
  EXPECT_EQ(done(move_input(link(2, 22), link(2, 20), link(3, 30))), Code::kInvalidInputLabel);
  EXPECT_EQ(flow(link(2, 20))->cookie, 0x1234U);
}

TEST_F(OvsContents, AnInputIsFreeOnceTheFlowOfOthersHasGone) {
  stranger(link(2, 20));
  restart_agent();
  EXPECT_EQ(done(add(link(2, 20), link(3, 30))), Code::kInvalidInputLabel);
  restart_bridge();
  stranger(link(2, 21));
  made->connect(now);
  EXPECT_EQ(done(add(link(2, 20), link(3, 30))), Code::kNone);
  EXPECT_EQ(done(add(link(2, 21), link(3, 31))), Code::kInvalidInputLabel);
  EXPECT_EQ(flow(link(2, 21))->cookie, 0x1234U);
  // Only the connection is lost, and others have removed their flow meanwhile.
  tables().apply(openflow::FlowMod{.command = openflow::FlowCommand::kDelete,
                                   .match = flow(link(2, 21))->match});
  made->cut();
  made->connect(now);
  EXPECT_EQ(done(add(link(2, 21), link(3, 31))), Code::kNone);
  expect_consistent();
}

// ----- the bridge restarts ----------------------------------------------------------------------

TEST_F(OvsContents, AreRestoredInABridgeThatRestarted) {
  some_connections();
  restart_bridge();
  EXPECT_EQ(state(), "");
  made->connect(now);
  EXPECT_EQ(state(), kSome);
  EXPECT_EQ(table().counters().restored, 3U);
  EXPECT_THAT(tables().groups(), SizeIs(1));
  EXPECT_THAT(tables().meters(), ElementsAre(Pair(::testing::_, metered(384, 48))));
  expect_consistent();
  EXPECT_EQ(done(remove_tree(hosts())), Code::kNone);
  EXPECT_EQ(done(remove_tree(frames("class 7"))), Code::kNone);
  EXPECT_THAT(tables().groups(), IsEmpty());
  EXPECT_THAT(tables().meters(), IsEmpty());
}

TEST_F(OvsContents, AreLeftAsTheyAreWhenOnlyTheConnectionWasLost) {
  some_connections();
  memory.count(flow(link(2, 20))->match, flow(link(2, 20))->priority, 480);
  const auto flows = tables().flows();
  made->cut();
  const std::size_t changes = table().bridge().counters().changes;
  made->connect(now);
  EXPECT_EQ(tables().flows(), flows);
  EXPECT_EQ(table().bridge().counters().changes, changes);
  EXPECT_EQ(table().counters().restored, 0U);
}

TEST_F(OvsContents, WhatOthersChangedMeanwhileIsRepaired) {
  some_connections();
  made->cut();
  flow(link(2, 20))->actions = {openflow::Output{4}};
  tables().apply(openflow::GroupMod{.command = openflow::GroupCommand::kModify,
                                    .id = tables().groups().begin()->first,
                                    .buckets = {{{openflow::Output{2}}}}});
  const std::uint32_t meter = tables().meters().begin()->first;
  tables().apply(openflow::MeterMod{
      .command = openflow::MeterCommand::kModify, .id = meter, .rate_kbps = 1, .burst_kbit = 1});
  made->connect(now);
  EXPECT_EQ(state(), kSome);
  EXPECT_EQ(tables().meters().at(meter), metered(384, 48));
  expect_consistent();
}

TEST_F(OvsContents, StrangersAreUntouchedByARestoration) {
  some_connections();
  restart_bridge();
  stranger(link(2, 99));
  openflow::FlowMod other;
  other.actions = {openflow::Output{2}};
  other.priority = 5;
  tables().apply(other);
  made->connect(now);
  EXPECT_EQ(state(), kSome);
  EXPECT_EQ(tables().flows().size(), 5U);
  EXPECT_EQ(flow(link(2, 99))->cookie, 0x1234U);
}

TEST_F(OvsContents, AStrangerInTheirPlaceIsNotReplacedByARestoration) {
  some_connections();
  restart_bridge();
  stranger(link(2, 20));
  made->connect(now);
  ASSERT_NE(flow(link(2, 20)), nullptr);
  EXPECT_EQ(flow(link(2, 20))->cookie, 0x1234U) << "flows of others are never touched";
}

TEST_F(OvsContents, AMeterNumberOfOthersIsNotTakenAfterARestart) {
  EXPECT_EQ(done(add(policed(link(2, 20), link(3, 30), 1000))), Code::kNone);
  restart_bridge();
  tables().apply(openflow::MeterMod{.id = 131'074, .rate_kbps = 5, .burst_kbit = 5});
  openflow::FlowMod user;
  user.meter = 131'074;
  user.priority = 5;
  user.actions = {openflow::Output{2}};
  tables().apply(user);
  made->connect(now);
  EXPECT_EQ(tables().meters().at(131'074), metered(5, 5));
  EXPECT_EQ(done(add(policed(link(2, 21), link(3, 31), 1000))), Code::kNone);
  EXPECT_EQ(tables().meters().at(131'074), metered(5, 5));
  expect_consistent();
}

TEST_F(OvsContents, ConnectionsThatWereDeletedMeanwhileAreRemoved) {
  some_connections();
  made->cut();
  table().clear(now);
  EXPECT_EQ(table().branches(), 0U);
  made->connect(now);
  EXPECT_THAT(tables().flows(), IsEmpty());
  EXPECT_THAT(tables().groups(), IsEmpty());
  EXPECT_THAT(tables().meters(), IsEmpty());
  EXPECT_EQ(table().counters().removed, 3U);
}

// ----- no connection ----------------------------------------------------------------------------

TEST_F(OvsContents, WithoutABridgeLinesAreDownAndChangesFail) {
  some_connections();
  made->cut();
  EXPECT_THAT(events, ElementsAre("port 1 down", "port 2 down", "port 3 down", "port 4 down"));
  EXPECT_EQ(done(add(link(2, 22), link(3, 32))), Code::kUnspecified);
  EXPECT_EQ(done(remove_tree(link(2, 20))), Code::kUnspecified);
  EXPECT_EQ(table().branches(), 4U);
  events.clear();
  made->connect(now);
  EXPECT_THAT(events, ElementsAre("port 1 up", "port 2 up", "port 3 up", "port 4 up"));
  EXPECT_EQ(state(), kSome);
}

TEST_F(OvsContents, OpenChangesFailWithTheConnectionWhetherTheyWereMadeOrNot) {
  add(link(2, 20), link(3, 30));
  settle();
  add(link(2, 20), link(4, 40));
  settle();
  const Request reached = add(link(2, 21), link(3, 31));
  const Request removal = remove(link(2, 20), link(4, 40));
  made->carry_to_bridge();  // both are executed, but their answers are lost
  const Request lost = add(link(2, 22), link(3, 32));
  const Request waits = remove_tree(link(2, 22));
  made->cut();
  for (const Request one : {reached, removal, lost, waits})
    EXPECT_EQ(code(one), Code::kUnspecified) << one;
  EXPECT_THAT(order, ElementsAre(1, 2, lost, removal, reached, waits));
  made->connect(now);
  EXPECT_EQ(state(), "port 2 mpls 20 -> port 3 mpls 30, port 4 mpls 40")
      << "the bridge has what the controller was told";
  EXPECT_THAT(tables().groups(), SizeIs(1));
  expect_consistent();
}

TEST_F(OvsContents, AConnectionThatBreaksWhileTheContentsAreReadIsTriedAgain) {
  some_connections();
  made->cut();
  memory.connect();
  table().bridge().connected(now);
  made->carry_to_table(now);
  made->carry_to_bridge();
  made->cut();
  EXPECT_FALSE(table().bridge().ready());
  made->connect(now);
  EXPECT_EQ(state(), kSome);
  expect_consistent();
}

TEST_F(OvsContents, APortThatIsOutOfServiceStaysSoThroughARestart) {
  some_connections();
  EXPECT_EQ(done(manage(3, gsmp::PortFunction::kTakeDown)), Code::kNone);
  restart_bridge();
  made->connect(now);
  EXPECT_EQ(state(), "port 1 mpls 16 -> port 2 mpls 21, port 4 mpls 40");
  EXPECT_EQ(done(manage(3, gsmp::PortFunction::kBringUp)), Code::kNone);
  EXPECT_EQ(state(), kSome);
}

TEST_F(OvsContents, AFullBridgeIsReportedByTheAudit) {
  some_connections();
  restart_bridge();
  tables().flows_max = 2;
  made->connect(now);
  EXPECT_THAT(tables().flows(), SizeIs(2));
  EXPECT_EQ(reported(1).size() + reported(2).size(), 3U) << "the report shows what is missing";
}

}  // namespace
}  // namespace xbind::ovs::test
