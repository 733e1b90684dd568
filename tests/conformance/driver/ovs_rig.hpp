// The GSMP driver in front of xbind-gsmp-ovs's agent, whose table is an Open vSwitch bridge in
// memory: ports with MPLS labels. Each round carries octets of both protocols, so answers come some
// rounds after their requests.
#pragma once

#include <memory>

#include "tests/conformance/driver/gsmp_rig.hpp"
#include "tests/unit/ovs/ovs_switch.hpp"

namespace xbind::driver_kit {

class OvsRig : public GsmpRig {
 public:
  OvsRig();
  ~OvsRig() override { stop_agent(); }

  bool carry_requests(TimePoint now) override;
  bool carry_answers(TimePoint now) override;

  void set_line(PortId port, bool up, TimePoint now) override;
  // Refused by the bridge: its table is full.
  void refuse_next(std::uint64_t count, RequestKind kind) override;
  void another_adds(const CrossConnect& at) override;
  void cells_arrive(PortId port, Label label, std::uint64_t cells, TimePoint now) override;
  std::set<CrossConnect> table() const override;  // of the bridge

  std::vector<SwitchPort> ports() const override;
  Label label(std::uint32_t number) const override;
  Label label_out_of_range() const override;
  Label label_of_another_kind() const override;

 protected:
  void start_switch() override;
  const switchagent::Fabric& fabric() const override { return switch_->fabric(); }
  void settle(TimePoint now) override { switch_->settle(now); }

 private:
  ovs::SwitchParts parts_;
  ovs::test::MemoryBridge bridge_;
  std::unique_ptr<ovs::test::OvsSwitch> switch_;
  TimePoint now_{};  // of the last round
};

}  // namespace xbind::driver_kit
