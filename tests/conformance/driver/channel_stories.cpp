// The control channel connects, breaks, reconnects, and loses messages in flight.
#include <gmock/gmock.h>

#include "tests/conformance/driver/stories.hpp"

namespace xbind::driver_kit {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

void the_switch_comes_up_with_its_ports(Stage& stage) {
  stage.settle();
  EXPECT_THAT(stage.take_session_events(), IsEmpty()) << "no controller is connected";
  const auto up = stage.come_up();
  ASSERT_TRUE(up);
  EXPECT_EQ(up->ports, stage.rig().ports());
  EXPECT_NE(stage.driver().peer(), "");
  EXPECT_EQ(stage.driver().why_away(), "");
}

void a_lost_channel_answers_all_open_requests_before_down(Stage& stage) {
  stage.come_up();
  const CrossConnect at = stage.there_is(stage.cross(1, 11));
  const std::vector<driver::Cookie> lost{
      stage.add(stage.cross(2, 12)), stage.remove(stage.cross(3, 13)),
      stage.move(at, stage.port(2), stage.rig().label(14)), stage.add(stage.cross(4, 14))};
  const auto table = stage.read_table();
  const auto counters = stage.read_statistics(stage.port(0));
  stage.flush();
  stage.step();
  stage.rig().lose_requests();
  const auto late = stage.remove(stage.cross(5, 15));  // never flushed
  stage.cut();
  EXPECT_TRUE(stage.take_one<driver::Down>());
  for (const driver::Cookie cookie : lost) {
    EXPECT_EQ(stage.done(cookie).cause, Cause::kSwitchUnreachable) << cookie;
  }
  EXPECT_EQ(stage.done(late).cause, Cause::kSwitchUnreachable);
  EXPECT_EQ(stage.table(table).cause, Cause::kSwitchUnreachable);
  EXPECT_EQ(stage.statistics(counters).cause, Cause::kSwitchUnreachable);
  EXPECT_NE(stage.driver().why_away(), "");
}

void requests_while_the_switch_is_away_are_unreachable(Stage& stage) {
  const auto ask_everything = [&] {
    const CrossConnect at = stage.cross(1, 11);
    const auto added = stage.add(at);
    const auto removed = stage.remove(at);
    const auto moved = stage.move(at, stage.port(2), stage.rig().label(12));
    const auto table = stage.read_table();
    const auto counters = stage.read_statistics(stage.port(0));
    stage.flush();
    stage.step();
    EXPECT_EQ(stage.done(added).cause, Cause::kSwitchUnreachable);
    EXPECT_EQ(stage.done(removed).cause, Cause::kSwitchUnreachable);
    EXPECT_EQ(stage.done(moved).cause, Cause::kSwitchUnreachable);
    EXPECT_EQ(stage.table(table).cause, Cause::kSwitchUnreachable);
    EXPECT_EQ(stage.statistics(counters).cause, Cause::kSwitchUnreachable);
  };
  ask_everything();  // made while no channel exists
  stage.come_up();
  stage.cut();
  ask_everything();  // lost
  stage.come_up();
  EXPECT_THAT(stage.rig().table(), IsEmpty()) << "none of them was kept for later";
}

void a_switch_that_kept_its_table_says_so(Stage& stage) {
  stage.come_up();
  const CrossConnect at = stage.there_is(stage.cross(1, 11));
  stage.cut();
  const auto up = stage.come_up();
  ASSERT_TRUE(up);
  EXPECT_TRUE(up->kept);
  EXPECT_EQ(up->ports, stage.rig().ports());
  const auto read = stage.read_table();
  stage.play();
  EXPECT_THAT(stage.table(read).cross_connects, ElementsAre(at));
}

void a_switch_that_starts_empty_says_so(Stage& stage) {
  stage.come_up();
  stage.there_is(stage.cross(1, 11));
  stage.rig().restart_empty(stage.now());
  stage.step();
  EXPECT_TRUE(stage.take_one<driver::Down>());
  const auto up = stage.come_up();
  ASSERT_TRUE(up);
  // A driver that cannot know reports "kept", and the controller reads the table.
  EXPECT_EQ(up->kept, !stage.rig().abilities().says_emptied);
  const auto read = stage.read_table();
  stage.play();
  EXPECT_EQ(stage.table(read).cause, Cause::kNone);
  EXPECT_THAT(stage.table(read).cross_connects, IsEmpty());
}

void a_request_that_the_switch_never_answers_times_out(Stage& stage) {
  stage.come_up();
  const auto added = stage.add(stage.cross(1, 11));
  const auto removed = stage.remove(stage.cross(2, 12));
  const auto counters = stage.read_statistics(stage.port(0));
  stage.flush();
  stage.step();
  stage.rig().lose_requests();
  stage.pass(stage.rig().request_timeout() - std::chrono::milliseconds{1});
  EXPECT_FALSE(stage.answered(added)) << "it is not late yet";
  stage.pass(std::chrono::milliseconds{1});
  EXPECT_EQ(stage.done(added).cause, Cause::kTimeout);
  EXPECT_EQ(stage.done(removed).cause, Cause::kTimeout);
  EXPECT_EQ(stage.statistics(counters).cause, Cause::kTimeout);
  EXPECT_THAT(stage.take_session_events(), IsEmpty()) << "the channel is as it was";
}

void an_answer_after_its_timeout_changes_nothing(Stage& stage) {
  stage.come_up();
  const auto added = stage.add(stage.cross(1, 11));
  stage.flush();
  stage.step();
  while (stage.rig().carry_requests(stage.now())) {
  }
  EXPECT_THAT(stage.rig().table(), ElementsAre(stage.cross(1, 11))) << "the switch has done it";
  stage.pass(stage.rig().request_timeout());
  EXPECT_EQ(stage.done(added).cause, Cause::kTimeout);
  stage.settle();  // the late answer arrives; the stage would notice a second one
  const auto next = stage.add(stage.cross(2, 12));
  stage.play();
  EXPECT_EQ(stage.done(next).cause, Cause::kNone);
}

void nothing_comes_of_a_driver_that_has_ended(Stage& stage) {
  stage.come_up();
  stage.add(stage.cross(1, 11));
  stage.read_table();
  stage.flush();
  stage.step();
  stage.rig().carry_requests(stage.now());
  stage.end_driver();
  while (stage.rig().carry_answers(stage.now())) {
  }
  stage.rig().set_line(stage.port(0), false, stage.now());
  stage.rig().connect(stage.now());
  stage.rig().carry_answers(stage.now());
  stage.rig().cut(stage.now());
  EXPECT_EQ(stage.wakes(), 0);
}

}  // namespace

const std::vector<Story>& channel_stories() {
  static const std::vector<Story> kStories{
      {"the_switch_comes_up_with_its_ports", the_switch_comes_up_with_its_ports},
      {"a_lost_channel_answers_all_open_requests_before_down",
       a_lost_channel_answers_all_open_requests_before_down},
      {"requests_while_the_switch_is_away_are_unreachable",
       requests_while_the_switch_is_away_are_unreachable},
      {"a_switch_that_kept_its_table_says_so", a_switch_that_kept_its_table_says_so},
      {"a_switch_that_starts_empty_says_so", a_switch_that_starts_empty_says_so},
      {"a_request_that_the_switch_never_answers_times_out",
       a_request_that_the_switch_never_answers_times_out},
      {"an_answer_after_its_timeout_changes_nothing", an_answer_after_its_timeout_changes_nothing},
      {"nothing_comes_of_a_driver_that_has_ended", nothing_comes_of_a_driver_that_has_ended},
  };
  return kStories;
}

}  // namespace xbind::driver_kit
