// Add, remove, move: what succeeds, what is refused, and that nothing else changes.
#include <gmock/gmock.h>

#include "tests/conformance/driver/stories.hpp"

namespace xbind::driver_kit {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

const TrafficContract kCbr{ServiceCategory::kCbr, 1'000, 250};

void an_add_a_move_and_a_remove_are_done(Stage& stage) {
  stage.come_up();
  const CrossConnect at = stage.cross(1, 11);
  const auto added = stage.add(at);
  stage.play();
  EXPECT_EQ(stage.done(added).cause, Cause::kNone);
  EXPECT_THAT(stage.rig().table(), ElementsAre(at));

  CrossConnect there = at;
  there.output_port = stage.port(2);
  there.output_label = stage.rig().label(12);
  const auto moved = stage.move(at, there.output_port, there.output_label);
  stage.play();
  EXPECT_EQ(stage.done(moved).cause, Cause::kNone);
  EXPECT_THAT(stage.rig().table(), ElementsAre(there));

  const auto removed = stage.remove(there);
  stage.play();
  EXPECT_EQ(stage.done(removed).cause, Cause::kNone);
  EXPECT_THAT(stage.rig().table(), IsEmpty());
}

void a_thousand_adds_of_one_flush_are_all_answered(Stage& stage) {
  constexpr std::uint32_t kAdds = 1'000;
  stage.come_up();
  const int writes = stage.rig().writes();
  std::vector<driver::Cookie> cookies;
  for (std::uint32_t i = 0; i < kAdds; ++i) cookies.push_back(stage.add(stage.cross(i, i)));
  stage.play();
  for (const driver::Cookie cookie : cookies) {
    ASSERT_EQ(stage.done(cookie).cause, Cause::kNone) << cookie;
  }
  EXPECT_EQ(stage.rig().table().size(), kAdds);
  // The switch's window splits them into several writes; one write for each would be no pipeline.
  EXPECT_LE(stage.rig().writes() - writes, 20);
}

void requests_of_one_flush_take_effect_in_their_order(Stage& stage) {
  stage.come_up();
  const CrossConnect old = stage.there_is(stage.cross(1, 11));
  // The output label moves to another connection, and a third connection is added and removed.
  CrossConnect heir = old;
  heir.input_label = stage.rig().label(2);
  const CrossConnect brief = stage.cross(3, 13);
  stage.remove(old);
  stage.add(heir);
  stage.add(brief);
  stage.remove(brief);
  stage.play();
  EXPECT_THAT(stage.rig().table(), ElementsAre(heir));
  stage.remove(heir);
  stage.add(heir);
  stage.play();
  EXPECT_THAT(stage.rig().table(), ElementsAre(heir));
}

void adding_what_is_there_is_done(Stage& stage) {
  stage.come_up();
  const CrossConnect at = stage.there_is(stage.cross(1, 11));
  const auto again = stage.add(at);
  stage.play();
  EXPECT_EQ(stage.done(again).cause, Cause::kNone);
  EXPECT_THAT(stage.rig().table(), ElementsAre(at));
}

void removing_what_is_not_there_is_done(Stage& stage) {
  stage.come_up();
  const CrossConnect other = stage.there_is(stage.cross(1, 11));
  const auto connection = stage.remove(stage.cross(2, 12));  // no connection has this input
  // The input has one, but it leads elsewhere
  const auto branch = stage.remove(stage.cross(1, 12));
  stage.play();
  EXPECT_EQ(stage.done(connection).cause, Cause::kNone);
  EXPECT_EQ(stage.done(branch).cause, Cause::kNone);
  EXPECT_THAT(stage.rig().table(), ElementsAre(other));
}

void moving_what_is_not_there_is_refused_as_absent(Stage& stage) {
  stage.come_up();
  const CrossConnect other = stage.there_is(stage.cross(1, 11));
  const auto moved = stage.move(stage.cross(2, 12), stage.port(2), stage.rig().label(13));
  stage.play();
  EXPECT_EQ(stage.done(moved).cause, Cause::kSwitchRefused);
  EXPECT_TRUE(stage.done(moved).absent);
  EXPECT_THAT(stage.rig().table(), ElementsAre(other));
}

void a_refused_move_leaves_everything(Stage& stage) {
  stage.come_up();
  const CrossConnect at = stage.there_is(stage.cross(1, 11));
  stage.rig().refuse_next(1, RequestKind::kMove);
  const auto moved = stage.move(at, stage.port(2), stage.rig().label(12));
  stage.play();
  EXPECT_EQ(stage.done(moved).cause, Cause::kSwitchRefused);
  EXPECT_EQ(stage.done(moved).failure_code, stage.rig().refusal_code());
  EXPECT_FALSE(stage.done(moved).absent) << "it is there, and was not moved";
  EXPECT_THAT(stage.rig().table(), ElementsAre(at));
}

void two_inputs_may_lead_to_one_output(Stage& stage) {
  stage.come_up();
  const CrossConnect one = stage.there_is(stage.cross(1, 11));
  const CrossConnect other = stage.there_is(stage.cross(2, 11));
  EXPECT_THAT(stage.rig().table(), UnorderedElementsAre(one, other));
}

void branches_come_and_go_one_by_one(Stage& stage) {
  stage.come_up();
  const CrossConnect trunk = stage.there_is(stage.cross(1, 11));
  CrossConnect branch = trunk;
  branch.output_port = stage.port(2);
  branch.output_label = stage.rig().label(12);
  stage.there_is(branch);
  EXPECT_THAT(stage.rig().table(), UnorderedElementsAre(trunk, branch));
  const auto removed = stage.remove(trunk);
  stage.play();
  EXPECT_EQ(stage.done(removed).cause, Cause::kNone);
  EXPECT_THAT(stage.rig().table(), ElementsAre(branch));
}

void refusals_carry_their_code_and_are_of_those_that_were_refused(Stage& stage) {
  stage.come_up();
  stage.rig().refuse_next(2, RequestKind::kAdd);
  const auto first = stage.add(stage.cross(1, 11));
  const auto second = stage.add(stage.cross(2, 12));
  const auto third = stage.add(stage.cross(3, 13));
  stage.play();
  for (const driver::Cookie refused : {first, second}) {
    EXPECT_EQ(stage.done(refused).cause, Cause::kSwitchRefused);
    EXPECT_EQ(stage.done(refused).failure_code, stage.rig().refusal_code());
    EXPECT_FALSE(stage.done(refused).again);
  }
  EXPECT_EQ(stage.done(third).cause, Cause::kNone);
  EXPECT_EQ(stage.done(third).failure_code, 0);
  EXPECT_THAT(stage.rig().table(), ElementsAre(stage.cross(3, 13)));
}

// Refused with a code; the table stays unchanged.
void expect_impossible(Stage& stage, const CrossConnect& at) {
  const auto added = stage.add(at);
  stage.play();
  EXPECT_EQ(stage.done(added).cause, Cause::kSwitchRefused);
  EXPECT_NE(stage.done(added).failure_code, 0) << "a refusal has a name";
  EXPECT_THAT(stage.rig().table(), IsEmpty());
}

void a_port_that_is_not_there_is_refused(Stage& stage) {
  stage.come_up();
  CrossConnect at = stage.cross(1, 11);
  at.input_port = PortId{999};
  expect_impossible(stage, at);
  at = stage.cross(1, 11);
  at.output_port = PortId{999};
  expect_impossible(stage, at);
}

void a_label_out_of_range_is_refused(Stage& stage) {
  stage.come_up();
  CrossConnect at = stage.cross(1, 11);
  at.input_label = stage.rig().label_out_of_range();
  expect_impossible(stage, at);
}

void a_label_of_another_kind_is_refused(Stage& stage) {
  stage.come_up();
  CrossConnect at = stage.cross(1, 11);
  at.input_label = stage.rig().label_of_another_kind();
  expect_impossible(stage, at);
  at = stage.cross(1, 11);
  at.output_label = stage.rig().label_of_another_kind();
  expect_impossible(stage, at);
  // A cross-connect that was never added is absent: its removal succeeds, its move fails.
  const auto removed = stage.remove(at);
  const auto moved = stage.move(at, stage.port(2), stage.rig().label(12));
  stage.play();
  EXPECT_EQ(stage.done(removed).cause, Cause::kNone);
  EXPECT_EQ(stage.done(moved).cause, Cause::kSwitchRefused);
  EXPECT_THAT(stage.rig().table(), IsEmpty());
}

void a_contract_is_kept_to_where_the_switch_serves_it(Stage& stage) {
  stage.come_up();
  const bool serves = stage.rig().abilities().serves_contracts;
  const CrossConnect with = stage.there_is(stage.cross(1, 11), kCbr);
  const CrossConnect without = stage.there_is(stage.cross(2, 12));
  ASSERT_THAT(stage.rig().table(), UnorderedElementsAre(with, without));
  EXPECT_EQ(stage.rig().by_contract(with), serves);
  EXPECT_FALSE(stage.rig().by_contract(without));
}

}  // namespace

const std::vector<Story>& request_stories() {
  static const std::vector<Story> kStories{
      {"an_add_a_move_and_a_remove_are_done", an_add_a_move_and_a_remove_are_done},
      {"a_thousand_adds_of_one_flush_are_all_answered",
       a_thousand_adds_of_one_flush_are_all_answered},
      {"requests_of_one_flush_take_effect_in_their_order",
       requests_of_one_flush_take_effect_in_their_order},
      {"adding_what_is_there_is_done", adding_what_is_there_is_done},
      {"removing_what_is_not_there_is_done", removing_what_is_not_there_is_done},
      {"moving_what_is_not_there_is_refused_as_absent",
       moving_what_is_not_there_is_refused_as_absent},
      {"a_refused_move_leaves_everything", a_refused_move_leaves_everything},
      {"two_inputs_may_lead_to_one_output", two_inputs_may_lead_to_one_output},
      {"branches_come_and_go_one_by_one", branches_come_and_go_one_by_one},
      {"refusals_carry_their_code_and_are_of_those_that_were_refused",
       refusals_carry_their_code_and_are_of_those_that_were_refused},
      {"a_port_that_is_not_there_is_refused", a_port_that_is_not_there_is_refused},
      {"a_label_out_of_range_is_refused", a_label_out_of_range_is_refused},
      {"a_label_of_another_kind_is_refused", a_label_of_another_kind_is_refused},
      {"a_contract_is_kept_to_where_the_switch_serves_it",
       a_contract_is_kept_to_where_the_switch_serves_it},
  };
  return kStories;
}

}  // namespace xbind::driver_kit
