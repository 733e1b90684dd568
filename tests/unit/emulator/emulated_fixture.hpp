// An emulated switch and its controllers, which communicate in memory and share a clock.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <deque>
#include <memory>

#include "emulator/emulated_switch.hpp"
#include "gsmp/session.hpp"

namespace xbind::emulator::test {

class EmulatedTest : public ::testing::Test {
 protected:
  // A controller and its connection, if it has one.
  struct Controller {
    std::unique_ptr<gsmp::Session> session;
    ConnectionKey connection = 0;  // 0: none
  };

  static EmulatedSwitchOptions options();
  explicit EmulatedTest(EmulatedSwitchOptions with = options());
  ~EmulatedTest() override;

  Controller& add_controller(std::vector<std::uint8_t> versions = {3, 1});
  // Connects the transport and brings the adjacency up.
  void connect(Controller& controller);

  // Carries octets in both directions until no end has output.
  void settle();
  // Returns whether there was any output.
  bool carry(Controller& controller);
  void close(Controller& controller);
  // Advances the clock, with the timers of all ends and their messages.
  void pass(Duration time);

  template <class E>
  std::vector<E> only(Controller& controller) {
    std::vector<E> found;
    for (gsmp::SessionEvent& event : controller.session->take_events()) {
      if (auto* one = std::get_if<E>(&event)) found.push_back(std::move(*one));
    }
    return found;
  }
  gsmp::AddBranch add(std::uint32_t in_vci, std::uint32_t out_vci) const;

  TimePoint now = TimePoint{} + std::chrono::seconds{1000};
  EmulatedSwitch emulated;
  std::deque<Controller> controllers;
  ConnectionKey last_connection = 0;
  std::uint32_t drawn = 0;
  std::size_t pieces = 0;
  std::vector<EmulatedSwitch::Ending> endings;
};

}  // namespace xbind::emulator::test
