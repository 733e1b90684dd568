#include "tests/conformance/driver/ovs_rig.hpp"

#include <gtest/gtest.h>

namespace xbind::driver_kit {
namespace {

constexpr std::uint32_t kBridgePorts = 3;
constexpr std::uint32_t kFirstLabel = 1'000;
constexpr std::uint32_t kLastLabel = 2'999;

// Of requests that others send: the agent has no ticket like it.
constexpr switchagent::Ticket kNobody{};

}  // namespace

OvsRig::OvsRig()
    : parts_(ovs::test::parts_for(
          {"--ports", "3", "--port-labels", "1=mpls:1000-2999,2=mpls:1000-2999,3=mpls:1000-2999"})),
      bridge_(kBridgePorts) {
  start_switch();
}

void OvsRig::start_switch() {
  stop_agent();
  switch_.reset();
  bridge_.restart();
  switch_ = std::make_unique<ovs::test::OvsSwitch>(bridge_, parts_);
  switch_->connect(now_);
  start_agent(switch_->table(), parts_.agent);
}

// ----- the control channel --------------------------------------------------------------------

bool OvsRig::carry_requests(TimePoint now) {
  now_ = now;
  const bool arrived = GsmpRig::carry_requests(now);
  return switch_->carry_to_bridge() || arrived;
}

bool OvsRig::carry_answers(TimePoint now) {
  now_ = now;
  const bool arrived = switch_->carry_to_table(now);
  return GsmpRig::carry_answers(now) || arrived;
}

// ----- the switch -----------------------------------------------------------------------------

void OvsRig::set_line(PortId port, bool up, TimePoint) { bridge_.set_port(port.value(), up); }

// The bridge cannot tell one kind from the other: both replace a flow.
void OvsRig::refuse_next(std::uint64_t count, RequestKind) {
  using Bridge = ovs::test::MemoryBridge;
  bridge_.refuse_next(Bridge::Kind::kFlow, ovs::openflow::ErrorType::kFlowModFailed,
                      ovs::openflow::kFlowTableFull, Bridge::When::kExecuted, count);
}

void OvsRig::another_adds(const CrossConnect& at) {
  gsmp::AddBranch request;
  request.input_port = at.input_port;
  request.output_port = at.output_port;
  request.input_label = gsmp::label_field(at.input_label);
  request.output_label = gsmp::label_field(at.output_label);
  switch_->table().add_branch(request, kNobody, now_);
  switch_->settle(now_);
  EXPECT_TRUE(table().contains(at));
}

void OvsRig::cells_arrive(PortId port, Label label, std::uint64_t cells, TimePoint) {
  const ovs::Input input = input_of(switch_->layout(), {port, label});
  bridge_.count(input.match, input.priority, cells * ovs::kFrameOctetsPerCell);
}

std::set<CrossConnect> OvsRig::table() const {
  std::set<CrossConnect> table;
  for (const auto& [input, outputs] : switch_->connections()) {
    EXPECT_FALSE(outputs.empty()) << "a flow that cannot be read: " << to_string(input);
    for (const ovs::Place& output : outputs)
      table.insert({input.port, input.label, output.port, output.label});
  }
  return table;
}

// ----- properties of the switch ---------------------------------------------------------------

std::vector<SwitchPort> OvsRig::ports() const {
  std::vector<SwitchPort> ports;
  for (std::uint32_t number = 1; number <= kBridgePorts; ++number) {
    ports.push_back({PortId{number},
                     {mpls_range(kFirstLabel, kLastLabel)},
                     parts_.fabric.link_cells_per_s,
                     true});
  }
  return ports;
}

Label OvsRig::label(std::uint32_t number) const { return {LabelKind::kMpls, kFirstLabel + number}; }

Label OvsRig::label_out_of_range() const { return {LabelKind::kMpls, kLastLabel + 1}; }

Label OvsRig::label_of_another_kind() const { return atm_label(0, 100); }

std::unique_ptr<Rig> make_ovs_rig() { return std::make_unique<OvsRig>(); }

}  // namespace xbind::driver_kit
