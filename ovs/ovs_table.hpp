// A switch table whose connections are flows of an Open vSwitch bridge. It follows them in a
// fabric, which has the rules of GSMP; every change is checked and made there and then written to
// the bridge:
//
//   SwitchAgent ─▶ OvsTable ─▶ Fabric: checks, new state of the connections that it touches
//                     └──────▶ Bridge: meter, group and flow of each; a barrier ends a batch
//
// A request is completed when the bridge has answered the barrier behind it. If the bridge has
// refused one of its messages, the fabric goes back to the state before the request and the bridge
// is told to do the same. So that this state is known, a request that touches a connection with an
// open change waits, and all later requests behind it. Port Management is not undone: a connection
// that the bridge refuses then has no flow, and is missing in reports.
//
// Reports come from the bridge: its flows with our cookie, and their groups. Flows of others are
// never touched. An input that a flow of others has taken when the bridge was connected is refused
// with 13, invalid input label.
//
// The first contents of a bridge after the start are adopted: its flows with our cookie become the
// connections. After a later connection the table is right, and the bridge is changed to match it.
// While there is no connection every port's line is down, and requests fail with 1.
//
// Out of service (Take Down, loopbacks): the flows to and from the port are removed, the
// connections stay. Frames are not looped. What a line cannot carry is not reported: no Invalid
// Label events.
//
// The caller supplies time and octets. Not thread-safe. Bounds: the agent limits open requests; the
// fabric limits connections; group and meter numbers have ranges.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ovs/bridge.hpp"
#include "ovs/flow_writer.hpp"
#include "ovs/forwarding.hpp"
#include "switchagent/table/fabric_state.hpp"

namespace xbind::ovs {

struct OvsTableOptions {
  Layout layout;
  NumberRange groups{0x5842'0000, 0x5851'ffff};
  NumberRange meters{131'073, 262'144};
  BridgeOptions bridge;
};

struct OvsTableCounters {
  std::uint64_t adopted = 0;   // connections taken from a bridge at the start
  std::uint64_t restored = 0;  // connections written to a bridge that lacked them
  std::uint64_t removed = 0;   // flows of ours without a connection, removed from a bridge
  std::uint64_t undone = 0;    // requests that the bridge has refused
  std::uint64_t waited = 0;    // requests that waited for an open change
};

class OvsTable final : public switchagent::FabricState, private BridgeClient {
 public:
  // The fabric must outlive the table and have no connections. Its ports with hosts, and no others,
  // are in layout.edges and have frame_labels(); those with ATM labels are in layout.atm.
  OvsTable(switchagent::Fabric& fabric, OvsTableOptions options);
  ~OvsTable() override;
  OvsTable(const OvsTable&) = delete;
  OvsTable& operator=(const OvsTable&) = delete;

  // Connect it, give it the received octets, send its output. Call flush() after a step, before
  // the output is taken.
  Bridge& bridge() { return bridge_; }
  const Bridge& bridge() const { return bridge_; }
  void flush() { bridge_.barrier(); }
  // Whether the bridge has been connected and read at least once.
  bool started() const { return started_; }
  const FlowWriter& flows() const { return flows_; }
  std::size_t changes_open() const { return open_.size(); }
  std::size_t requests_waiting() const { return waiting_.size(); }
  const OvsTableCounters& counters() const { return counters_; }
  std::vector<std::string> take_notices() { return std::exchange(notices_, {}); }  // for the log

