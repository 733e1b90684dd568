// The driver over GSMP version 1.1, which has no services, no delete of many connections at once
// and no message that lists the table.
#include <gmock/gmock.h>

#include "tests/unit/switchserver/drivers/driver_link.hpp"

namespace xbind {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;

class GsmpDriverV1 : public ::testing::Test {
 protected:
  void bring_up() {
    link.connect();
    ASSERT_THAT(link.events<driver::Up>(), SizeIs(1));
  }
  // Adds the connection, which must succeed, and consumes the events.
  void there_is(const CrossConnect& at) {
    link.add(at, 1);
    link.driver_.flush();
    link.exchange();
    ASSERT_THAT(link.events<driver::Done>(), ElementsAre(Answered(1U, Cause::kNone)));
  }
  // Adds a connection that the driver does not know, as another controller does.
  void stranger(const CrossConnect& at) {
    gsmp::AddBranch request;
    request.input_port = at.input_port;
    request.output_port = at.output_port;
    request.input_label = gsmp::label_field(at.input_label);
    request.output_label = gsmp::label_field(at.output_label);
    ASSERT_EQ(link.fabric_->add_branch(request), gsmp::FailureCode::kNone);
  }
  driver::Table read() {
    link.driver_.read_table(77);
    link.driver_.flush();
    link.exchange();
    const auto tables = link.events<driver::Table>();
    EXPECT_THAT(tables, SizeIs(1));
    return tables.empty() ? driver::Table{} : tables.front();
  }
  static CrossConnect unknown_output(PortId port, std::uint32_t vci) {
    return {port, atm_label(0, vci), PortId{}, Label{}};
  }
  // Breaks the connection and connects the controller again.
  void come_again() {
    link.driver_.take_events();
    bring_up();
  }
  void lose_what_was_sent() {
    wire::Buffer lost;
    link.driver_.take_output(lost);
    ASSERT_FALSE(lost.empty());
  }

