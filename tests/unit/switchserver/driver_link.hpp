// The driver and the emulated switch's own agent, octets handed over in memory.
#pragma once

#include <gmock/gmock.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "switchserver/emulator/switch_agent.hpp"
#include "switchserver/gsmp_driver.hpp"

namespace xbind {

inline const PortId kIn{1};
inline const PortId kOut{2};

inline CrossConnect cross(std::uint32_t input_vci, std::uint32_t output_vci) {
  return {kIn, atm_label(0, input_vci), kOut, atm_label(0, output_vci)};
}

class Link {
 public:
  explicit Link(std::uint32_t ports = 2, std::vector<std::uint8_t> versions = {3, 1})
      : versions_(std::move(versions)) {
    restart_switch(ports);
  }

  void restart_switch(std::uint32_t ports = 2) {
    agent_.reset();
    emulator::FabricOptions fabric;
    fabric.ports = ports;
    fabric_ = std::make_unique<emulator::Fabric>(fabric, [this] { return ++chance_; });
    emulator::AgentOptions options;
    options.name = 0x02'00'00'0b'00'01;
    options.versions = versions_;
    agent_ =
        std::make_unique<emulator::SwitchAgent>(*fabric_, options, [this] { return ++chance_; });
  }

  // controller <==> switch: a new TCP connection, all that follows from it
  void connect() {
    at_ = agent_->connected(now_).value();
    driver_.connected(now_);
    exchange();
  }
  // controller --x-- switch
  void cut() {
    agent_->closed(at_, now_);
    driver_.closed(now_);
  }
  // Frames to and fro until both are quiet. Counts the writes of the controller.
  int exchange() {
    int writes = 0;
    for (;;) {
      wire::Buffer to_switch;
      wire::Buffer to_driver;
      driver_.take_output(to_switch);
      if (!to_switch.empty()) {
        ++writes;
        agent_->receive(at_, to_switch, now_);
      }
      agent_->take_output(at_, to_driver);
      if (!to_driver.empty()) driver_.receive(to_driver, now_);
      if (to_switch.empty() && to_driver.empty()) return writes;
    }
  }
  void pass(Duration time) {
    now_ += time;
    driver_.tick(now_);
  }

  void add(const CrossConnect& at, driver::Cookie cookie, const TrafficContract& contract = {}) {
    driver_.add(at, contract, cookie);
  }

  template <class T>
  std::vector<T> events() {
    std::vector<T> found;
    for (const driver::Event& event : driver_.take_events()) {
      if (const T* one = std::get_if<T>(&event)) found.push_back(*one);
    }
    return found;
  }

  gsmp::SessionOptions options() {
    gsmp::SessionOptions options;
    options.adjacency.name = 0x02'00'00'0a'00'01;
    return options;
  }

  std::vector<std::uint8_t> versions_;  // of GSMP, that the switch speaks
  std::uint32_t chance_ = 1000;
  TimePoint now_{std::chrono::seconds{1}};
  std::unique_ptr<emulator::Fabric> fabric_;
  std::unique_ptr<emulator::SwitchAgent> agent_;
  emulator::ControllerId at_;
  GsmpDriver driver_{options(), [this] { return ++chance_; }};
};

MATCHER_P2(Answered, cookie, cause, "") { return arg.cookie == cookie && arg.cause == cause; }

}  // namespace xbind
