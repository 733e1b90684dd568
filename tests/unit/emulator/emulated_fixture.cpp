#include "tests/unit/emulator/emulated_fixture.hpp"

#include <algorithm>
#include <utility>

namespace xbind::emulator::test {

EmulatedSwitchOptions EmulatedTest::options() {
  EmulatedSwitchOptions made;
  made.name = "sw1";
  made.fabric.ports = 3;
  made.agent.name = switchagent::name_from("sw1");
  made.seed = 42;
  return made;
}

EmulatedTest::EmulatedTest(EmulatedSwitchOptions with) : emulated(std::move(with)) {}

EmulatedTest::~EmulatedTest() = default;

EmulatedTest::Controller& EmulatedTest::add_controller(std::vector<std::uint8_t> versions) {
  gsmp::SessionOptions session;
  session.adjacency.versions = std::move(versions);
  session.adjacency.name = 0x0200000a0000 + controllers.size();
  Controller made;
  made.session = std::make_unique<gsmp::Session>(session, [this] { return ++drawn; });
  return controllers.emplace_back(std::move(made));
}

void EmulatedTest::connect(Controller& controller) {
  controller.connection = ++last_connection;
  ASSERT_TRUE(emulated.connected(controller.connection, now));
  controller.session->connected(now);
  settle();
}

void EmulatedTest::settle() {
  for (int turn = 0; turn < 10000; ++turn) {
    bool quiet = true;
    for (Controller& controller : controllers) quiet = !carry(controller) && quiet;
    for (const EmulatedSwitch::Ending& ending : emulated.take_endings()) {
      endings.push_back(ending);
      for (Controller& controller : controllers) {
        if (controller.connection == ending.connection) close(controller);
      }
      quiet = false;
    }
    if (quiet) return;
  }
  FAIL() << "they never stop talking";
}

bool EmulatedTest::carry(Controller& controller) {
  if (controller.connection == 0) return false;
  bool said = controller.session->has_output();
  wire::Buffer octets;
  controller.session->take_output(octets);
  if (!octets.empty()) emulated.receive(controller.connection, octets, now);
  while (true) {
    emulated.take_output(controller.connection, octets, now);
    if (octets.empty()) return said;
    said = true;
    ++pieces;
    controller.session->receive(octets, now);
  }
}

void EmulatedTest::close(Controller& controller) {
  if (controller.connection == 0) return;
  emulated.closed(controller.connection, now);
  controller.session->closed(now);
  controller.connection = 0;
}

void EmulatedTest::pass(Duration time) {
  const TimePoint end = now + time;
  settle();
  while (now < end) {
    TimePoint next = std::min(end, emulated.next_deadline());
    for (const Controller& controller : controllers)
      next = std::min(next, controller.session->next_deadline());
    now = std::max(next, now + Duration{1});
    emulated.tick(now);
    for (Controller& controller : controllers) controller.session->tick(now);
    settle();
  }
}

gsmp::AddBranch EmulatedTest::add(std::uint32_t in_vci, std::uint32_t out_vci) const {
  gsmp::AddBranch request;
  request.port_session = emulated.fabric().port_session(PortId(1));
  request.input_port = PortId(1);
  request.output_port = PortId(2);
  request.input_label = gsmp::label_field(atm_label(0, in_vci));
  request.output_label = gsmp::label_field(atm_label(0, out_vci));
  return request;
}

}  // namespace xbind::emulator::test
