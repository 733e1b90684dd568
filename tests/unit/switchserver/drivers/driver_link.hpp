// The driver and the emulated switch's own agent, which exchange octets in memory.
#pragma once

#include <gmock/gmock.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "switchagent/switch_agent.hpp"
#include "switchagent/table/fabric_table.hpp"
#include "switchserver/drivers/gsmp_driver.hpp"
#include "tests/unit/switchserver/drivers/answered.hpp"

namespace xbind {

inline const PortId kIn{1};
inline const PortId kOut{2};

CrossConnect cross(std::uint32_t input_vci, std::uint32_t output_vci);

class Link {
 public:
  explicit Link(std::uint32_t ports = 2, std::vector<std::uint8_t> versions = {3, 1});
  ~Link();

  void restart_switch(std::uint32_t ports = 2);

  // controller <==> switch: a new TCP connection, and all messages that follow from it
  void connect();
  // controller --x-- switch
  void cut();
  // Exchanges frames until neither end has more to send. Returns the controller's number of writes.
  int exchange();
  void pass(Duration time);

  void add(const CrossConnect& at, driver::Cookie cookie, const TrafficContract& contract = {});

  template <class T>
  std::vector<T> events() {
    std::vector<T> found;
    for (const driver::Event& event : driver_.take_events()) {
      if (const T* one = std::get_if<T>(&event)) found.push_back(*one);
    }
    return found;
  }

  gsmp::SessionOptions options();

  std::vector<std::uint8_t> versions_;  // GSMP versions that the switch supports
  std::uint32_t chance_ = 1000;
  TimePoint now_{std::chrono::seconds{1}};
  std::unique_ptr<switchagent::Fabric> fabric_;
  std::unique_ptr<switchagent::FabricTable> table_;
  std::unique_ptr<switchagent::SwitchAgent> agent_;
  switchagent::ControllerId at_;
  GsmpDriver driver_{options(), [this] { return ++chance_; }};
};

}  // namespace xbind
