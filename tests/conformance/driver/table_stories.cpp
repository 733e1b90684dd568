// Reading a switch's table and counters.
#include <gmock/gmock.h>

#include "tests/conformance/driver/stories.hpp"

namespace xbind::driver_kit {
namespace {

using testing::IsEmpty;
using testing::UnorderedElementsAre;
using testing::UnorderedElementsAreArray;

void an_empty_table_is_read_as_empty(Stage& stage) {
  stage.come_up();
  const auto read = stage.read_table();
  stage.play();
  EXPECT_EQ(stage.table(read).cause, Cause::kNone);
  EXPECT_THAT(stage.table(read).cross_connects, IsEmpty());
}

void the_table_is_what_was_added(Stage& stage) {
  stage.come_up();
  std::vector<CrossConnect> added;
  for (std::uint32_t i = 0; i < 300; ++i) added.push_back(stage.cross(i, 400 + i));
  CrossConnect branch = added.front();
  branch.output_port = stage.port(2);
  added.push_back(branch);
  added.push_back({stage.port(2), stage.rig().label(5), stage.port(0), stage.rig().label(6)});
  for (const CrossConnect& at : added) stage.add(at);
  stage.play();
  const auto read = stage.read_table();
  stage.play();
  EXPECT_EQ(stage.table(read).cause, Cause::kNone);
  EXPECT_THAT(stage.table(read).cross_connects, UnorderedElementsAreArray(added));
  EXPECT_THAT(stage.rig().table(), UnorderedElementsAreArray(added));
}

void a_moved_one_is_listed_where_it_is(Stage& stage) {
  stage.come_up();
  const CrossConnect at = stage.there_is(stage.cross(1, 11));
  CrossConnect there = at;
  there.output_port = stage.port(2);
  there.output_label = stage.rig().label(12);
  stage.move(at, there.output_port, there.output_label);
  stage.play();
  const auto read = stage.read_table();
  stage.play();
  EXPECT_THAT(stage.table(read).cross_connects, UnorderedElementsAre(there));
}

void what_a_stranger_has_added_is_listed_too(Stage& stage) {
  stage.come_up();
  const CrossConnect ours = stage.there_is(stage.cross(1, 11));
  const CrossConnect foreign{stage.port(2), stage.rig().label(7), stage.port(1),
                             stage.rig().label(17)};
  stage.rig().another_adds(foreign);
  const auto read = stage.read_table();
  stage.play();
  CrossConnect listed = foreign;
  if (!stage.rig().abilities().lists_outputs) {
    listed.output_port = PortId{};
    listed.output_label = Label{};
  }
  EXPECT_THAT(stage.table(read).cross_connects, UnorderedElementsAre(ours, listed));
}

void one_port_is_read(Stage& stage) {
  stage.come_up();
  const CrossConnect one = stage.there_is(stage.cross(1, 11));
  const CrossConnect two = stage.there_is(stage.cross(2, 12));
  CrossConnect branch = one;
  branch.output_port = stage.port(2);
  stage.there_is(branch);
  const auto read = stage.read_port(one.input_port);
  const auto empty = stage.read_port(stage.port(2));
  stage.play();
  EXPECT_EQ(stage.table(read).cause, Cause::kNone);
  EXPECT_EQ(stage.table(empty).cause, Cause::kNone) << "nothing enters there, which is no failure";
  // A driver may list the entries of other ports, too.
  std::vector<CrossConnect> there;
  for (const CrossConnect& at : stage.table(read).cross_connects) {
    if (at.input_port == one.input_port) there.push_back(at);
  }
  std::vector<CrossConnect> wanted{one, branch};
  if (two.input_port == one.input_port) wanted.push_back(two);
  EXPECT_THAT(there, ::testing::UnorderedElementsAreArray(wanted));
  for (const CrossConnect& at : stage.table(empty).cross_connects) {
    EXPECT_NE(at.input_port, stage.port(2));
  }
}

void single_inputs_are_read(Stage& stage) {
  stage.come_up();
  const CrossConnect one = stage.there_is(stage.cross(1, 11));
  stage.there_is(stage.cross(2, 12));
  CrossConnect branch = one;
  branch.output_port = stage.port(2);
  stage.there_is(branch);
  const driver::Input absent{stage.port(0), stage.rig().label(9)};
  const auto read = stage.read_inputs({{one.input_port, one.input_label}, absent});
  stage.play();
  EXPECT_EQ(stage.table(read).cause, Cause::kNone);
  // A driver may list others, too.
  std::vector<CrossConnect> asked;
  for (const CrossConnect& at : stage.table(read).cross_connects) {
    if (at.input_port == one.input_port && at.input_label == one.input_label) asked.push_back(at);
    EXPECT_FALSE(at.input_port == absent.port && at.input_label == absent.label);
  }
  EXPECT_THAT(asked, UnorderedElementsAre(one, branch));
}

void counters_of_a_port_and_of_a_connection(Stage& stage) {
  stage.come_up();
  const CrossConnect at = stage.there_is(stage.cross(1, 11));
  const CrossConnect other = stage.there_is(stage.cross(2, 12));
  stage.rig().cells_arrive(at.input_port, at.input_label, 5, stage.now());
  stage.rig().cells_arrive(other.input_port, other.input_label, 3, stage.now());
  const auto port = stage.read_statistics(at.input_port);
  const auto connection = stage.read_statistics(at.input_port, at.input_label);
  stage.play();
  EXPECT_EQ(stage.statistics(port).cause, Cause::kNone);
  EXPECT_EQ(stage.statistics(port).counters.input_cells, 8U);
  EXPECT_EQ(stage.statistics(connection).cause, Cause::kNone);
  EXPECT_EQ(stage.statistics(connection).counters.input_cells, 5U);
}

void counters_of_what_is_not_there_are_refused_as_absent(Stage& stage) {
  stage.come_up();
  const auto read = stage.read_statistics(stage.port(0), stage.rig().label(9));
  stage.play();
  EXPECT_EQ(stage.statistics(read).cause, Cause::kSwitchRefused);
  EXPECT_NE(stage.statistics(read).failure_code, 0);
  EXPECT_TRUE(stage.statistics(read).absent);
}

}  // namespace

const std::vector<Story>& table_stories() {
  static const std::vector<Story> kStories{
      {"an_empty_table_is_read_as_empty", an_empty_table_is_read_as_empty},
      {"the_table_is_what_was_added", the_table_is_what_was_added},
      {"a_moved_one_is_listed_where_it_is", a_moved_one_is_listed_where_it_is},
      {"what_a_stranger_has_added_is_listed_too", what_a_stranger_has_added_is_listed_too},
      {"one_port_is_read", one_port_is_read},
      {"single_inputs_are_read", single_inputs_are_read},
      {"counters_of_a_port_and_of_a_connection", counters_of_a_port_and_of_a_connection},
      {"counters_of_what_is_not_there_are_refused_as_absent",
       counters_of_what_is_not_there_are_refused_as_absent},
  };
  return kStories;
}

}  // namespace xbind::driver_kit
