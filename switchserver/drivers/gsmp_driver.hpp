// The SwitchDriver for GSMP: one adjacency to one switch, pipelined requests, answers matched by
// transaction.
//
// Start-up: adjacency (PFlag 2 requests that the switch keep its connections), Switch
// Configuration, All Ports Configuration, Service Configuration if a port has services, then
// driver::Up with the ports.
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
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/clock.hpp"
#include "core/metrics/metric_table.hpp"
#include "gsmp/session.hpp"
#include "switchserver/drivers/gsmp_service.hpp"
#include "switchserver/drivers/label_set.hpp"
#include "switchserver/drivers/set_rates.hpp"
#include "switchserver/drivers/switch_driver.hpp"
#include "switchserver/drivers/timers.hpp"

namespace xbind {

struct DriverCounters {
  std::uint64_t port_up = 0;
  std::uint64_t port_down = 0;
  std::uint64_t invalid_label = 0;
  std::uint64_t new_port = 0;
  std::uint64_t dead_port = 0;
  std::uint64_t adjacency_update = 0;
  std::uint64_t event_gaps = 0;
  std::uint64_t adjacencies = 1;  // a gauge
  std::uint64_t by_service = 0;
  std::uint64_t by_priority = 0;
  std::uint64_t old_port_session = 0;
  std::uint64_t ports_taken = 0;
};

inline constexpr CounterRow<DriverCounters> kDriverMetrics[] = {
    {"gsmp_port_up", MetricKind::kCounter, "", "Port Up events of the switch.",
     &DriverCounters::port_up},
    {"gsmp_port_down", MetricKind::kCounter, "", "Port Down events.", &DriverCounters::port_down},
    {"gsmp_invalid_label", MetricKind::kCounter, "",
     "Invalid Label events: cells came in with a label of no connection.",
     &DriverCounters::invalid_label},
    {"gsmp_new_port", MetricKind::kCounter, "", "New Port events.", &DriverCounters::new_port},
    {"gsmp_dead_port", MetricKind::kCounter, "", "Dead Port events.", &DriverCounters::dead_port},
    {"gsmp_adjacency_update", MetricKind::kCounter, "", "Adjacency Update events.",
     &DriverCounters::adjacency_update},
    {"gsmp_event_gaps", MetricKind::kCounter, "",
     "Times that events of a port were missed, and the port was read again.",
     &DriverCounters::event_gaps},
    {"gsmp_adjacencies", MetricKind::kGauge, "", "Controllers that the switch has now.",
     &DriverCounters::adjacencies},
    {"gsmp_by_service", MetricKind::kCounter, "", "Adds and moves that carried a traffic contract.",
     &DriverCounters::by_service},
    {"gsmp_by_priority", MetricKind::kCounter, "",
     "Adds and moves whose contract was mapped to a priority, because a port does not offer the "
     "service.",
     &DriverCounters::by_priority},
    {"gsmp_old_port_session", MetricKind::kCounter, "",
     "Requests that the switch refused because their port had begun a new session.",
     &DriverCounters::old_port_session},
    {"gsmp_ports_taken", MetricKind::kCounter, "",
     "Ports that began a new session without an event: another controller brought them up; their "
     "cross-connects are put back.",
     &DriverCounters::ports_taken},
};

class GsmpDriver : public SwitchDriver {
 public:
  static constexpr Duration kInvalidLabelPause = kDriverTimers["invalid-label-pause"];
  static constexpr Duration kInvalidLabelLogPause = kDriverTimers["invalid-label-log"];
  // How often the driver reads all ports while the switch has other controllers. A controller that
  // brings a port up empties it (RFC 3292 section 6.1), and no event notifies the others.
  static constexpr Duration kOthersPause = kDriverTimers["other-controllers-look"];

  static constexpr std::size_t kScanMax = 65'536;
  // Distinguishes the cookies of Port Management: of a port's rate, or of its event flags.
  static constexpr std::uint64_t kRateCookie = std::uint64_t{1} << 32;

  // `random` returns 32 bits at each call, for the adjacency's instance numbers.
  GsmpDriver(const gsmp::SessionOptions& options, std::function<std::uint32_t()> random);

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
  void take_output(wire::Buffer& into) { session_.take_output(into); }
  std::vector<driver::Event> take_events();
  // Swaps: empties `into` first and reuses its memory for the next events.
  void take_events(std::vector<driver::Event>& into);
  // Not empty: the connection must be closed, for this reason. Returned once.
  std::string take_drop_reason();

  const gsmp::SessionCounters& counters() const { return session_.counters(); }
  const DriverCounters& driver_counters() const { return counters_; }

 private:
  struct Port {
    SwitchPort about;
    bool has_labels = true;  // false: the port is not reported
    LabelRanges left_out;    // ranges of the switch that are not used; logged when they change
    std::uint32_t session = 0;
    std::uint32_t reported_session = 0;  // the session number at the last Up or Ports
    std::uint32_t sequence = 0;          // of its last event
    std::uint8_t priorities = 1;
    ServiceSet services = 0;
  };
  struct TableRead {
    driver::Cookie cookie = 0;
    std::size_t answers_missing = 0;
    driver::Table table;
  };
  struct Reset {  // of a port's event flags
    std::uint16_t flags = 0;
    TimePoint due;
  };
  struct Wanted {  // version 1.1: how an open request changes the table
    CrossConnect gone;
    CrossConnect there;
  };
  struct Stale {  // refused because of its port session number; the port is being read
    driver::Done done;
    PortId port;
    std::uint32_t session = 0;
  };

