// The SwitchDriver for GSMP: one adjacency to one switch, pipelined requests, answers matched by
// transaction.
//
//   GsmpDriver ──▶ SwitchPorts        start-up, ports, their events; driver::Up and Ports
//        ├───────▶ QualityOfService   a contract as a service or a priority
//        ├───────▶ RateRequests       the rates that the operator has set
//        ├───────▶ DeleteBatches      deletes, gathered into messages
//        └───────▶ TableReads         the switch's table
//   all of them ─▶ GsmpLink           session, time, results
//
// PFlag 2 of the adjacency requests that the switch keep its connections.
//
// Quality of service: an add carries the contract in the service model when both ports offer the
// service with capability set 1. Otherwise it carries a priority by category (gsmp_service.hpp);
// the log names each such port once.
//
// Events: the driver answers each event except Adjacency Update with Port Management Reset Flags,
// so that the switch may send the next one of its type. It answers Invalid Label at most once in
// kInvalidLabelPause, which holds back a storm of them. The sequence numbers in the answer and in
// the next event show whether the switch suppressed events. If it did, and after a port came, went,
// up or down, the driver reads the port's configuration again and reports changes by driver::Ports.
//
// A flag that is set when a port is read is also reset: an earlier reset may have been lost.
//
// Port session numbers: when a line comes up again, its port gets a new session number. The switch
// refuses (code 5) a request that was sent with the old one. The driver then reads the port and
// sets Done::again if the number has changed.
//
// The driver repeats no request: after a timeout nobody knows whether the switch executed it. The
// controller then deletes what it may have added. A repeated Add Branch would be safe for the
// switch, but not for a manager that has already reported its call as failed.
//
// Deletes are gathered into Delete Branches messages of up to 511 elements. An add that uses a
// label of a waiting delete sends the deletes first, which keeps the controller's order.
//
// Version 1.1 (negotiated down by the session) deletes one branch per message, uses priorities
// instead of services, and has no message that lists the table. read_table() therefore requests the
// activity of each label. It reports the outputs that this driver has added itself. For any other
// entry it reports output port 0, which blocks the input label. It scans the first kScanMax labels
// of each port.
//
// Pure: octets and time in, octets out. Owner and threads: as SwitchController, on the same thread.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/clock.hpp"
#include "gsmp/session.hpp"
#include "switchserver/drivers/delete_batches.hpp"
#include "switchserver/drivers/driver_counters.hpp"
#include "switchserver/drivers/gsmp_link.hpp"
#include "switchserver/drivers/port_events.hpp"
#include "switchserver/drivers/port_queries.hpp"
#include "switchserver/drivers/quality_of_service.hpp"
#include "switchserver/drivers/rate_requests.hpp"
#include "switchserver/drivers/switch_driver.hpp"
#include "switchserver/drivers/switch_ports.hpp"
#include "switchserver/drivers/table_reads.hpp"

namespace xbind {

class GsmpDriver : public SwitchDriver {
 public:
  static constexpr Duration kInvalidLabelPause = PortQueries::kInvalidLabelPause;
  static constexpr Duration kOthersPause = PortQueries::kOthersPause;

  // `random` returns 32 bits at each call, for the adjacency's instance numbers.
  GsmpDriver(const gsmp::SessionOptions& options, std::function<std::uint32_t()> random);
  GsmpDriver(const GsmpDriver&) = delete;  // its parts refer to each other
  GsmpDriver& operator=(const GsmpDriver&) = delete;

  // SwitchDriver. Requests use the time of the latest call of the functions below.
  void add(const CrossConnect& cross_connect, const TrafficContract& contract,
           driver::Cookie cookie) override;
  void remove(const CrossConnect& cross_connect, driver::Cookie cookie) override;
  void move(const CrossConnect& cross_connect, PortId new_output_port, Label new_output_label,
            const TrafficContract& contract, driver::Cookie cookie) override;
  void read_table(driver::Cookie cookie) override;
  void read_port(PortId port, driver::Cookie cookie) override;
  void read_inputs(const std::vector<driver::Input>& inputs, driver::Cookie cookie) override;
  void read_statistics(PortId port, Label label, driver::Cookie cookie) override;
  void flush() override;

  // As RunningDriver::set_rates().
  void set_rates(const std::vector<PortRate>& rates);

  // Called by the transport's owner.
  void connected(TimePoint now);
  void closed(TimePoint now);
  void receive(std::span<const std::byte> octets, TimePoint now);
  void tick(TimePoint now);
  TimePoint next_deadline() const;

  // The results. take_output: octets for one write, swapped into `into`, whose memory is reused.
  void take_output(wire::Buffer& into) { link_.session.take_output(into); }
  std::vector<driver::Event> take_events();
  // Swaps: empties `into` first and reuses its memory for the next events.
  void take_events(std::vector<driver::Event>& into);
  // Not empty: the connection must be closed, for this reason. Returned once.
  std::string take_drop_reason();

  const gsmp::SessionCounters& counters() const { return link_.session.counters(); }
  const DriverCounters& driver_counters() const { return link_.counters; }

 private:
  void drain();
  void send_queries();
  void on(const gsmp::SessionUp& up);
  void on(const gsmp::SessionDown& down);
  void on(const gsmp::DropTransport& drop);
  void on(const gsmp::Response& response);
  void on(const gsmp::RequestTimeout& timeout);
  void on(const gsmp::RequestLost& lost);
  void on(const gsmp::SwitchEvent& event);
  void on_branch(const gsmp::Response& response);
  void on_statistics(const gsmp::Response& response);
  void fail_request(gsmp::MessageType type, std::uint64_t cookie, Cause cause);
  // To the switch that cannot list its table: how an open request changes it.
  void note_change(driver::Cookie cookie, const CrossConnect& gone, const CrossConnect& there);

  GsmpLink link_;
  SwitchPorts ports_{link_};
  QualityOfService quality_{link_, ports_.table()};
  RateRequests rates_{link_, ports_};
  DeleteBatches deletes_{link_, ports_};
  TableReads table_reads_{link_, ports_.table()};
  std::vector<gsmp::SessionEvent> session_events_;  // reused, for its memory
};

}  // namespace xbind
