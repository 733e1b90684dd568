// The switch table interface of a GSMP agent: ports, cross-connects, counters. The agent owns the
// protocol: messages, adjacencies, checks of port sessions, answers, events. The table may be the
// emulator's own fabric (fabric_table.hpp) or another switch behind another protocol.
//
//   SwitchAgent ── add_branch(..., ticket, now) ──▶ SwitchTable
//   SwitchAgent ◀── completed(ticket, code) ─────── SwitchTable     during the call, or later
//   SwitchAgent ◀── port_changed(), invalid_label() ── SwitchTable  at any time
//
// Local state is available at once: ports, their sessions and event state, reservations, the region
// model. Every operation that changes or reads the table has a ticket: the table calls completed()
// exactly once for each, in any order. The table executes operations on the same connection or port
// in call order. A table that loses its switch completes open requests with a failure. The agent
// has no timer, because a request that it reported as failed could take effect later (decision
// 0045).
//
// The agent bounds the open requests (AgentOptions). One thread, the agent's, for every call in
// both directions; completed() may be called from within a request, not from within port_session()
// and the other const members.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "core/label.hpp"
#include "gsmp/messages/add_branch.hpp"
#include "gsmp/messages/failure_code.hpp"
#include "gsmp/messages/label_range.hpp"
#include "gsmp/messages/move_input_branch.hpp"
#include "gsmp/messages/move_output_branch.hpp"
#include "gsmp/messages/port_configuration.hpp"
#include "gsmp/messages/port_management.hpp"
#include "gsmp/messages/reservation.hpp"
#include "gsmp/messages/service_configuration.hpp"
#include "gsmp/messages/statistics.hpp"
#include "switchagent/table/region_model.hpp"
#include "switchagent/table/reservations.hpp"

namespace xbind::switchagent {

// Identifies one part of a request: a message has one part for each element.
struct Ticket {
  std::uint64_t request = 0;  // never 0, never reused while the table has the same client
  std::uint32_t part = 0;
  friend bool operator==(Ticket, Ticket) = default;
};

// Event state of a port (RFC 3292 section 9). The table keeps it, so that it outlives the agent.
struct PortEventState {
  std::uint32_t sequence = 0;
  std::uint16_t flags = 0;
  std::uint16_t flow_control = gsmp::kEventsAll;
};

// ----- readings: results of a completed request beside its code -----

struct ConnectionReading {
  std::size_t branches = 0;
  gsmp::Counters counters;
};
struct PortReading {
  gsmp::Counters counters;
};
struct ReportedBranch {
  Label input_label;  // of a path with VCI 0
  bool path = false;
  PortId output_port;
  Label output_label;
};
// In order of input label, then output port and label: branches of a connection are adjacent.
using TableReport = std::vector<ReportedBranch>;
struct BranchesDeleted {
  std::size_t count = 0;
};
// The ranges of a Label Range answer.
struct LabelRangesReading {
  std::vector<gsmp::LabelRangeElement> ranges;
  bool disjoint = false;  // D: an MPLS port with several ranges
};
using TableReading = std::variant<std::monostate, ConnectionReading, PortReading, TableReport,
                                  LabelRangesReading, BranchesDeleted>;

// The user of a table: the agent.
class TableClient {
 public:
  // Completes a ticket. A ticket that is not open, or already answered, is counted and ignored.
  virtual void completed(Ticket ticket, gsmp::FailureCode code) = 0;
  virtual void completed(Ticket ticket, gsmp::FailureCode code, TableReading reading) = 0;
  // Port Up, Port Down, New Port or Dead Port occurred; `session` is the session number to report.
  virtual void port_changed(gsmp::MessageType event, PortId port, std::uint32_t session) = 0;
  // A cell arrived on a label without a connection. Called for every such cell.
  virtual void invalid_label(PortId port, Label label, TimePoint now) = 0;

 protected:
  ~TableClient() = default;
};

class SwitchTable {
 public:
  virtual ~SwitchTable() = default;

