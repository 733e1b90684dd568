#include "tests/unit/switchserver/drivers/driver_link.hpp"

#include "tests/unit/deadlines.hpp"

namespace xbind {

CrossConnect cross(std::uint32_t input_vci, std::uint32_t output_vci) {
  return {kIn, atm_label(0, input_vci), kOut, atm_label(0, output_vci)};
}

Link::Link(std::uint32_t ports, std::vector<std::uint8_t> versions)
    : versions_(std::move(versions)) {
  restart_switch(ports);
}

Link::~Link() = default;

void Link::restart_switch(std::uint32_t ports) {
  agent_.reset();
  table_.reset();
  switchagent::FabricOptions fabric;
  fabric.ports = ports;
  fabric_ = std::make_unique<switchagent::Fabric>(fabric, [this] { return ++chance_; });
  table_ = std::make_unique<switchagent::FabricTable>(*fabric_);
  switchagent::AgentOptions options;
  options.name = 0x02'00'00'0b'00'01;
  options.versions = versions_;
  agent_ =
      std::make_unique<switchagent::SwitchAgent>(*table_, options, [this] { return ++chance_; });
}

void Link::connect() {
  at_ = agent_->connected(now_).value();
  driver_.connected(now_);
  exchange();
}

void Link::cut() {
  agent_->closed(at_, now_);
  driver_.closed(now_);
}

int Link::exchange() {
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

void Link::pass(Duration time) {
  now_ += time;
  driver_.tick(now_);
  EXPECT_TRUE(sleeps(driver_.next_deadline(), now_));
}

void Link::add(const CrossConnect& at, driver::Cookie cookie, const TrafficContract& contract) {
  driver_.add(at, contract, cookie);
}

gsmp::SessionOptions Link::options() {
  gsmp::SessionOptions options;
  options.adjacency.name = 0x02'00'00'0a'00'01;
  return options;
}

}  // namespace xbind
