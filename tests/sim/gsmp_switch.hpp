// A switch as a SwitchServer's daemon has it: the production driver speaks GSMP over a connection in
// memory to the production agent and its fabric. Time, chance and the connection are the world's.
//
//   SwitchServer ──▶ RunningGsmpDriver ──octets──▶ connection ──octets──▶ SwitchAgent ──▶ Fabric
//
// The connection keeps octets in order, takes its time and cuts them anywhere. It may break with
// octets on their way. The agent's process may stop for a while. In foul weather the table refuses
// changes and gives answers late: later than the driver waits for them.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "emulator/fabric_table.hpp"
#include "emulator/switch_agent.hpp"
#include "gsmp/framing.hpp"
#include "gsmp/messages/adjacency.hpp"
#include "switchserver/drivers/running_gsmp_driver.hpp"
#include "tests/sim/parts.hpp"

namespace xbind::sim {

class GsmpSwitch {
 public:
  struct Hooks {
    std::function<void()> step;  // the driver has events: the SwitchServer is to make a step
    // Whether the two, with one input, are branches of one connection.
    std::function<bool(const CrossConnect&, const CrossConnect&)> may_branch;
    std::function<void()> changed;  // cells take another way from now on
  };

  // Without `services` the switch has priorities only. It is not reachable yet: come_up().
  GsmpSwitch(Surroundings& world, std::string name, std::vector<SwitchPort> ports, bool services,
             Hooks hooks);
  ~GsmpSwitch();
  GsmpSwitch(const GsmpSwitch&) = delete;
  GsmpSwitch& operator=(const GsmpSwitch&) = delete;

  // ----- the SwitchServer's side: one step is events, its own work, transmit() -----
  SwitchDriver& requests() { return driver_->requests(); }
  void take_events(std::vector<driver::Event>& into);
  void transmit() { driver_->transmit(); }
  void tick();
  TimePoint next_deadline() const;
  // The driver has told its SwitchServer of the switch.
  bool up() const { return up_; }
  // The SwitchServer's process is killed: its connection breaks. A new driver begins anew.
  void restart_driver();
  // It runs, and may connect.
  void let_connect();

  // ----- what happens to the switch -----
  // It is reachable again; with its table and its ports' sessions, or after a cold start.
  void come_up(bool kept);
  // The connection breaks and cannot be made again before come_up(). A prefix of the octets on their
  // way still reaches the switch; nothing that is on the way back arrives.
  void break_session();
  // Its control process does not run before; what comes in waits.
  void stop_until(TimePoint when);
  void line(PortId port, bool up);
  // The line goes and comes several times within no time.
  void flicker(PortId port);
  // As if somebody on the wire had said RSTACK both ways: the adjacency begins anew.
  void reset_adjacency();

  // ----- its tables, as they are -----
  const std::set<CrossConnect>& table() const;
  bool has(const CrossConnect& at) const;
  // Whether it was last told that contract for what it has: by service, or by the priority that
  // stands for the contract's category.
  bool has_contract(const CrossConnect& at, const TrafficContract& contract) const;
  // Where what comes in there goes.
  std::vector<CrossConnect> leads(PortId input_port, Label input_label) const;
  // Whether a restart has lost something on that input which is not back yet.
  bool has_lost(PortId input_port, Label input_label) const;

  // Adds the counters of driver, session, adjacency and agent, of earlier lives as well.
  void add_up();

 private:
  class Table;
  class End;
  struct OnItsWay {
    TimePoint when;
    wire::Buffer octets;
  };

  // building
  void make_driver();
  void make_fabric();
  void make_agent(bool recovered);
  std::function<std::uint32_t()> random();

  // the connection
  void start(gsmp::TransportUpcalls upcalls) { upcalls_ = std::move(upcalls); }
  Result<void> send(std::span<const std::byte> octets);
  void cut(const std::string& reason);
  void connect_soon();
  void connect();
  void arrive_at_switch();
  void arrive_at_driver();
  void leave_controller();
  void on_its_way_to_driver(wire::Buffer octets);
  void after_agent();
  void wake();
  bool stopped() const { return world_.now < stopped_until_; }

  // coverage
  void count(const driver::Event& event);
  void count(gsmp::FrameReader& frames, std::span<const std::byte> octets, std::string_view where);

  // the table
  bool refuses(double percent, const char* what);
  Duration answer_delay();
  void check_input(const CrossConnect& wanted, const CrossConnect& instead_of);
  void changed();

  Surroundings& world_;
  std::string name_;
  std::vector<SwitchPort> ports_;
  bool services_;
  Hooks hooks_;

  std::unique_ptr<emulator::Fabric> fabric_;
  std::unique_ptr<Table> table_;
  std::unique_ptr<emulator::SwitchAgent> agent_;
  std::set<PortId> lines_down_;
  std::set<CrossConnect> lost_;  // by restarts; what it had once it does not refuse to take back
  mutable std::set<CrossConnect> listed_;  // as of the last table()
  mutable bool listed_now_ = false;
  TimePoint stopped_until_;

  gsmp::TransportUpcalls upcalls_;
  gsmp::TransportCounters transport_;
  bool reachable_ = false;
  bool connected_ = false;
  bool connecting_ = false;
  std::uint64_t incarnation_ = 0;  // of the connection
  emulator::ControllerId controller_;
  std::vector<emulator::ControllerId> deserted_;  // whose end the switch has not noticed
  std::deque<OnItsWay> to_switch_;
  std::deque<OnItsWay> to_driver_;
  wire::Buffer scratch_;
  std::optional<gsmp::AdjacencyMessage> last_adjacency_;  // that the driver heard
  gsmp::FrameReader seen_by_switch_;
  gsmp::FrameReader seen_by_driver_;

  bool up_ = false;
  std::size_t wakes_ = 0;
  bool wake_planned_ = false;
  std::unique_ptr<RunningGsmpDriver> driver_;  // last: it calls the others
};

}  // namespace xbind::sim
