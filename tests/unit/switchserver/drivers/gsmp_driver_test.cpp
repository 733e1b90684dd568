// The driver against the emulated switch's own agent; octets are exchanged in memory.
#include <gmock/gmock.h>

#include "tests/unit/switchserver/drivers/driver_link.hpp"

namespace xbind {
namespace {

using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;

TEST(GsmpDriver, tells_the_ports_once_the_adjacency_is_up) {
  Link link(3);
  link.connect();
  const auto up = link.events<driver::Up>();
  ASSERT_THAT(up, SizeIs(1));
  EXPECT_FALSE(up[0].kept) << "the switch has just started";
  ASSERT_THAT(up[0].ports, SizeIs(3));
  EXPECT_EQ(up[0].ports[0], (SwitchPort{PortId{1}, {atm_range(0, 0, 32, 1023)}, 353207, true}));
  EXPECT_EQ(up[0].ports[2].port, PortId{3});
}

TEST(GsmpDriver, says_kept_when_the_switch_has_kept_its_connections) {
  Link link;
  link.connect();
  link.cut();
  EXPECT_THAT(link.events<driver::Down>(), SizeIs(1));
  link.connect();
  const auto up = link.events<driver::Up>();
  ASSERT_THAT(up, SizeIs(1));
  EXPECT_TRUE(up[0].kept);
}

TEST(GsmpDriver, sends_what_is_queued_in_one_write) {
  Link link;
  link.connect();
  link.events<driver::Up>();
  for (std::uint32_t i = 0; i < 100; ++i) link.add(cross(100 + i, 200 + i), i);
  link.driver_.flush();
  // --> Add Branch x 100      <-- success x 100
  EXPECT_EQ(link.exchange(), 1);
  EXPECT_THAT(link.events<driver::Done>(), SizeIs(100));
  EXPECT_EQ(link.fabric_->branches(), 100U);
}

TEST(GsmpDriver, gathers_deletes_into_one_message) {
  Link link;
  link.connect();
  for (std::uint32_t i = 0; i < 10; ++i) link.add(cross(100 + i, 200 + i), i);
  link.driver_.flush();
  link.exchange();
  link.driver_.take_events();
  const auto requests = link.agent_->counters().requests;
  for (std::uint32_t i = 0; i < 10; ++i) link.driver_.remove(cross(100 + i, 200 + i), 1000 + i);
  link.driver_.flush();
  // --> Delete Branches (10 elements)      <-- success
  link.exchange();
  EXPECT_EQ(link.agent_->counters().requests, requests + 1);
  EXPECT_THAT(link.events<driver::Done>(), SizeIs(10));
  EXPECT_EQ(link.fabric_->branches(), 0U);
}

TEST(GsmpDriver, keeps_the_order_of_a_delete_and_an_add_of_the_same_label) {
  Link link;
  link.connect();
  link.add(cross(100, 200), 1);
  link.driver_.flush();
  link.exchange();
  link.driver_.take_events();
  link.driver_.remove(cross(100, 200), 2);
  link.add(cross(100, 300), 3);  // the same input: it would be a second branch if it came first
  link.driver_.flush();
  link.exchange();
  EXPECT_THAT(link.events<driver::Done>(),
              UnorderedElementsAre(Answered(2U, Cause::kNone), Answered(3U, Cause::kNone)));
  EXPECT_EQ(link.fabric_->branches(), 1U);
}

TEST(GsmpDriver, a_delete_of_what_is_not_there_is_done) {
  Link link;
  link.connect();
  link.add(cross(100, 200), 1);
  link.driver_.flush();
  link.exchange();
  link.driver_.take_events();
  link.driver_.remove(cross(100, 200), 2);
  link.driver_.remove(cross(555, 556), 3);
  link.driver_.flush();
  // <-- failure 10: element 1 done, element 2 no such connection
  link.exchange();
  EXPECT_THAT(link.events<driver::Done>(),
              UnorderedElementsAre(Answered(2U, Cause::kNone), Answered(3U, Cause::kNone)));
}

TEST(GsmpDriver, a_refusal_carries_the_failure_code) {
  Link link;
  link.connect();
  link.agent_->refuse_next(1, gsmp::FailureCode::kInsufficientResources);
  link.add(cross(100, 200), 7);
  link.driver_.flush();
  link.exchange();
  const auto done = link.events<driver::Done>();
  ASSERT_THAT(done, SizeIs(1));
  EXPECT_EQ(done[0].cause, Cause::kSwitchRefused);
  EXPECT_EQ(done[0].failure_code, 18);
}

TEST(GsmpDriver, reads_the_whole_table) {
  Link link(3);
  link.connect();
  for (std::uint32_t i = 0; i < 900; ++i) link.add(cross(100 + i, 33), i);
  link.add({PortId{3}, atm_label(0, 40), kOut, atm_label(0, 41)}, 1000);
  link.driver_.flush();
  link.exchange();
  link.driver_.take_events();
  link.driver_.read_table(77);
  link.driver_.flush();
  link.exchange();
  const auto tables = link.events<driver::Table>();
  ASSERT_THAT(tables, SizeIs(1));
  EXPECT_EQ(tables[0].cookie, 77U);
  EXPECT_EQ(tables[0].cause, Cause::kNone);
  EXPECT_THAT(tables[0].cross_connects, SizeIs(901));
}

TEST(GsmpDriver, branches_of_one_input_are_added_listed_and_deleted_one_by_one) {
  Link link(3);
  link.connect();
  const CrossConnect one = cross(40, 50);
  const CrossConnect other{kIn, atm_label(0, 40), PortId{3}, atm_label(0, 51)};
  link.add(one, 1);
  link.add(other, 2);
  link.driver_.flush();
  link.exchange();
  EXPECT_THAT(link.events<driver::Done>(),
              UnorderedElementsAre(Answered(1U, Cause::kNone), Answered(2U, Cause::kNone)));
  link.driver_.read_table(7);
  link.exchange();
  auto tables = link.events<driver::Table>();
  ASSERT_THAT(tables, SizeIs(1));
  EXPECT_THAT(tables[0].cross_connects, UnorderedElementsAre(one, other));

  link.driver_.remove(one, 3);
  link.driver_.flush();
  link.driver_.read_table(8);
  link.exchange();
  tables = link.events<driver::Table>();
  ASSERT_THAT(tables, SizeIs(1));
  EXPECT_THAT(tables[0].cross_connects, UnorderedElementsAre(other));
}

TEST(GsmpDriver, reads_single_inputs_alone) {
  Link link(3);
  link.connect();
  const CrossConnect branch{kIn, atm_label(0, 140), PortId{3}, atm_label(0, 41)};
  for (std::uint32_t i = 0; i < 900; ++i) link.add(cross(100 + i, 33), i);
  link.add(branch, 1000);
  link.driver_.flush();
  link.exchange();
  link.driver_.take_events();
  link.driver_.read_inputs(
      {{kIn, atm_label(0, 140)}, {kIn, atm_label(0, 99)}, {kIn, atm_label(0, 101)}}, 77);
  link.exchange();
  const auto tables = link.events<driver::Table>();
  ASSERT_THAT(tables, SizeIs(1));
  EXPECT_EQ(tables[0].cookie, 77U);
  EXPECT_EQ(tables[0].cause, Cause::kNone);
  EXPECT_THAT(tables[0].cross_connects,
              UnorderedElementsAre(cross(140, 33), branch, cross(101, 33)));
}

TEST(GsmpDriver, an_empty_table_is_no_failure) {
  Link link;
  link.connect();
  link.driver_.read_table(5);
  link.driver_.flush();
  link.exchange();
  const auto tables = link.events<driver::Table>();
  ASSERT_THAT(tables, SizeIs(1));
  EXPECT_EQ(tables[0].cause, Cause::kNone);
  EXPECT_THAT(tables[0].cross_connects, IsEmpty());
}

TEST(GsmpDriver, requests_open_at_a_cut_are_answered_before_down) {
  Link link;
  link.connect();
  link.driver_.take_events();
  link.add(cross(100, 200), 1);
  link.driver_.remove(cross(300, 400), 2);
  link.driver_.flush();
  wire::Buffer lost;
  link.driver_.take_output(lost);           // sent, and lost because the connection broke first
  link.driver_.remove(cross(500, 600), 3);  // never flushed
  link.cut();
  const auto events = link.driver_.take_events();
  ASSERT_THAT(events, SizeIs(4));
  std::vector<std::uint64_t> cookies;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto& done = std::get<driver::Done>(events[i]);
    EXPECT_EQ(done.cause, Cause::kSwitchUnreachable);
    cookies.push_back(done.cookie);
  }
  EXPECT_THAT(cookies, UnorderedElementsAre(1U, 2U, 3U));
  EXPECT_TRUE(std::holds_alternative<driver::Down>(events[3]));
}

TEST(GsmpDriver, a_request_while_down_is_answered_at_once) {
  Link link;
  link.add(cross(100, 200), 1);
  link.driver_.remove(cross(100, 200), 2);
  link.driver_.read_table(3);
  link.driver_.flush();
  EXPECT_THAT(link.driver_.take_events(), SizeIs(3));
}

TEST(GsmpDriver, a_request_without_an_answer_times_out) {
  Link link;
  link.connect();
  link.driver_.take_events();
  link.add(cross(100, 200), 1);
  link.driver_.flush();
  wire::Buffer lost;
  link.driver_.take_output(lost);
  link.pass(std::chrono::milliseconds{1999});
  EXPECT_THAT(link.events<driver::Done>(), IsEmpty());
  link.pass(std::chrono::milliseconds{1});
  EXPECT_THAT(link.events<driver::Done>(), testing::ElementsAre(Answered(1U, Cause::kTimeout)));
}

TEST(GsmpDriver, a_silent_switch_is_dropped) {
  Link link;
  link.connect();
  for (int i = 0; i < 50; ++i) link.pass(std::chrono::milliseconds{100});
  EXPECT_NE(link.driver_.take_drop_reason(), "");
  EXPECT_EQ(link.driver_.take_drop_reason(), "") << "taken once";
}

TEST(GsmpDriver, garbage_is_dropped_and_named) {
  Link link;
  link.connect();
  const wire::Buffer garbage(64, std::byte{0x42});
  link.driver_.receive(garbage, link.now_);
  EXPECT_NE(link.driver_.take_drop_reason(), "");
}

}  // namespace
}  // namespace xbind
