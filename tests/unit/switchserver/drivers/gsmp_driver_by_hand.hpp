// The driver against a switch that the test emulates by hand, message by message.
#pragma once

#include <gmock/gmock.h>

#include <map>
#include <variant>
#include <vector>

#include "gsmp/messages/port_management.hpp"
#include "switchserver/drivers/gsmp_driver.hpp"
#include "tests/unit/deadlines.hpp"
#include "tests/unit/gsmp/hex.hpp"

namespace xbind {

// Two ports; port 1 has session 0x5eed0001, port 2 has 0x5eed0002.
class GsmpDriverByHand : public ::testing::Test {
 protected:
  GsmpDriverByHand();
  ~GsmpDriverByHand() override;

  // From port 1 to port 2.
  static CrossConnect cross(std::uint32_t input_vci, std::uint32_t output_vci);
  static gsmp::SessionOptions options();

  // <-- SYNACK;  --> ACK, Switch Configuration;  and so on until the driver has read the ports
  void bring_up();
  // As the owner's timer does. What is due has been done then, or waits for room.
  void tick() {
    driver.tick(now);
    EXPECT_TRUE(sleeps(driver.next_deadline(), now));
  }
  // The switch answers queries about its configuration, ports and services. All
  // other requests wait in `asked`.
  void play();
  bool answered(const gsmp::Message& message);
  template <class M>
  void say(const M& message) {
    driver.receive(gsmp::test::framed(message), now);
  }
  // Answers the request with this result and code.
  void answer(gsmp::Message request, gsmp::ResultField result, gsmp::FailureCode code);
  void succeed(const gsmp::Message& request);
  void fail(const gsmp::Message& request, gsmp::FailureCode code);

  // An event with the port's present state. `missed` earlier events were not sent.
  gsmp::Event event(gsmp::MessageType type, std::uint32_t port, std::uint32_t missed = 0);
  // Sends the event and answers the driver's queries about it.
  void happens(gsmp::MessageType type, std::uint32_t port, std::uint32_t missed = 0);

  template <class T>
  std::vector<T> taken() {
    std::vector<T> found;
    for (const driver::Event& event : driver.take_events()) {
      if (const T* one = std::get_if<T>(&event)) found.push_back(*one);
    }
    return found;
  }
  // The pending requests of one type.
  template <class M>
  std::vector<M> requests() {
    play();
    std::vector<M> found;
    for (const gsmp::Message& message : std::exchange(asked, {})) {
      if (const M* one = std::get_if<M>(&message)) found.push_back(*one);
    }
    return found;
  }
  gsmp::AddBranch added(const TrafficContract& contract);

  std::map<PortId, gsmp::PortRecord> ports;
  std::vector<gsmp::ServiceRecord> services;
  std::vector<gsmp::Message> asked;
  int port_reads = 0;
  TimePoint now{std::chrono::seconds{1}};
  GsmpDriver driver{options(), [] { return 0x0a1b2cU; }};
};

}  // namespace xbind