  // Null: no client. Forgets open requests of the earlier client: their tickets are not completed
  // to the new one. The client must outlive its registration.
  virtual void set_client(TableClient* client) = 0;

  // ----- local state; ports are numbered 1..ports(), 1..65535 of them -----
  virtual std::uint32_t ports() const = 0;
  virtual std::uint32_t installed_ports() const = 0;
  // Accepts any number. nullopt: no such port, or its card is removed.
  virtual std::optional<std::uint32_t> port_session(PortId port) const = 0;
  // From here on `port` must exist.
  virtual gsmp::PortStatus port_status(PortId port) const = 0;
  virtual gsmp::PortRecord port_record(PortId port) const = 0;
  virtual std::uint32_t rate(PortId port) const = 0;  // cells/s
  virtual PortEventState& events(PortId port) = 0;    // 1..ports(), installed or not
  virtual std::size_t branches() const = 0;           // in the table, as far as known
  virtual const std::vector<gsmp::ServiceRecord>& services() const = 0;
  // Null: not supported. The agent then answers messages of the model, or on reservations, with
  // kNotImplemented.
  virtual RegionModel* region() { return nullptr; }
  virtual const Reservations* reservations() const { return nullptr; }

  // ----- requests; ports and sessions are checked, codes are those of RFC 3292 -----
  // kNone: done. Any other code: no change. A table without virtual path switching answers
  // kNoVpSwitching; one without reservations for branches answers kReservationOutOfRange.
  virtual void add_branch(const gsmp::AddBranch& request, Ticket ticket, TimePoint now) = 0;
  virtual void move_output(const gsmp::MoveOutputBranch& request, Ticket ticket, TimePoint now) = 0;
  virtual void move_input(const gsmp::MoveInputBranch& request, Ticket ticket, TimePoint now) = 0;
  // kNone, kNoSuchConnection or kNoSuchBranch.
  virtual void delete_branch(PortId input_port, Label input_label, PortId output_port,
                             Label output_label, Ticket ticket, TimePoint now) = 0;
  virtual void delete_tree(PortId input_port, Label input_label, Ticket ticket, TimePoint now) = 0;
  virtual void delete_all_input(PortId port, Ticket ticket, TimePoint now) = 0;
  virtual void delete_all_output(PortId port, Ticket ticket, TimePoint now) = 0;
  // Only if reservations() is not null.
  virtual void reserve(const gsmp::ReservationRequest& request, Ticket ticket, TimePoint now);
  virtual void release(std::uint32_t reservation, Ticket ticket, TimePoint now);
  virtual void release_all(Ticket ticket, TimePoint now);

  // Port Management except kResetFlags. A success has the reading BranchesDeleted.
  virtual void manage(const gsmp::PortManagement& request, Ticket ticket, TimePoint now) = 0;
  // A query or a change. Returns LabelRangesReading, the ranges for the answer, with kNone,
  // kOldLabelsInUse (done, a warning) and kLabelRangeImpossible (no change; the possible ranges).
  virtual void label_range(const gsmp::LabelRangeMessage& request, Ticket ticket,
                           TimePoint now) = 0;

  // Returns ConnectionReading, or kNoSuchConnection.
  virtual void read_connection(PortId port, Label label, Ticket ticket, TimePoint now) = 0;
  virtual void read_port(PortId port, Ticket ticket, TimePoint now) = 0;  // returns PortReading
  // Reports the connections that enter at `port`: all, those of one VPI, or one label. Returns
  // TableReport.
  enum class Scope : std::uint8_t { kPort, kVpi, kLabel };
  virtual void report(PortId port, Scope scope, Label label, Ticket ticket, TimePoint now) = 0;

  // Deletes connections, reservations and the region model, because a controller requested a new
  // adjacency (PFlag 1). Executed before every later request; ports stay unchanged.
  virtual void clear(TimePoint now) = 0;

  // Timers of the table; kNever: none.
  virtual void tick(TimePoint now) = 0;
  virtual TimePoint next_deadline() const = 0;

 protected:
  // Set by the implementation's set_client().
  TableClient* client_ = nullptr;
};

}  // namespace xbind::switchagent