  void drain();
  void on(const gsmp::SessionUp& up);
  void on(const gsmp::SessionDown& down);
  void on(const gsmp::DropTransport& drop);
  void on(const gsmp::Response& response);
  void on(const gsmp::RequestTimeout& timeout);
  void on(const gsmp::RequestLost& lost);
  void on(const gsmp::SwitchEvent& event);

  const Port& port_at(PortId port) const;  // an unknown port: a default Port
  void set_quality(gsmp::QosFields& fields, const TrafficContract& contract, PortId input,
                   const Port& in, PortId output);
  // Opens a group for all waiting deletes and moves their cookies there. Returns its number.
  std::uint64_t open_group();
  void on_branch(const gsmp::Response& response);
  void on_deleted(const gsmp::Response& response);
  void on_report(const gsmp::Response& response);
  void on_statistics(const gsmp::Response& response);
  void fail_request(gsmp::MessageType type, std::uint64_t cookie, Cause cause);
  void end_deletes(std::uint64_t group, Cause cause);
  void end_report(std::uint64_t read, Cause cause);
  std::uint64_t open_read(driver::Cookie cookie, std::size_t answers);
  void send_deletes();
  // The switch has refused a request that carried the session number `session` of the port.
  void refuse(driver::Done done, PortId port, std::uint32_t session);

  // gsmp_driver_v1.cpp
  bool lists_its_table() const;
  // Of this port, or of all.
  std::vector<gsmp::ActivityRecord> labels_to_scan(std::optional<PortId> only = {}) const;
  void scan(const std::vector<gsmp::ActivityRecord>& records, std::uint64_t read);
  void on_activity(const gsmp::Response& response);
  void on_activity(const gsmp::ActivityRecord& record, driver::Table& table);
  void note_wanted(driver::Cookie cookie, const CrossConnect& gone, const CrossConnect& there);
  void note_done(const driver::Done& done);
  void finish(const driver::Done& done) {
    if (!adding_.empty()) [[unlikely]]
      note_done(done);
    events_.emplace_back(done);
  }

  // gsmp_driver_ports.cpp
  void read_all_ports();
  void on_all_ports(const gsmp::Response& response);
  void on_services(const gsmp::Response& response);
  void come_up();
  void want_port(PortId port);
  void on_port(const gsmp::Response& response);
  void port_read(PortId port);
  void know(const gsmp::PortRecord& record);
  void look_at_ports();
  void tell_ports();
  void note_event(const gsmp::Event& event);
  void want_reset(PortId port, std::uint16_t flag, TimePoint due);
  // Requests a reset of the Invalid Label flag, at most once in kInvalidLabelPause.
  void want_label_reset(PortId port);
  void on_reset(const gsmp::Response& response);
  void note_invalid_label(const gsmp::Event& event);
  void send_wanted();

  // gsmp_driver_rates.cpp
  void send_rates();
  void on_rate(const gsmp::Response& response);
  std::vector<SwitchPort> ports_now() const;
  std::uint32_t port_session(PortId port) const;
  static Cause cause_of(const Error& error);
  static std::uint8_t code_of(const Error& error);

  gsmp::Session session_;
  TimePoint now_{};
  bool kept_ = true;
  bool up_ = false;  // driver::Up has been reported
  std::map<PortId, Port> ports_;
  std::vector<SwitchPort> reported_ports_;  // as the last driver::Up or Ports reported them
  TcFlags tc_flags_{};
  std::set<PortId> wanted_ports_;   // to be read again
  std::map<PortId, bool> reading_;  // being read; true: read once more afterwards
  std::map<PortId, Reset> resets_;  // to be sent
  TimePoint look_at_ = kNever;      // when to read all ports, because of other controllers
  std::map<PortId, TimePoint> next_label_reset_;  // when the next Invalid Label flag may be reset
  std::vector<Stale> stale_;
  SetRates rates_;
  std::set<PortId> by_priority_;  // ports that the log has named
  TimePoint invalid_logged_{};
  std::uint64_t invalid_unlogged_ = 0;

  std::vector<gsmp::DeleteElement> deletes_;  // waiting for flush
  std::vector<driver::Cookie> delete_cookies_;
  LabelSet delete_labels_;  // input and output labels of deletes_
  std::uint64_t next_group_ = 1;
  std::unordered_map<std::uint64_t, std::vector<driver::Cookie>> delete_groups_;
  std::vector<driver::Cookie> spare_cookies_;  // reused, for its memory
  std::uint64_t next_read_ = 1;
  std::unordered_map<std::uint64_t, TableRead> table_reads_;

  // Version 1.1: entries that this driver added, with the adjacency that added or last saw them.
  std::map<CrossConnect, std::uint64_t> added_;
  std::uint64_t adjacency_ = 0;  // number of adjacencies so far
  std::unordered_map<driver::Cookie, Wanted> adding_;

  DriverCounters counters_;
  std::vector<gsmp::SessionEvent> session_events_;  // reused, for its memory
  std::vector<driver::Event> events_;
  std::string drop_reason_;
};

}  // namespace xbind
