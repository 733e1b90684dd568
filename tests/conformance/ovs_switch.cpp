#include "tests/conformance/ovs_switch.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "tests/conformance/memory_transport.hpp"
#include "tests/unit/ovs/ovs_switch.hpp"

namespace xbind::conformance {
namespace {

using namespace ovs::openflow;

constexpr std::uint32_t kPorts = 4;
constexpr std::uint64_t kTheirCookie = 0x1234;

// What others have on the bridge.
struct Strangers {
  std::vector<FlowStats> flows;
  ovs::BucketsOf groups;
  std::map<std::uint32_t, ovs::MeterRate> meters;
  friend bool operator==(const Strangers&, const Strangers&) = default;
};

class OvsSwitchInMemory : public SwitchInMemory {
 public:
  explicit OvsSwitchInMemory(const MemorySwitch& about) : parts_(parts(about.labels)) {
    add_strangers();
    strangers_ = strangers();
    switch_.connect(now);
    if (about.shared) add_connections();
    agent_.emplace(switch_.table(), parts_.agent, [this] { return ++drawn_; });
  }
  ~OvsSwitchInMemory() override {
    EXPECT_EQ(strangers(), strangers_) << "flows, groups and meters of others are not touched";
  }

  switchagent::SwitchAgent& agent() override { return *agent_; }
  void set_line(PortId port, bool up) override { bridge_.set_port(port.value(), up); }
  void settle() override { switch_.settle(now); }
  void tick() override {
    switch_.table().tick(now);
    SwitchInMemory::tick();
  }

 private:
  static ovs::SwitchParts parts(LabelKind labels) {
    if (labels == LabelKind::kMpls) return ovs::test::parts_for();
    return ovs::test::parts_for(
        {"--port-labels", "1=0-0/32-1023,2=0-0/32-1023,3=0-0/32-1023,4=0-0/32-1023"});
  }
  Label first_label() const { return label(parts_.fabric.port_labels.at(PortId(1)).front().first); }
  Label last_label() const { return label(parts_.fabric.port_labels.at(PortId(1)).front().last); }
  Label label(std::uint32_t value) const { return {parts_.table.layout.kind(PortId(1)), value}; }

  // Others handle ARP, use a group and a meter, have taken one label of the last port with our
  // priority, and run an agent of another name.
  void add_strangers() {
    ovs::test::MemoryTables& tables = bridge_.tables();
    const auto add = [&](const auto& change) { EXPECT_FALSE(tables.apply(change)); };
    add(GroupMod{.id = 5, .buckets = {{{Output{1}}}, {{Output{2}}}}});
    add(MeterMod{.id = 5, .rate_kbps = 1000, .burst_kbit = 100});
    FlowMod flow;
    flow.cookie = kTheirCookie;
    flow.actions = {Output{kPortController}};
    flow.match.eth_type = 0x0806;
    flow.priority = 60000;
    add(flow);
    flow.match = {.in_port = 1, .eth_type = kEthTypeIpv4};
    flow.meter = 5;
    flow.actions = {Group{5}};
    add(flow);
    const ovs::Layout& layout = parts_.table.layout;
    const ovs::Input taken = input_of(layout, {PortId(kPorts), last_label()});
    flow.match = taken.match;
    flow.priority = taken.priority;
    flow.meter.reset();
    flow.actions = {Output{1}};
    add(flow);
    flow.cookie = layout.cookie ^ std::uint64_t{1} << 40;
    flow.match.mpls_label = 1000;
    flow.priority = 1;
    flow.actions = {SetMplsLabel{1001}, DecMplsTtl{}, Output{2}};
    add(flow);
  }
  Strangers strangers() const {
    Strangers found;
    const ovs::test::MemoryTables& tables = bridge_.tables();
    for (const FlowStats& flow : tables.flows()) {
      if ((flow.cookie & ovs::kCookieMask) != parts_.table.layout.cookie)
        found.flows.push_back(flow);
    }
    const auto ours = [](const auto& range, std::uint32_t number) {
      return number >= range.first && number <= range.last;
    };
    for (const auto& [id, buckets] : tables.groups()) {
      if (!ours(parts_.table.groups, id)) found.groups[id] = buckets;
    }
    for (const auto& [id, rate] : tables.meters()) {
      if (!ours(parts_.table.meters, id)) found.meters[id] = rate;
    }
    return found;
  }
  // Connects each port to the next.
  void add_connections() {
    for (std::uint32_t port = 1; port <= kPorts; ++port) {
      gsmp::AddBranch add;
      add.input_port = PortId(port);
      add.output_port = PortId(port % kPorts + 1);
      add.input_label = gsmp::label_field(first_label());
      add.output_label = gsmp::label_field(last_label());
      switch_.table().add_branch(add, {port, 0}, now);
    }
    settle();
    EXPECT_EQ(switch_.connections().size(), kPorts);
  }

  std::uint32_t drawn_ = 0x5eed'8000;
  ovs::SwitchParts parts_;
  ovs::test::MemoryBridge bridge_{kPorts};
  ovs::test::OvsSwitch switch_{bridge_, parts_};
  std::optional<switchagent::SwitchAgent> agent_;
  Strangers strangers_;
};

}  // namespace

std::unique_ptr<Transport> connect_to_ovs_in_memory(const MemorySwitch& about) {
  return connect_to(std::make_shared<OvsSwitchInMemory>(about));
}

}  // namespace xbind::conformance