  Link link{3, {1}};
};

TEST_F(GsmpDriverV1, comes_up_with_the_ports_and_connections_that_may_have_been_kept) {
  link.connect();
  const auto up = link.events<driver::Up>();
  ASSERT_THAT(up, SizeIs(1));
  EXPECT_TRUE(up[0].kept) << "there is no PFlag: the table has to be read";
  ASSERT_THAT(up[0].ports, SizeIs(3));
  EXPECT_EQ(up[0].ports[0], (SwitchPort{PortId{1}, {atm_range(0, 0, 32, 1023)}, 353207, true}));
}

TEST_F(GsmpDriverV1, deletes_go_one_a_message) {
  bring_up();
  for (std::uint32_t i = 0; i < 10; ++i) link.add(cross(100 + i, 200 + i), i);
  link.driver_.flush();
  link.exchange();
  EXPECT_THAT(link.events<driver::Done>(), SizeIs(10));
  EXPECT_EQ(link.fabric_->branches(), 10U);
  const auto requests = link.agent_->counters().requests;
  for (std::uint32_t i = 0; i < 10; ++i) link.driver_.remove(cross(100 + i, 200 + i), i);
  link.driver_.flush();
  // --> Delete Branch x 10      <-- success x 10
  link.exchange();
  EXPECT_EQ(link.agent_->counters().requests, requests + 10);
  const auto done = link.events<driver::Done>();
  ASSERT_THAT(done, SizeIs(10));
  for (std::uint32_t i = 0; i < 10; ++i) EXPECT_THAT(done[i], Answered(i, Cause::kNone));
  EXPECT_EQ(link.fabric_->branches(), 0U);
}

TEST_F(GsmpDriverV1, a_delete_of_what_is_not_there_is_done) {
  bring_up();
  there_is(cross(100, 200));
  link.driver_.remove(cross(100, 201), 2);  // the connection exists, this branch does not
  link.driver_.remove(cross(555, 556), 3);  // the connection does not exist
  link.driver_.flush();
  link.exchange();
  EXPECT_THAT(link.events<driver::Done>(),
              UnorderedElementsAre(Answered(2U, Cause::kNone), Answered(3U, Cause::kNone)));
  EXPECT_EQ(link.fabric_->branches(), 1U);
}

TEST_F(GsmpDriverV1, a_refusal_carries_the_failure_code_of_version_3) {
  bring_up();
  link.agent_->refuse_next(1, gsmp::FailureCode::kOutOfResources);
  link.add(cross(100, 200), 7);
  link.driver_.flush();
  link.exchange();  // <-- failure 15
  const auto done = link.events<driver::Done>();
  ASSERT_THAT(done, ElementsAre(Answered(7U, Cause::kSwitchRefused)));
  EXPECT_EQ(done[0].failure_code, 19);
  EXPECT_THAT(read().cross_connects, IsEmpty());
}

TEST_F(GsmpDriverV1, a_contract_goes_by_priority) {
  bring_up();
  link.add(cross(100, 200), 1, {ServiceCategory::kNrtVbr, 1000, 20, 400, 50});
  link.driver_.flush();
  link.exchange();
  EXPECT_THAT(link.events<driver::Done>(), ElementsAre(Answered(1U, Cause::kNone)));
  EXPECT_EQ(link.driver_.driver_counters().by_priority, 1U);
  const auto added = link.fabric_->find(kIn, atm_label(0, 100));
  ASSERT_TRUE(added);
  EXPECT_EQ(added->branches[0].output_qos, (switchagent::Qos{gsmp::QosModel::kPriority, 2}));
}

TEST_F(GsmpDriverV1, the_table_is_what_was_added_and_is_active) {
  bring_up();
  const CrossConnect leaf{kIn, atm_label(0, 100), PortId{3}, atm_label(0, 300)};
  const CrossConnect back{PortId{3}, atm_label(0, 100), kIn, atm_label(0, 200)};
  for (const CrossConnect& at : {cross(100, 200), leaf, cross(1023, 32), back}) there_is(at);
  // --> VC Activity of all labels of three ports      <-- the labels that are in use
  const driver::Table table = read();
  EXPECT_EQ(table.cookie, 77U);
  EXPECT_EQ(table.cause, Cause::kNone);
  EXPECT_THAT(table.cross_connects,
              UnorderedElementsAre(cross(100, 200), leaf, cross(1023, 32), back));

  link.driver_.remove(leaf, 5);
  link.driver_.remove(back, 6);
  link.driver_.flush();
  EXPECT_THAT(read().cross_connects, UnorderedElementsAre(cross(100, 200), cross(1023, 32)));
}

TEST_F(GsmpDriverV1, a_moved_branch_is_listed_where_it_is) {
  bring_up();
  there_is(cross(100, 200));
  link.driver_.move(cross(100, 200), PortId{3}, atm_label(0, 300), {}, 2);
  link.driver_.flush();
  link.exchange();
  EXPECT_THAT(read().cross_connects,
              ElementsAre(CrossConnect{kIn, atm_label(0, 100), PortId{3}, atm_label(0, 300)}));
}

TEST_F(GsmpDriverV1, a_move_that_was_not_answered_is_listed_in_both_places) {
  bring_up();
  there_is(cross(100, 200));
  const CrossConnect moved{kIn, atm_label(0, 100), PortId{3}, atm_label(0, 300)};
  link.driver_.move(cross(100, 200), moved.output_port, moved.output_label, {}, 2);
  link.driver_.flush();
  link.cut();  // it is unknown whether the move has arrived
  EXPECT_THAT(link.events<driver::Done>(), ElementsAre(Answered(2U, Cause::kSwitchUnreachable)));
  link.connect();
  (void)link.driver_.take_events();
  EXPECT_THAT(read().cross_connects, UnorderedElementsAre(cross(100, 200), moved));

  link.driver_.move(moved, kOut, atm_label(0, 200), {}, 3);  // the move was not made
  link.driver_.flush();
  link.exchange();
  const auto done = link.events<driver::Done>();
  ASSERT_THAT(done, ElementsAre(Answered(3U, Cause::kSwitchRefused)));
  EXPECT_TRUE(done[0].absent);
  EXPECT_THAT(read().cross_connects, ElementsAre(cross(100, 200)));
}

TEST_F(GsmpDriverV1, of_a_stranger_only_the_input_is_known) {
  bring_up();
  there_is(cross(100, 200));
  stranger({PortId{3}, atm_label(0, 44), kIn, atm_label(0, 45)});
  EXPECT_THAT(read().cross_connects,
              UnorderedElementsAre(cross(100, 200), unknown_output(PortId{3}, 44)));
}

TEST_F(GsmpDriverV1, what_was_added_outlives_the_adjacency) {
  bring_up();
  there_is(cross(100, 200));
  link.cut();
  come_again();
  EXPECT_THAT(read().cross_connects, ElementsAre(cross(100, 200)));
}

TEST_F(GsmpDriverV1, what_a_cold_restart_has_ended_does_not_come_back_with_its_label) {
  bring_up();
  there_is(cross(100, 200));
  link.cut();
  link.restart_switch(3);
  come_again();
  EXPECT_THAT(read().cross_connects, IsEmpty());
  there_is(cross(100, 300));
  EXPECT_THAT(read().cross_connects, ElementsAre(cross(100, 300)));
}

TEST_F(GsmpDriverV1, what_another_takes_and_puts_back_meanwhile_is_as_before) {
  bring_up();
  there_is(cross(100, 200));
  link.fabric_->clear();
  EXPECT_THAT(read().cross_connects, IsEmpty());
  stranger(cross(100, 200));
  EXPECT_THAT(read().cross_connects, ElementsAre(cross(100, 200)));
}

TEST_F(GsmpDriverV1, an_add_whose_answer_overtakes_a_read_is_listed_by_the_next) {
  bring_up();
  link.driver_.read_table(77);
  wire::Buffer sent;
  wire::Buffer of_the_read;
  link.driver_.take_output(sent);
  link.agent_->receive(link.at_, sent, link.now_);
  link.agent_->take_output(link.at_, of_the_read);  // the switch has sent nothing
  there_is(cross(100, 200));
  link.driver_.receive(of_the_read, link.now_);
  link.exchange();
  const auto tables = link.events<driver::Table>();
  ASSERT_THAT(tables, SizeIs(1));
  EXPECT_THAT(tables[0].cross_connects, IsEmpty());
  EXPECT_THAT(read().cross_connects, ElementsAre(cross(100, 200)));
}

TEST_F(GsmpDriverV1, an_add_that_was_done_and_not_answered_is_listed_without_its_output) {
  bring_up();
  link.add(cross(100, 200), 1);
  link.driver_.flush();
  wire::Buffer sent;
  link.driver_.take_output(sent);
  link.agent_->receive(link.at_, sent, link.now_);
  link.agent_->take_output(link.at_, sent);  // and this one is lost
  link.pass(std::chrono::seconds{2});
  EXPECT_THAT(link.events<driver::Done>(), ElementsAre(Answered(1U, Cause::kTimeout)));
  EXPECT_THAT(read().cross_connects, ElementsAre(unknown_output(kIn, 100)));
  link.driver_.remove(cross(100, 200), 2);
  link.driver_.flush();
  link.exchange();
  EXPECT_THAT(link.events<driver::Done>(), ElementsAre(Answered(2U, Cause::kNone)));
  EXPECT_THAT(read().cross_connects, IsEmpty());
}

TEST_F(GsmpDriverV1, single_inputs_are_read_by_their_activity) {
  bring_up();
  there_is(cross(100, 200));
  there_is(cross(101, 201));
  stranger(cross(102, 202));
  link.driver_.read_inputs(
      {{kIn, atm_label(0, 100)}, {kIn, atm_label(0, 102)}, {kIn, atm_label(0, 103)}}, 77);
  link.exchange();
  const auto tables = link.events<driver::Table>();
  ASSERT_THAT(tables, SizeIs(1));
  EXPECT_THAT(tables[0].cross_connects,
              UnorderedElementsAre(cross(100, 200), unknown_output(kIn, 102)));
}

TEST_F(GsmpDriverV1, a_read_without_answers_times_out_as_one) {
  bring_up();
  link.driver_.read_table(77);
  link.driver_.flush();
  lose_what_was_sent();
  link.pass(std::chrono::seconds{2});
  const auto tables = link.events<driver::Table>();
  ASSERT_THAT(tables, SizeIs(1));
  EXPECT_EQ(tables[0].cookie, 77U);
  EXPECT_EQ(tables[0].cause, Cause::kTimeout);
}

TEST_F(GsmpDriverV1, a_read_at_a_cut_is_answered_before_down) {
  bring_up();
  link.driver_.read_table(77);
  link.driver_.flush();
  lose_what_was_sent();
  link.cut();
  const auto events = link.driver_.take_events();
  ASSERT_THAT(events, SizeIs(2));
  EXPECT_EQ(std::get<driver::Table>(events[0]).cause, Cause::kSwitchUnreachable);
  EXPECT_TRUE(std::holds_alternative<driver::Down>(events[1]));
}

TEST_F(GsmpDriverV1, of_very_many_labels_the_first_are_looked_at) {
  link.fabric_->set_labels(kIn, {atm_range(0, 3, 32, 65535)});
  bring_up();
  const auto in_path = [](std::uint32_t vpi, std::uint32_t vci) {
    return CrossConnect{kIn, atm_label(vpi, vci), kOut, atm_label(0, 200)};
  };
  const std::uint32_t last = 32 + 31;  // 65504 of VPI 0, 32 of VPI 1
  stranger(in_path(0, 65535));
  stranger({kIn, atm_label(1, last), kOut, atm_label(0, 201)});
  stranger({kIn, atm_label(1, last + 1), kOut, atm_label(0, 202)});
  const driver::Table table = read();
  EXPECT_EQ(table.cause, Cause::kNone);
  EXPECT_THAT(table.cross_connects,
              UnorderedElementsAre(unknown_output(kIn, 65535),
                                   CrossConnect{kIn, atm_label(1, last), PortId{}, Label{}}));
}

TEST_F(GsmpDriverV1, a_delete_that_the_version_cannot_say_is_done) {
  bring_up();
  const Label mpls{LabelKind::kMpls, 16};
  link.driver_.remove({PortId{1}, mpls, PortId{2}, mpls}, 5);
  link.driver_.flush();
  EXPECT_THAT(link.events<driver::Done>(), ElementsAre(Answered(5U, Cause::kNone)))
      << "it was never added";
}

}  // namespace
}  // namespace xbind
