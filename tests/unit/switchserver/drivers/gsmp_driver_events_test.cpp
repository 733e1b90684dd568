// The driver against a switch that the test emulates by hand: events, new port sessions, the order
// of deletes and adds, and the table.
#include "tests/unit/switchserver/drivers/answered.hpp"
#include "tests/unit/switchserver/drivers/gsmp_driver_by_hand.hpp"

namespace xbind {
namespace {

using namespace std::chrono_literals;
using gsmp::MessageType;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

// ----- events ---------------------------------------------------------------------------------

TEST_F(GsmpDriverByHand, EachEventIsAnsweredByResettingItsFlag) {
  bring_up();
  ports[PortId{2}].line_status = gsmp::LineStatus::kDown;
  // <-- Port Down;  --> Port Management Reset Flags, Port Configuration
  happens(MessageType::kPortDown, 2);
  auto resets = requests<gsmp::PortManagement>();
  ASSERT_THAT(resets, SizeIs(1));
  EXPECT_EQ(resets[0].function, gsmp::PortFunction::kResetFlags);
  EXPECT_EQ(resets[0].port, PortId{2});
  EXPECT_EQ(resets[0].port_session, 0x5eed0002U);
  EXPECT_EQ(resets[0].event_flags, gsmp::kEventPortDown);
  EXPECT_EQ(resets[0].flow_control_flags, 0) << "a 1 would switch it off";
  const auto news = taken<driver::Ports>();
  ASSERT_THAT(news, SizeIs(1));
  EXPECT_FALSE(news[0].ports.at(1).up);
  EXPECT_TRUE(news[0].ports.at(0).up);
  EXPECT_THAT(news[0].renewed, IsEmpty());
  EXPECT_EQ(driver.driver_counters().port_down, 1U);
}

TEST_F(GsmpDriverByHand, APortThatComesUpHasANewSessionAndItsHopsAreToBeAssertedAgain) {
  bring_up();
  ports[PortId{1}].port_session = 0x5eed0011;
  happens(MessageType::kPortUp, 1);
  const auto news = taken<driver::Ports>();
  ASSERT_THAT(news, SizeIs(1));
  EXPECT_THAT(news[0].renewed, ElementsAre(PortId{1}));
  EXPECT_EQ(added({}).port_session, 0x5eed0011U);
}

TEST_F(GsmpDriverByHand, APortHasAllItsLabelRangesButThoseThatCannotBe) {
  bring_up();
  const auto range = [](Label first, Label last) {
    return gsmp::LabelRangeField{gsmp::label_field(first), gsmp::label_field(last)};
  };
  const auto mpls = [](std::uint32_t value) { return Label{LabelKind::kMpls, value}; };
  gsmp::PortRecord& record = ports[PortId{2}];
  record.label_ranges = {range(mpls(16), mpls(99)), range(mpls(200), mpls(299)),
                         range(mpls(290), mpls(400)), range(mpls(0), mpls(9)),
                         range(mpls(500), atm_label(0, 600))};
  record.port_session = 0x5eed0012;
  happens(MessageType::kPortUp, 2);
  auto news = taken<driver::Ports>();
  ASSERT_THAT(news, SizeIs(1));
  ASSERT_THAT(news[0].ports, SizeIs(2));
  EXPECT_THAT(news[0].ports[1].labels, ElementsAre(mpls_range(16, 99), mpls_range(200, 299)));

  record.label_ranges = {range(mpls(9), mpls(5))};
  record.port_session = 0x5eed0013;
  happens(MessageType::kPortUp, 2);
  news = taken<driver::Ports>();
  ASSERT_THAT(news, SizeIs(1));
  EXPECT_THAT(news[0].ports, SizeIs(1)) << "a port without a label is left out";
  EXPECT_THAT(news[0].renewed, IsEmpty()) << "and nothing comes in there";
}

// Work that is due and finds no room waits for an answer, not for time.
TEST_F(GsmpDriverByHand, ALookThatFindsNoRoomDoesNotKeepItsOwnerAwake) {
  bring_up();
  gsmp::Event update;
  update.header.type = MessageType::kAdjacencyUpdate;
  update.header.code = static_cast<gsmp::FailureCode>(2);
  say(update);
  play();
  const TimePoint look = now + GsmpDriver::kOthersPause;
  now = look - 1ms;
  tick();
  ports[PortId{2}].port_session = 0x5eed0099;
  const std::size_t most = options().window + options().queue_max;
  for (std::size_t i = 1; i <= most; ++i) driver.add(cross(101, 201), {}, i);
  driver.flush();
  EXPECT_LE(driver.next_deadline(), look);
  now = look;
  tick();
  play();
  EXPECT_THAT(taken<driver::Ports>(), IsEmpty()) << "no room";
  while (!asked.empty()) {
    for (const gsmp::Message& one : std::exchange(asked, {})) succeed(one);
    play();
  }
  EXPECT_THAT(taken<driver::Ports>(), SizeIs(1));
}

TEST_F(GsmpDriverByHand, AResetThatFindsNoRoomDoesNotKeepItsOwnerAwake) {
  bring_up();
  const std::size_t most = options().window + options().queue_max;
  for (std::size_t i = 1; i <= most; ++i) driver.add(cross(101, 201), {}, i);
  driver.flush();
  // <-- Port Down
  ports[PortId{2}].line_status = gsmp::LineStatus::kDown;
  happens(MessageType::kPortDown, 2);
  tick();
  now += 1ms;
  tick();
  const auto is_reset = [](const gsmp::Message& one) {
    return std::holds_alternative<gsmp::PortManagement>(one);
  };
  EXPECT_THAT(asked, testing::Not(testing::Contains(testing::Truly(is_reset)))) << "no room";
  std::ptrdiff_t resets = 0;
  while (!asked.empty()) {
    const auto taken = std::exchange(asked, {});
    resets += std::count_if(taken.begin(), taken.end(), is_reset);
    for (const gsmp::Message& one : taken) succeed(one);
    play();
  }
  EXPECT_EQ(resets, 1);
}

// A controller that brings a port up empties its table, and no event informs the
// others (RFC 3292 section 6.1).
TEST_F(GsmpDriverByHand, APortThatAnotherControllerBringsUpIsSeenByLooking) {
  bring_up();
  const auto controllers = [&](std::uint8_t count) {
    // <-- Adjacency Update: `count` controllers
    gsmp::Event update;
    update.header.type = MessageType::kAdjacencyUpdate;
    update.header.code = static_cast<gsmp::FailureCode>(count);
    say(update);
    play();
  };
  controllers(2);
  EXPECT_THAT(taken<driver::Ports>(), IsEmpty()) << "nothing has changed yet";
  ports[PortId{2}].port_session = 0x5eed0099;
  // The next poll;  --> All Ports Configuration
  now += GsmpDriver::kOthersPause;
  EXPECT_LE(driver.next_deadline(), now);
  tick();
  play();
  const auto news = taken<driver::Ports>();
  ASSERT_THAT(news, SizeIs(1));
  EXPECT_THAT(news[0].renewed, ElementsAre(PortId{2}));
  EXPECT_EQ(driver.driver_counters().ports_taken, 1U);
  // The other controller brings port 1 up and leaves: one more poll.
  ports[PortId{1}].port_session = 0x5eed0098;
  controllers(1);
  const auto last = taken<driver::Ports>();
  ASSERT_THAT(last, SizeIs(1));
  EXPECT_THAT(last[0].renewed, ElementsAre(PortId{1}));
  ports[PortId{1}].port_session = 0x5eed0097;
  now += GsmpDriver::kOthersPause;
  tick();
  play();
  EXPECT_THAT(taken<driver::Ports>(), IsEmpty())
      << "without other controllers the driver does not poll the ports";
}

TEST_F(GsmpDriverByHand, PortsThatComeAndGoAreTold) {
  bring_up();
  ports[PortId{3}] = ports[PortId{2}];
  ports[PortId{3}].port = PortId{3};
  happens(MessageType::kNewPort, 3);
  auto news = taken<driver::Ports>();
  ASSERT_THAT(news, SizeIs(1));
  EXPECT_THAT(news[0].ports, SizeIs(3));
  gsmp::Event dead;
  dead.header.type = MessageType::kDeadPort;
  dead.port = PortId{2};
  dead.sequence = 1;
  ports.erase(PortId{2});
  say(dead);
  play();
  news = taken<driver::Ports>();
  ASSERT_THAT(news, SizeIs(1));
  EXPECT_THAT(news[0].ports, SizeIs(2));
  EXPECT_EQ(driver.driver_counters().new_port, 1U);
  EXPECT_EQ(driver.driver_counters().dead_port, 1U);
}

// The Reset Flags of an earlier adjacency may have been lost with it. The switch would then
// suppress every later event of that type.
TEST_F(GsmpDriverByHand, AFlagThatIsSetWhenTheAdjacencyComesUpIsReset) {
  ports[PortId{2}].event_flags = gsmp::kEventPortUp | gsmp::kEventPortDown;
  bring_up();
  const auto resets = requests<gsmp::PortManagement>();
  ASSERT_THAT(resets, SizeIs(1));
  EXPECT_EQ(resets[0].function, gsmp::PortFunction::kResetFlags);
  EXPECT_EQ(resets[0].port, PortId{2});
  EXPECT_EQ(resets[0].event_flags, gsmp::kEventPortUp | gsmp::kEventPortDown);
}

TEST_F(GsmpDriverByHand, AResetThatIsNotAnsweredIsMadeAgainIfTheFlagIsStillSet) {
  bring_up();
  ports[PortId{2}].line_status = gsmp::LineStatus::kDown;
  happens(MessageType::kPortDown, 2);
  ASSERT_THAT(requests<gsmp::PortManagement>(), SizeIs(1));
  ports[PortId{2}].event_flags = gsmp::kEventPortDown;
  // Two seconds without an answer;  --> Port Configuration, Port Management Reset Flags
  now += 2s;
  tick();
  const auto again = requests<gsmp::PortManagement>();
  ASSERT_THAT(again, SizeIs(1));
  EXPECT_EQ(again[0].port, PortId{2});
  EXPECT_EQ(again[0].event_flags, gsmp::kEventPortDown);
  ports[PortId{2}].event_flags = 0;
  now += 2s;
  tick();
  EXPECT_THAT(requests<gsmp::PortManagement>(), IsEmpty()) << "it had been done all the same";
}

// Each event costs one reset: the port is read after its flag has been cleared.
TEST_F(GsmpDriverByHand, ThePortIsReadBehindTheReset) {
  bring_up();
  say(event(MessageType::kPortDown, 2));
  wire::Buffer octets;
  driver.take_output(octets);
  const auto sent = gsmp::test::messages_of(octets);
  ASSERT_THAT(sent, SizeIs(2));
  EXPECT_TRUE(std::holds_alternative<gsmp::PortManagement>(sent[0]));
  EXPECT_TRUE(std::holds_alternative<gsmp::PortConfigurationRequest>(sent[1]));
}

TEST_F(GsmpDriverByHand, InvalidLabelsAreLetThroughTenTimesASecond) {
  bring_up();
  const int reads = port_reads;
  happens(MessageType::kInvalidLabel, 1);
  EXPECT_THAT(requests<gsmp::PortManagement>(), SizeIs(1));
  // The flag is clear, so the switch sends the next event at once. Its reset has to wait.
  happens(MessageType::kInvalidLabel, 1);
  EXPECT_THAT(requests<gsmp::PortManagement>(), IsEmpty());
  EXPECT_EQ(driver.next_deadline(), now + GsmpDriver::kInvalidLabelPause);
  now += GsmpDriver::kInvalidLabelPause;
  tick();
  const auto resets = requests<gsmp::PortManagement>();
  ASSERT_THAT(resets, SizeIs(1));
  EXPECT_EQ(resets[0].event_flags, gsmp::kEventInvalidLabel);
  EXPECT_EQ(driver.driver_counters().invalid_label, 2U);
  EXPECT_EQ(port_reads, reads) << "nothing was missed";
}

TEST_F(GsmpDriverByHand, AGapInTheEventsHasThePortReadAgain) {
  bring_up();
  happens(MessageType::kInvalidLabel, 1);
  const auto resets = requests<gsmp::PortManagement>();
  ASSERT_THAT(resets, SizeIs(1));
  // The line went down and that event was suppressed; the answer to the reset reveals it.
  ports[PortId{1}].event_sequence = 2;
  ports[PortId{1}].line_status = gsmp::LineStatus::kDown;
  gsmp::PortManagement reported = resets[0];
  reported.event_sequence = 2;
  succeed(reported);
  play();
  const auto news = taken<driver::Ports>();
  ASSERT_THAT(news, SizeIs(1));
  EXPECT_FALSE(news[0].ports.at(0).up);
  EXPECT_EQ(driver.driver_counters().event_gaps, 1U);
}

TEST_F(GsmpDriverByHand, AGapBeforeAnInvalidLabelHasThePortReadAgain) {
  bring_up();
  const int reads = port_reads;
  happens(MessageType::kInvalidLabel, 1);
  EXPECT_EQ(port_reads, reads) << "the next in order says nothing about the port";
  // The line went down and that event was suppressed; then a cell arrives.
  ports[PortId{1}].line_status = gsmp::LineStatus::kDown;
  happens(MessageType::kInvalidLabel, 1, 1);
  EXPECT_EQ(port_reads, reads + 1);
  const auto news = taken<driver::Ports>();
  ASSERT_THAT(news, SizeIs(1));
  EXPECT_FALSE(news[0].ports.at(0).up);
  EXPECT_EQ(driver.driver_counters().event_gaps, 1U);
  happens(MessageType::kInvalidLabel, 1);
  EXPECT_EQ(port_reads, reads + 1) << "one gap, one read";
}

TEST_F(GsmpDriverByHand, AdjacencyUpdateIsOnlyCounted) {
  bring_up();
  gsmp::Event update;
  update.header.type = MessageType::kAdjacencyUpdate;
  update.header.code = static_cast<gsmp::FailureCode>(2);
  say(update);
  EXPECT_THAT(requests<gsmp::PortManagement>(), IsEmpty());
  EXPECT_EQ(driver.driver_counters().adjacencies, 2U);
}

TEST_F(GsmpDriverByHand, EachInvalidLabelWaitsForTheOneBefore) {
  bring_up();
  happens(MessageType::kInvalidLabel, 1);
  happens(MessageType::kInvalidLabel, 1);
  requests<gsmp::PortManagement>();
  now += GsmpDriver::kInvalidLabelPause;
  tick();
  EXPECT_THAT(requests<gsmp::PortManagement>(), SizeIs(1));
  happens(MessageType::kInvalidLabel, 1);
  EXPECT_THAT(requests<gsmp::PortManagement>(), IsEmpty());
  EXPECT_EQ(driver.next_deadline(), now + GsmpDriver::kInvalidLabelPause);
}

TEST_F(GsmpDriverByHand, AnEventOfTheLineTakesAlongTheFlagThatWaits) {
  bring_up();
  happens(MessageType::kInvalidLabel, 1);
  requests<gsmp::PortManagement>();
  happens(MessageType::kInvalidLabel, 1);
  EXPECT_THAT(requests<gsmp::PortManagement>(), IsEmpty());
  happens(MessageType::kPortDown, 1);
  const auto resets = requests<gsmp::PortManagement>();
  ASSERT_THAT(resets, SizeIs(1));
  EXPECT_EQ(resets[0].event_flags, gsmp::kEventInvalidLabel | gsmp::kEventPortDown);
}

TEST_F(GsmpDriverByHand, AnEventWhileThePortIsReadHasItReadOnceMore) {
  bring_up();
  const int reads = port_reads;
  // <-- Port Down, Port Down;  --> Port Configuration, not answered yet
  say(event(MessageType::kPortDown, 2));
  say(event(MessageType::kPortDown, 2));
  play();
  EXPECT_EQ(port_reads, reads + 2);
}

TEST_F(GsmpDriverByHand, WhatAPortTransmitsIsItsRate) {
  bring_up();
  ports[PortId{1}].receive_cells_per_s = 1;
  ports[PortId{1}].transmit_cells_per_s = 96'000;
  happens(MessageType::kPortDown, 1);
  EXPECT_EQ(taken<driver::Ports>().at(0).ports.at(0).cells_per_s, 96'000U);
}

// ----- a port session that has changed --------------------------------------------------------

TEST_F(GsmpDriverByHand, AnAddBetweenPortUpAndThePortsReadHasTheNewSession) {
  bring_up();
  ports[PortId{1}].port_session = 0x5eed0011;
  // <-- Port Up;  --> Port Configuration, not answered yet;  --> Add Branch
  say(event(MessageType::kPortUp, 1));
  driver.add(cross(101, 201), {}, 1);
  driver.remove(cross(102, 202), 2);
  driver.move(cross(103, 203), PortId{2}, atm_label(0, 303), {}, 3);
  driver.flush();
  EXPECT_THAT(taken<driver::Ports>(), IsEmpty()) << "the port has not been read";
  play();
  ASSERT_THAT(asked, SizeIs(4));  // Reset Flags is the first
  EXPECT_EQ(std::get<gsmp::PortManagement>(asked[0]).port_session, 0x5eed0011U);
  EXPECT_EQ(std::get<gsmp::AddBranch>(asked[1]).port_session, 0x5eed0011U);
  EXPECT_EQ(std::get<gsmp::DeleteBranches>(asked[2]).elements.at(0).port_session, 0x5eed0011U);
  EXPECT_EQ(std::get<gsmp::MoveOutputBranch>(asked[3]).port_session, 0x5eed0011U);
  const auto news = taken<driver::Ports>();
  ASSERT_THAT(news, SizeIs(1));
  EXPECT_THAT(news[0].renewed, ElementsAre(PortId{1})) << "the new port session must be reported";
}

TEST_F(GsmpDriverByHand, ARequestOnItsWayWhenThePortChangedMayBeAskedAgain) {
  bring_up();
  driver.add(cross(101, 201), {}, 1);
  driver.remove(cross(102, 202), 2);
  driver.flush();
  const auto adds = requests<gsmp::AddBranch>();
  ports[PortId{1}].port_session = 0x5eed0011;
  happens(MessageType::kPortUp, 1);
  taken<driver::Ports>();
  fail(adds.at(0), gsmp::FailureCode::kInvalidPortSession);
  const auto done = taken<driver::Done>();
  ASSERT_THAT(done, ElementsAre(Answered(1U, Cause::kSwitchRefused)));
  EXPECT_TRUE(done[0].again);
}

TEST_F(GsmpDriverByHand, ARefusalThatComesBeforeTheEventHasThePortReadFirst) {
  bring_up();
  driver.add(cross(101, 201), {}, 1);
  driver.flush();
  const auto adds = requests<gsmp::AddBranch>();
  ports[PortId{1}].port_session = 0x5eed0011;  // its event is suppressed
  fail(adds.at(0), gsmp::FailureCode::kInvalidPortSession);
  EXPECT_THAT(driver.take_events(), IsEmpty());
  play();
  const auto events = driver.take_events();
  ASSERT_THAT(events, SizeIs(2));
  EXPECT_TRUE(std::get<driver::Done>(events[0]).again);
  EXPECT_THAT(std::get<driver::Ports>(events[1]).renewed, ElementsAre(PortId{1}));
}

TEST_F(GsmpDriverByHand, ARefusalOfTheRightNumberStays) {
  bring_up();
  driver.add(cross(101, 201), {}, 1);
  driver.flush();
  fail(requests<gsmp::AddBranch>().at(0), gsmp::FailureCode::kInvalidPortSession);
  play();
  const auto done = taken<driver::Done>();
  ASSERT_THAT(done, ElementsAre(Answered(1U, Cause::kSwitchRefused)));
  EXPECT_FALSE(done[0].again);
}

TEST_F(GsmpDriverByHand, WhatWaitsForAPortWhenTheSwitchGoesIsUnreachable) {
  bring_up();
  driver.add(cross(101, 201), {}, 1);
  driver.flush();
  fail(requests<gsmp::AddBranch>().at(0), gsmp::FailureCode::kInvalidPortSession);
  driver.closed(now);
  const auto events = driver.take_events();
  ASSERT_THAT(events, SizeIs(2));
  EXPECT_EQ(std::get<driver::Done>(events[0]).cause, Cause::kSwitchUnreachable);
  EXPECT_TRUE(std::holds_alternative<driver::Down>(events[1]));
}

// ----- deletes that wait ----------------------------------------------------------------------

TEST_F(GsmpDriverByHand, AnAddComesBehindTheDeleteOfItsOutputLabelFromAnotherInput) {
  bring_up();
  driver.remove(cross(100, 200), 1);
  driver.add(cross(101, 200), {}, 2);  // would merge with the connection that is being deleted
  driver.flush();
  play();
  ASSERT_THAT(asked, SizeIs(2));
  EXPECT_TRUE(std::holds_alternative<gsmp::DeleteBranches>(asked[0]));
  EXPECT_TRUE(std::holds_alternative<gsmp::AddBranch>(asked[1]));
}

TEST_F(GsmpDriverByHand, AnAddOfOtherLabelsLeavesTheDeletesWaiting) {
  bring_up();
  driver.remove(cross(100, 200), 1);
  // The same numbers in the other direction are different labels.
  driver.add(cross(200, 100), {}, 2);
  driver.remove(cross(102, 202), 3);
  driver.flush();
  play();
  ASSERT_THAT(asked, SizeIs(2));
  EXPECT_TRUE(std::holds_alternative<gsmp::AddBranch>(asked[0]));
  EXPECT_THAT(std::get<gsmp::DeleteBranches>(asked[1]).elements, SizeIs(2));
}

// ----- the table ------------------------------------------------------------------------------

TEST_F(GsmpDriverByHand, ATableReadInWhichOnePortIsRefusedHasFailedWhateverTheOthersSay) {
  bring_up();
  for (const std::size_t refused : {0U, 1U}) {
    driver.read_table(7);
    const auto reads = requests<gsmp::ReportRequest>();
    ASSERT_THAT(reads, SizeIs(2));
    for (std::size_t port = 0; port < 2; ++port) {
      if (port == refused) {
        fail(reads[port], gsmp::FailureCode::kOutOfResources);
        continue;
      }
      gsmp::ReportPart part;
      part.header.transaction = reads[port].header.transaction;
      part.input_port = reads[port].input_port;
      part.records = {{.all = true,
                       .input_label = gsmp::label_field(atm_label(0, 101)),
                       .branches = {{PortId{2}, gsmp::label_field(atm_label(0, 201))}}}};
      say(part);
    }
    EXPECT_THAT(taken<driver::Table>(), ElementsAre(Answered(7U, Cause::kSwitchRefused)))
        << "request " << refused << " refused";
  }
}

TEST_F(GsmpDriverByHand, DeletesThatHaveGoneOutHoldNoAddBack) {
  bring_up();
  driver.remove(cross(100, 200), 1);
  driver.flush();
  driver.remove(cross(102, 202), 2);
  driver.add(cross(100, 200), {}, 3);  // the delete of its labels is ahead of it already
  driver.flush();
  play();
  ASSERT_THAT(asked, SizeIs(3));
  EXPECT_TRUE(std::holds_alternative<gsmp::DeleteBranches>(asked[0]));
  EXPECT_TRUE(std::holds_alternative<gsmp::AddBranch>(asked[1]));
  EXPECT_TRUE(std::holds_alternative<gsmp::DeleteBranches>(asked[2]));
}

TEST_F(GsmpDriverByHand, ARefusalThatNamesFewerDeletesThanWereAskedRefusesThemAll) {
  bring_up();
  driver.remove(cross(100, 200), 1);
  driver.remove(cross(101, 201), 2);
  driver.flush();
  gsmp::DeleteBranches refused = requests<gsmp::DeleteBranches>().at(0);
  refused.elements.resize(1);
  fail(refused, gsmp::FailureCode::kGeneral);
  EXPECT_THAT(taken<driver::Done>(), ElementsAre(Answered(1U, Cause::kSwitchRefused),
                                                 Answered(2U, Cause::kSwitchRefused)));
}

}  // namespace
}  // namespace xbind
