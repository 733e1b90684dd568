// GSMP: RunningGsmpDriver over an in-memory transport to an agent. Here its table is the emulated
// switch; ovs_rig.hpp has another.
#pragma once

#include <memory>
#include <optional>

#include "gsmp/session.hpp"
#include "switchagent/switch_agent.hpp"
#include "switchagent/table/fabric_table.hpp"
#include "tests/conformance/driver/rig.hpp"
#include "tests/unit/switchserver/drivers/memory_transport.hpp"

namespace xbind::driver_kit {

class GsmpRig : public Rig {
 public:
  // GSMP version: 3, or 1 for version 1.1.
  explicit GsmpRig(std::uint8_t version);

  Abilities abilities() const override;
  std::unique_ptr<RunningDriver> make_driver() override;

  void connect(TimePoint now) override;
  void cut(TimePoint now) override;
  bool carry_requests(TimePoint now) override;
  bool carry_answers(TimePoint now) override;
  void lose_requests() override { wire_.take_sent(); }
  int writes() const override { return wire_.writes(); }
  Duration request_timeout() const override;
  Duration takeover_noticed_within() const override;

  void restart_empty(TimePoint now) override;
  void set_line(PortId port, bool up, TimePoint now) override;
  void refuse_next(std::uint64_t count, RequestKind kind) override;
  std::uint8_t refusal_code() const override;
  void another_brings_up(PortId port, TimePoint now) override;
  void another_adds(const CrossConnect& at) override;
  void cells_arrive(PortId port, Label label, std::uint64_t cells, TimePoint now) override;
  std::set<CrossConnect> table() const override;
  bool by_contract(const CrossConnect& at) const override;

  std::vector<SwitchPort> ports() const override;
  Label label(std::uint32_t number) const override;
  Label label_out_of_range() const override;
  Label label_of_another_kind() const override;

 protected:
  // For another switch in version 3: the derived class starts it.
  GsmpRig() : version_(3) {}
  // Replaces the switch by a new one with an empty table.
  virtual void start_switch();
  virtual const switchagent::Fabric& fabric() const { return *fabric_; }
  // Completes what the agent has requested of its table.
  virtual void settle(TimePoint) {}
  void start_agent(switchagent::SwitchTable& table, const switchagent::AgentOptions& options);
  void stop_agent();

 private:
  // Another controller; it gets its own adjacency when first needed.
  struct Other {
    gsmp::Session session;
    switchagent::ControllerId at;
  };

  void close(const std::string& reason, TimePoint now);
  Other& other(TimePoint now);
  void exchange(Other& other, TimePoint now);

  const std::uint8_t version_;
  std::uint32_t chance_ = 1'000;
  std::unique_ptr<switchagent::Fabric> fabric_;
  std::unique_ptr<switchagent::FabricTable> table_;
  std::unique_ptr<switchagent::SwitchAgent> agent_;
  std::optional<switchagent::ControllerId> at_;  // the driver's connection
  std::optional<Other> other_;
  MemoryWire wire_;
};

}  // namespace xbind::driver_kit