  void set_client(switchagent::TableClient* client) override;
  // The fabric's limit of reservations is 0: every one is refused with its code.
  const switchagent::Reservations* reservations() const override { return &fabric_.reservations(); }
  void reserve(const gsmp::ReservationRequest& request, switchagent::Ticket ticket,
               TimePoint now) override;
  void release(std::uint32_t reservation, switchagent::Ticket ticket, TimePoint now) override;
  void release_all(switchagent::Ticket ticket, TimePoint now) override;
  void add_branch(const gsmp::AddBranch& request, switchagent::Ticket ticket,
                  TimePoint now) override;
  void move_output(const gsmp::MoveOutputBranch& request, switchagent::Ticket ticket,
                   TimePoint now) override;
  void move_input(const gsmp::MoveInputBranch& request, switchagent::Ticket ticket,
                  TimePoint now) override;
  void delete_branch(PortId input_port, Label input_label, PortId output_port, Label output_label,
                     switchagent::Ticket ticket, TimePoint now) override;
  void delete_tree(PortId input_port, Label input_label, switchagent::Ticket ticket,
                   TimePoint now) override;
  void delete_all_input(PortId port, switchagent::Ticket ticket, TimePoint now) override;
  void delete_all_output(PortId port, switchagent::Ticket ticket, TimePoint now) override;
  void manage(const gsmp::PortManagement& request, switchagent::Ticket ticket,
              TimePoint now) override;
  void label_range(const gsmp::LabelRangeMessage& request, switchagent::Ticket ticket,
                   TimePoint now) override;
  void read_connection(PortId port, Label label, switchagent::Ticket ticket,
                       TimePoint now) override;
  void read_port(PortId port, switchagent::Ticket ticket, TimePoint now) override;
  void report(PortId port, Scope scope, Label label, switchagent::Ticket ticket,
              TimePoint now) override;
  void clear(TimePoint now) override;
  void tick(TimePoint now) override;
  TimePoint next_deadline() const override;

 private:
  // A connection before a change; no branches: there was none.
  struct Before {
    Place input;
    std::vector<gsmp::AddBranch> branches;
  };
  // A change of the table. `touched` returns every connection that `apply` may change.
  struct Change {
    std::optional<switchagent::Ticket> ticket;  // nullopt: nobody waits for it
    std::function<Places()> touched;
    std::function<gsmp::FailureCode()> apply;
    bool counts = false;  // its reading is the number of deleted branches
    bool stays = false;   // changes a port's state: never undone
    bool all = false;     // removes every connection; `touched` returns them all
  };
  // A change whose messages the bridge has not confirmed.
  struct Open {
    std::optional<switchagent::Ticket> ticket;
    std::uint32_t first = 0;  // numbers of its messages: first to end - 1
    std::uint32_t end = 0;
    std::vector<Before> before{};
    std::vector<ExtrasBefore> extras{};  // of the same connections
    std::vector<Extras> freed{};         // when the bridge has confirmed the change
    switchagent::TableReading reading{};
    bool stays = false;
  };
  using Wait = std::function<bool()>;  // tries once more; false: it still has to wait

  // ----- changes (ovs_table.cpp) -----
  void change(Change wanted);
  bool try_change(const Change& wanted);
  void after_earlier(Wait what);  // runs it now, or behind the requests that wait
  void run_waiting();
  void answer(std::optional<switchagent::Ticket> ticket, gsmp::FailureCode code,
              switchagent::TableReading reading = {});
  Before before(const Place& input) const;
  void undo_in_fabric(const Open& open);  // back to the state before the change
  Places at_input(PortId port) const;
  Places at_output(PortId port) const;
  Places all() const;
  gsmp::FailureCode check_meaning(PortId input, const gsmp::LabelField& input_label, PortId output,
                                  const gsmp::LabelField& output_label) const;

  // ----- reading (ovs_reports.cpp) -----
  void report_flows(PortId port, Scope scope, Label label, switchagent::Ticket ticket);
  void report_groups(PortId port, Scope scope, Label label, switchagent::Ticket ticket,
                     Bridge::Flows flows);
  void report_found(PortId port, Scope scope, Label label, switchagent::Ticket ticket,
                    const Bridge::Flows& flows, const BucketsOf& groups);
  openflow::FlowStatsRequest flows_at(PortId port) const;

  // ----- the bridge (ovs_contents.cpp) -----
  void bridge_ready(BridgeContents contents) override;
  void bridge_lost() override;
  void batch_done(std::uint32_t end, std::span<const Refused> refused) override;
  void bridge_port(const openflow::PortStatus& status) override;
  void adopt(const BridgeContents& contents);
  bool adopt(const openflow::FlowStats& flow, const BridgeContents& contents,
             const BucketsOf& buckets);
  void restore(const BridgeContents& contents);
  void remove_flow(const openflow::FlowStats& flow);

  OvsTableOptions options_;
  Bridge bridge_;
  bool started_ = false;
  FlowWriter flows_;
  std::deque<Open> open_;                        // in the order of their messages
  std::unordered_multiset<std::uint64_t> busy_;  // inputs of open changes
  std::deque<Wait> waiting_;
  std::uint64_t client_number_ = 0;  // a later client may have the address of an earlier one
  std::vector<std::string> notices_;
  OvsTableCounters counters_;
};

}  // namespace xbind::ovs
