// Ports while the switch is up: lines go down and come up, another controller acts.
#include <gmock/gmock.h>

#include <algorithm>

#include "tests/conformance/driver/stories.hpp"

namespace xbind::driver_kit {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

void a_line_that_goes_down_and_comes_up_is_reported_and_renewed(Stage& stage) {
  stage.come_up();
  stage.rig().set_line(stage.port(1), false, stage.now());
  stage.settle();
  const auto down = stage.take_one<driver::Ports>();
  ASSERT_TRUE(down);
  std::vector<SwitchPort> expected = stage.rig().ports();
  expected[1].up = false;
  EXPECT_EQ(down->ports, expected);
  EXPECT_THAT(down->renewed, IsEmpty());

  stage.rig().set_line(stage.port(1), true, stage.now());
  stage.settle();
  // A line that comes up may be reported in two steps: the port, then its new session.
  std::vector<PortId> renewed;
  std::vector<SwitchPort> ports;
  for (const driver::Event& event : stage.take_session_events()) {
    if (const auto* received = std::get_if<driver::Ports>(&event)) {
      ports = received->ports;
      renewed.insert(renewed.end(), received->renewed.begin(), received->renewed.end());
    }
  }
  EXPECT_EQ(ports, stage.rig().ports());
  EXPECT_THAT(renewed, ElementsAre(stage.port(1)));

  const auto added = stage.add(stage.cross(1, 11));
  stage.play();
  EXPECT_EQ(stage.done(added).cause, Cause::kNone) << "the port is in service again";
}

void a_port_that_another_brings_up_is_renewed(Stage& stage) {
  stage.come_up();
  const CrossConnect at = stage.there_is(stage.cross(1, 11));
  stage.rig().another_brings_up(at.input_port, stage.now());
  EXPECT_THAT(stage.rig().table(), IsEmpty())
      << "another controller that brings a port up empties its table";
  stage.settle();
  if (stage.rig().abilities().tells_takeovers) {
    stage.pass_and_settle(stage.rig().takeover_noticed_within());
  } else {
    // The driver gets no notice. It learns from its next request there, which may then be repeated.
    const auto added = stage.add(at);
    stage.play();
    EXPECT_EQ(stage.done(added).cause, Cause::kSwitchRefused);
    EXPECT_TRUE(stage.done(added).again);
  }
  const auto ports = stage.take_one<driver::Ports>();
  ASSERT_TRUE(ports);
  EXPECT_THAT(ports->renewed, ElementsAre(at.input_port));
  stage.there_is(at);
  EXPECT_THAT(stage.rig().table(), ElementsAre(at))
      << "this controller's cross-connect is put back";
}

}  // namespace

const std::vector<Story>& port_stories() {
  static const std::vector<Story> kStories{
      {"a_line_that_goes_down_and_comes_up_is_reported_and_renewed",
       a_line_that_goes_down_and_comes_up_is_reported_and_renewed},
      {"a_port_that_another_brings_up_is_renewed", a_port_that_another_brings_up_is_renewed},
  };
  return kStories;
}

std::vector<Story> all_stories() {
  std::vector<Story> all;
  for (const auto* stories :
       {&request_stories(), &channel_stories(), &table_stories(), &port_stories()}) {
    all.insert(all.end(), stories->begin(), stories->end());
  }
  return all;
}

}  // namespace xbind::driver_kit
