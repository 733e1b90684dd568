// A switch with the driver that its SwitchServer's daemon uses. The production driver speaks GSMP
// over an in-memory connection to the production agent and its fabric. Time, chance and the
// connection belong to the world.
//
//   SwitchServer -> RunningGsmpDriver -octets-> connection -octets-> SwitchAgent -> Fabric
//
// The connection keeps octets in order, delays them and splits them anywhere. It may break with
// octets in flight. The agent's process may stop for a while. In foul weather the table refuses
// changes, or answers after the driver's timeout.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gsmp/framing.hpp"
#include "gsmp/messages/adjacency.hpp"
#include "switchagent/switch_agent.hpp"
#include "switchagent/table/fabric_table.hpp"
#include "switchserver/drivers/running_gsmp_driver.hpp"
#include "tests/sim/parts.hpp"

namespace xbind::sim {

class GsmpSwitch {
 public:
  struct Hooks {
    std::function<void()> step;  // the driver has events: the SwitchServer must make a step
    // Whether the two cross-connects, which share an input, are branches of one connection.
    std::function<bool(const CrossConnect&, const CrossConnect&)> may_branch;
    std::function<void()> changed;  // cells may take another way from now on
  };

  // Without `services` the switch supports priorities only. It is unreachable until come_up().
  GsmpSwitch(Surroundings& world, std::string name, std::vector<SwitchPort> ports, bool services,
             Hooks hooks);
  ~GsmpSwitch();
  GsmpSwitch(const GsmpSwitch&) = delete;
  GsmpSwitch& operator=(const GsmpSwitch&) = delete;

  // ----- the SwitchServer's side: a step is take_events(), its own work, transmit() -----
  SwitchDriver& requests() { return driver_->requests(); }
  void take_events(std::vector<driver::Event>& into);
  void transmit() { driver_->transmit(); }
  void tick();
  TimePoint next_deadline() const;
  // The driver has reported the switch to its SwitchServer as up.
  bool up() const { return up_; }
  // The SwitchServer's process is killed: its connection breaks and a new driver starts.
  void restart_driver();
  // The SwitchServer runs and may connect.
  void let_connect();

  // ----- what happens to the switch -----
  // The switch is reachable again. `kept`: with its table and its ports' sessions; else after a
  // cold start.
  void come_up(bool kept);
  // The connection breaks and cannot be made again before come_up(). A prefix of the octets in
  // flight still reaches the switch; none of those in flight to the driver arrives.
  void break_session();
  // Its control process does not run before `when`; incoming octets wait.
  void stop_until(TimePoint when);
  void line(PortId port, bool up);
  // The line goes down and up several times without time passing.
  void flicker(PortId port);
  // As if both ends had received an RSTACK: the adjacency protocol starts again.
  void reset_adjacency();
  // Another controller removes that cross-connect. Until it is back, has_lost() is true of its
  // input.
  void drift(const CrossConnect& at);
  // The switch reports that it has so many controllers.
  void tell_controllers(std::uint8_t controllers);

  // ----- the switch's actual tables -----
  const std::set<CrossConnect>& table() const;
  bool has(const CrossConnect& at) const;
  // Whether the last contract that the switch received for `at` is `contract`: as a service, or as
  // the priority that stands for the contract's category.
  bool has_contract(const CrossConnect& at, const TrafficContract& contract) const;
  // The cross-connects from that input.
  std::vector<CrossConnect> leads(PortId input_port, Label input_label) const;
  // Whether a restart has removed a cross-connect on that input that is not yet back.
  bool has_lost(PortId input_port, Label input_label) const;

  // Adds the counters of driver, session, adjacency and agent to the tally, with those of earlier
  // lives.
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
  void start(net::TransportUpcalls upcalls) { upcalls_ = std::move(upcalls); }
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

  std::unique_ptr<switchagent::Fabric> fabric_;
  std::unique_ptr<Table> table_;
  std::unique_ptr<switchagent::SwitchAgent> agent_;
  std::set<PortId> lines_down_;
  // removed by restarts; the switch does not refuse to take them back
  std::set<CrossConnect> lost_;
  mutable std::set<CrossConnect> listed_;  // as of the last table()
  mutable bool listed_now_ = false;
  TimePoint stopped_until_;

  net::TransportUpcalls upcalls_;
  net::TransportCounters transport_;
  bool reachable_ = false;
  bool connected_ = false;
  bool connecting_ = false;
  std::uint64_t incarnation_ = 0;  // number of the connection
  switchagent::ControllerId controller_;
  // controllers whose end the switch has not noticed
  std::vector<switchagent::ControllerId> deserted_;
  std::deque<OnItsWay> to_switch_;
  std::deque<OnItsWay> to_driver_;
  wire::Buffer scratch_;
  std::optional<gsmp::AdjacencyMessage> last_adjacency_;  // the last one that the driver received
  gsmp::FrameReader seen_by_switch_;
  gsmp::FrameReader seen_by_driver_;

  bool up_ = false;
  std::size_t wakes_ = 0;
  bool wake_planned_ = false;
  std::unique_ptr<RunningGsmpDriver> driver_;  // last: it calls the others
};

}  // namespace xbind::sim
