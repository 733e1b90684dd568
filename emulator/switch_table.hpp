// The table of a switch as its GSMP agent needs it: ports, cross-connects, counters. The agent owns
// the protocol (messages, adjacencies, ports' sessions checked, answers, events); the table behind
// it may be the emulator's own fabric (fabric_table.hpp) or another switch that is asked over a
// protocol of its own.
//
//   SwitchAgent ── add_branch(..., ticket, now) ──▶ SwitchTable
//   SwitchAgent ◀── completed(ticket, code) ─────── SwitchTable     during the call, or later
//   SwitchAgent ◀── port_changed(), invalid_label() ── SwitchTable  at any time
//
// What a switch must know without asking anybody is answered at once: ports, their sessions and
// event state, reservations, the region model. Everything that changes or reads the table has a
// ticket: the table calls completed() exactly once for each, in any order. It carries the requests
// out in the order of the calls, as far as they concern the same connection or port. A table that
// learns that its switch is gone completes what is open with a failure; the agent has no timer of
// its own, because a request that it called failed could take effect afterwards (decision 0045).
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
#include "emulator/region_model.hpp"
#include "emulator/reservations.hpp"
#include "gsmp/add_branch.hpp"
#include "gsmp/failure_code.hpp"
#include "gsmp/label_range.hpp"
#include "gsmp/move_input_branch.hpp"
#include "gsmp/move_output_branch.hpp"
#include "gsmp/port_configuration.hpp"
#include "gsmp/port_management.hpp"
#include "gsmp/reservation.hpp"
#include "gsmp/service_configuration.hpp"
#include "gsmp/statistics.hpp"

namespace xbind::emulator {

// Names one part of a request: a message with several elements asks for each by a part of its own.
struct Ticket {
  std::uint64_t request = 0;  // never 0, never used again while the table has the same client
  std::uint32_t part = 0;
  friend bool operator==(Ticket, Ticket) = default;
};

// Event state of a port (RFC 3292 section 9). The table keeps it, so that it outlives the agent.
struct PortEventState {
  std::uint32_t sequence = 0;
  std::uint16_t flags = 0;
  std::uint16_t flow_control = gsmp::kEventsAll;
};

// ----- what a completed request may tell beside its code -----

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
// In order of input label, then output port and label: branches of a connection stand together.
using TableReport = std::vector<ReportedBranch>;
struct BranchesDeleted {
  std::size_t count = 0;
};
// Of Label Range, as the answer has them.
struct LabelRangesReading {
  std::vector<gsmp::LabelRangeElement> ranges;
  bool disjoint = false;  // D: an MPLS port has several
};
using TableReading = std::variant<std::monostate, ConnectionReading, PortReading, TableReport,
                                  LabelRangesReading, BranchesDeleted>;

// Who uses a table: the agent.
class TableClient {
 public:
  // A ticket that is not open, or whose part is answered already, is counted and ignored.
  virtual void completed(Ticket ticket, gsmp::FailureCode code) = 0;
  virtual void completed(Ticket ticket, gsmp::FailureCode code, TableReading reading) = 0;
  // Port Up, Port Down, New Port or Dead Port has happened; `session` is the one to report.
  virtual void port_changed(gsmp::MessageType event, PortId port, std::uint32_t session) = 0;
  // A cell came on a label without a connection; as often as there are such cells.
  virtual void invalid_label(PortId port, Label label, TimePoint now) = 0;

 protected:
  ~TableClient() = default;
};

class SwitchTable {
 public:
  virtual ~SwitchTable() = default;

  // Null: nobody. Open requests of the earlier client are forgotten: none of their tickets is
  // completed to the new one. The client outlives its place here.
  virtual void set_client(TableClient* client) = 0;

