#include "switchagent/table/fabric_table.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace xbind::switchagent {

using gsmp::FailureCode;

FabricTable::FabricTable(Fabric& fabric) : FabricState(fabric) {
  fabric_.set_on_unknown_label([this](PortId port, Label label, TimePoint now) {
    if (client_ != nullptr) client_->invalid_label(port, label, now);
  });
}

FabricTable::~FabricTable() { fabric_.set_on_unknown_label({}); }

void FabricTable::set_client(TableClient* client) {
  waiting_.clear();
  client_ = client;
}

// ----- answers ----------------------------------------------------------------------------------

void FabricTable::answer(Ticket ticket, FailureCode code, TimePoint now) {
  if (answer_delay_ == Duration{}) [[likely]]
    return client_->completed(ticket, code);
  waiting_.emplace(now + answer_delay_, Answer{ticket, code, {}});
}

void FabricTable::answer(Ticket ticket, FailureCode code, TableReading reading, TimePoint now) {
  if (answer_delay_ == Duration{}) return client_->completed(ticket, code, std::move(reading));
  waiting_.emplace(now + answer_delay_, Answer{ticket, code, std::move(reading)});
}

void FabricTable::tick(TimePoint now) {
  fabric_.tick(now);
  while (!waiting_.empty() && waiting_.begin()->first <= now) {
    Answer due = std::move(waiting_.begin()->second);
    waiting_.erase(waiting_.begin());
    client_->completed(due.ticket, due.code, std::move(due.reading));
  }
}

TimePoint FabricTable::next_deadline() const {
  const TimePoint due = waiting_.empty() ? kNever : waiting_.begin()->first;
  return std::min(due, fabric_.next_deadline());
}

// ----- ports ------------------------------------------------------------------------------------

void FabricTable::manage(const gsmp::PortManagement& request, Ticket ticket, TimePoint now) {
  const std::size_t before = fabric_.branches();
  const FailureCode code = fabric_.manage(request, now);
  answer(ticket, code, BranchesDeleted{before - fabric_.branches()}, now);
}

void FabricTable::label_range(const gsmp::LabelRangeMessage& request, Ticket ticket,
                              TimePoint now) {
  gsmp::LabelRangeMessage found = request;
  const FailureCode code = fabric_.label_range(found);
  answer(ticket, code, LabelRangesReading{std::move(found.ranges), found.disjoint}, now);
}

// ----- connections ------------------------------------------------------------------------------

void FabricTable::add_branch(const gsmp::AddBranch& request, Ticket ticket, TimePoint now) {
  answer(ticket, fabric_.add_branch(request), now);
}
void FabricTable::move_output(const gsmp::MoveOutputBranch& request, Ticket ticket, TimePoint now) {
  answer(ticket, fabric_.move_output(request), now);
}
void FabricTable::move_input(const gsmp::MoveInputBranch& request, Ticket ticket, TimePoint now) {
  answer(ticket, fabric_.move_input(request), now);
}
void FabricTable::delete_branch(PortId input_port, Label input_label, PortId output_port,
                                Label output_label, Ticket ticket, TimePoint now) {
  answer(ticket, fabric_.delete_branch(input_port, input_label, output_port, output_label), now);
}
void FabricTable::delete_tree(PortId input_port, Label input_label, Ticket ticket, TimePoint now) {
  answer(ticket, fabric_.delete_tree(input_port, input_label), now);
}
void FabricTable::delete_all_input(PortId port, Ticket ticket, TimePoint now) {
  fabric_.delete_all_input(port);
  answer(ticket, FailureCode::kNone, now);
}
void FabricTable::delete_all_output(PortId port, Ticket ticket, TimePoint now) {
  fabric_.delete_all_output(port);
  answer(ticket, FailureCode::kNone, now);
}
void FabricTable::reserve(const gsmp::ReservationRequest& request, Ticket ticket, TimePoint now) {
  answer(ticket, fabric_.reserve(request), now);
}
void FabricTable::release(std::uint32_t reservation, Ticket ticket, TimePoint now) {
  fabric_.reservations().release(reservation);
  answer(ticket, FailureCode::kNone, now);
}
void FabricTable::release_all(Ticket ticket, TimePoint now) {
  fabric_.reservations().clear();
  answer(ticket, FailureCode::kNone, now);
}

// ----- reading ----------------------------------------------------------------------------------

void FabricTable::read_connection(PortId port, Label label, Ticket ticket, TimePoint now) {
  const dataplane::Connection* const found = fabric_.find_raw(port, label);
  if (found == nullptr) return answer(ticket, FailureCode::kNoSuchConnection, now);
  ConnectionReading reading{.branches = found->branches.size(), .counters = {}};
  reading.counters.input_cells = found->counters.input_cells;
  if (const auto* policing = fabric_.cells().policing())
    reading.counters.input_cell_discards = policing->counters(found->self).discarded;
  if (const auto* crossbar = fabric_.cells().crossbar())
    reading.counters.input_cell_discards += crossbar->lost_of(found->self);
  reading.counters.output_cells = found->counters.output_cells;
  reading.counters.output_cell_discards = found->counters.output_discards;
  answer(ticket, FailureCode::kNone, reading, now);
}

void FabricTable::read_port(PortId port, Ticket ticket, TimePoint now) {
  const dataplane::PortCounters met = fabric_.cells().counters(port);
  PortReading reading;
  reading.counters.input_cells = met.input_cells;
  reading.counters.input_cell_discards = met.input_discards;
  reading.counters.hec_errors = met.hec_errors;
  reading.counters.invalid_labels = met.invalid_label;
  reading.counters.output_cells = met.output_cells;
  reading.counters.output_cell_discards = met.output_discards;
  answer(ticket, FailureCode::kNone, reading, now);
}

void FabricTable::report(PortId port, Scope scope, Label label, Ticket ticket, TimePoint now) {
  std::vector<Fabric::Entry> entries;
  if (scope != Scope::kLabel) {
    entries = fabric_.connections_of(port);
    if (scope == Scope::kVpi) {
      std::erase_if(entries, [&](const Fabric::Entry& entry) {
        return label.kind != LabelKind::kAtm || entry.input_label.kind != LabelKind::kAtm ||
               vpi_of(entry.input_label) != vpi_of(label);
      });
    }
  } else if (const auto* found = fabric_.find_raw(port, label)) {
    entries.push_back({label, found});
  }
  TableReport report;
  for (const Fabric::Entry& entry : entries) {
    const auto first = static_cast<std::ptrdiff_t>(report.size());
    for (const dataplane::Branch& branch : entry.connection->branches) {
      report.push_back({entry.input_label, entry.connection->input.path, branch.port,
                        fabric_.label_at(branch.port, branch.vpi, branch.vci)});
    }
    std::sort(report.begin() + first, report.end(),
              [](const ReportedBranch& one, const ReportedBranch& other) {
                return std::tuple(one.output_port, one.output_label) <
                       std::tuple(other.output_port, other.output_label);
              });
  }
  answer(ticket, FailureCode::kNone, std::move(report), now);
}

}  // namespace xbind::switchagent
