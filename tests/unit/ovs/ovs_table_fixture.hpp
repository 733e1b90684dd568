// An OvsTable in front of a bridge in memory, and its client. Port 1 has hosts, ports 2 to 4 are
// links; class 7 takes the packets to 10.1.0.0/16.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/frame_traffic.hpp"
#include "tests/unit/ovs/ovs_switch.hpp"

namespace xbind::ovs::test {

class OvsTableTest : public ::testing::Test, protected switchagent::TableClient {
 protected:
  using Code = gsmp::FailureCode;
  // A request: its part of the ticket is always 0.
  using Request = std::uint64_t;

  OvsTableTest() : OvsTableTest(words()) {}
  explicit OvsTableTest(const std::vector<std::string>& with);
  ~OvsTableTest() override;
  static std::vector<std::string> words();

  // ----- places -----
  static Place link(std::uint32_t port, std::uint32_t label);
  static Place hosts() { return frames("port"); }
  static Place frames(const std::string& traffic);  // at port 1: "vlan 5", "class 7"
  static gsmp::AddBranch branch(const Place& from, const Place& to);
  // With a contract: constant rate, policed.
  static gsmp::AddBranch policed(const Place& from, const Place& to, std::uint32_t cells_per_s);

  // ----- requests; nothing travels until settle() -----
  Request add(const Place& from, const Place& to) { return add(branch(from, to)); }
  Request add(const gsmp::AddBranch& request);
  Request move_output(const Place& from, const Place& to, const Place& new_to);
  Request move_input(const Place& from, const Place& new_from, const Place& to) {
    return move_input(branch(from, to), new_from);
  }
  Request move_input(const gsmp::AddBranch& existing, const Place& new_from);
  Request remove(const Place& from, const Place& to);
  Request remove_tree(const Place& from);
  Request manage(std::uint32_t port, gsmp::PortFunction function, std::uint8_t duration_s = 0);
  Request report(std::uint32_t port);
  Request read(const Place& from);
  switchagent::Ticket ticket(Request request) { return {request, 0}; }
  // The request and everything that it causes; returns its code.
  Code done(Request request) {
    settle();
    const auto found = code(request);
    EXPECT_TRUE(found) << "request " << request << " is still open";
    return found.value_or(Code::kUnspecified);
  }
  void settle();
  // As the agent's timer does: everything that is due is done, so the next deadline is later.
  void tick();
  // nullopt: still open.
  std::optional<Code> code(Request request) const;
  template <class Reading>
  Reading reading(Request request) const {
    const auto found = readings.find(request);
    const Reading* one = found == readings.end() ? nullptr : std::get_if<Reading>(&found->second);
    EXPECT_NE(one, nullptr);
    return one == nullptr ? Reading{} : *one;
  }
  Request last_request() const { return requests; }
  // The branches that enter at the port, as the table reports them.
  std::vector<std::pair<Place, Place>> reported(std::uint32_t port);

  // ----- the switch -----
  // A second agent in front of the same bridge, as after a crash.
  void restart_agent(const SwitchParts& with);
  void restart_agent() { restart_agent(parts); }
  // The fabric, the bridge and the reports have the same connections.
  void expect_consistent();
  std::string state();  // the connections of the bridge: "port 2 mpls 20 -> port 3 mpls 30"
  OvsTable& table() { return made->table(); }
  switchagent::Fabric& fabric() { return made->fabric(); }
  MemoryTables& tables() { return memory.tables(); }
  openflow::FlowStats* flow(const Place& from) { return made->flow(from); }

  SwitchParts parts;
  TimePoint now = TimePoint{} + std::chrono::seconds{1000};
  MemoryBridge memory{4};
  std::unique_ptr<OvsSwitch> made;
  std::map<Request, Code> codes;
  std::map<Request, switchagent::TableReading> readings;
  std::vector<Request> order;  // of the answers
  std::vector<std::string> events;

 private:
  void completed(switchagent::Ticket ticket, Code code) override;
  void completed(switchagent::Ticket ticket, Code code, switchagent::TableReading reading) override;
  void port_changed(gsmp::MessageType event, PortId port, std::uint32_t session) override;
  void invalid_label(PortId port, Label label, TimePoint now) override;

  Request requests = 0;
};

}  // namespace xbind::ovs::test