  // ----- known at once; ports are numbered 1..ports(), 1..65535 of them -----
  virtual std::uint32_t ports() const = 0;
  virtual std::uint32_t installed_ports() const = 0;
  // Any number. Nothing: there is no such port, or it is pulled out.
  virtual std::optional<std::uint32_t> port_session(PortId port) const = 0;
  // From here on `port` exists.
  virtual gsmp::PortStatus port_status(PortId port) const = 0;
  virtual gsmp::PortRecord port_record(PortId port) const = 0;
  virtual std::uint32_t rate(PortId port) const = 0;  // cells/s
  virtual PortEventState& events(PortId port) = 0;    // 1..ports(), installed or not
  virtual std::size_t branches() const = 0;           // in the table, as far as is known
  virtual const std::vector<gsmp::ServiceRecord>& services() const = 0;
  // Null: the table has none; the agent then answers the messages of the model, or those on
  // reservations, with kNotImplemented.
  virtual RegionModel* region() { return nullptr; }
  virtual const Reservations* reservations() const { return nullptr; }

  // ----- requests; ports and sessions have been checked, and the codes are RFC 3292's -----
  // kNone: done. Anything else: nothing has changed. A table that switches no virtual paths answers
  // kNoVpSwitching, one that takes no reservation with a branch kReservationOutOfRange.
  virtual void add_branch(const gsmp::AddBranch& request, Ticket ticket, TimePoint now) = 0;
  virtual void move_output(const gsmp::MoveOutputBranch& request, Ticket ticket, TimePoint now) = 0;
  virtual void move_input(const gsmp::MoveInputBranch& request, Ticket ticket, TimePoint now) = 0;
  // kNone, kNoSuchConnection or kNoSuchBranch.
  virtual void delete_branch(PortId input_port, Label input_label, PortId output_port,
                             Label output_label, Ticket ticket, TimePoint now) = 0;
  virtual void delete_tree(PortId input_port, Label input_label, Ticket ticket, TimePoint now) = 0;
  virtual void delete_all_input(PortId port, Ticket ticket, TimePoint now) = 0;
  virtual void delete_all_output(PortId port, Ticket ticket, TimePoint now) = 0;
  // A hint before a batch of delete_branch(); any port and label.
  virtual void prefetch(PortId, Label) const {}
  // Only where reservations() is not null.
  virtual void reserve(const gsmp::ReservationRequest& request, Ticket ticket, TimePoint now);
  virtual void release(std::uint32_t reservation, Ticket ticket, TimePoint now);
  virtual void release_all(Ticket ticket, TimePoint now);

  // Port Management except kResetFlags. A success tells BranchesDeleted.
  virtual void manage(const gsmp::PortManagement& request, Ticket ticket, TimePoint now) = 0;
  // A query or an order. Tells LabelRangesReading, as the answer has them, with kNone, kOldLabelsInUse
  // (done, a warning) and kLabelRangeImpossible (nothing done; what could be had).
  virtual void label_range(const gsmp::LabelRangeMessage& request, Ticket ticket,
                           TimePoint now) = 0;

  // Tells ConnectionReading; kNoSuchConnection.
  virtual void read_connection(PortId port, Label label, Ticket ticket, TimePoint now) = 0;
  virtual void read_port(PortId port, Ticket ticket, TimePoint now) = 0;  // tells PortReading
  // Connections that come in at `port`: all, those of one VPI, or one label. Tells TableReport.
  enum class Scope : std::uint8_t { kPort, kVpi, kLabel };
  virtual void report(PortId port, Scope scope, Label label, Ticket ticket, TimePoint now) = 0;

  // Forgets connections, reservations and the region model: a controller asked for a new start
  // (PFlag 1). Carried out before every later request; ports stay as they are.
  virtual void clear(TimePoint now) = 0;

  // Timers of the table; kNever: none.
  virtual void tick(TimePoint now) = 0;
  virtual TimePoint next_deadline() const = 0;

 protected:
  // Of the client that asked; set_client() of the implementation sets it.
  TableClient* client_ = nullptr;
};

}  // namespace xbind::emulator
