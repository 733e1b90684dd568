// MplsDriver in front of MplsSwitch. Answers are delayed by different numbers of rounds, so they
// arrive in another order than the requests.
#pragma once

#include <deque>
#include <memory>

#include "tests/conformance/driver/mpls_driver.hpp"
#include "tests/conformance/driver/mpls_switch.hpp"

namespace xbind::driver_kit {

class MplsRig : public Rig {
 public:
  Abilities abilities() const override { return {}; }
  std::unique_ptr<RunningDriver> make_driver() override;

  void connect(TimePoint now) override;
  void cut(TimePoint now) override;
  bool carry_requests(TimePoint now) override;
  bool carry_answers(TimePoint now) override;
  void lose_requests() override { wire_->requests.clear(); }
  int writes() const override { return wire_->writes; }
  Duration request_timeout() const override { return MplsDriver::kTimeout; }
  Duration takeover_noticed_within() const override { return std::chrono::milliseconds{1}; }

  void restart_empty(TimePoint now) override;
  void set_line(PortId port, bool up, TimePoint now) override;
  void refuse_next(std::uint64_t count, RequestKind kind) override;
  std::uint8_t refusal_code() const override;
  void another_brings_up(PortId port, TimePoint now) override;
  void another_adds(const CrossConnect& at) override;
  void cells_arrive(PortId port, Label label, std::uint64_t cells, TimePoint now) override;
  std::set<CrossConnect> table() const override;
  bool by_contract(const CrossConnect& at) const override;

  std::vector<SwitchPort> ports() const override { return switch_.ports(); }
  Label label(std::uint32_t number) const override;
  Label label_out_of_range() const override;
  Label label_of_another_kind() const override { return atm_label(0, 100); }

 private:
  struct Late {
    MplsArrival arrival;
    int rounds = 0;  // that it still waits
  };

  void close(const std::string& reason);
  void tell_ports(std::vector<PortId> renewed);

  MplsSwitch switch_;
  std::shared_ptr<MplsWire> wire_ = std::make_shared<MplsWire>();
  std::deque<Late> late_;
  int answers_ = 0;
};

}  // namespace xbind::driver_kit
