// Reading: what the bridge itself has and counts.
#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "ovs/ovs_table.hpp"

namespace xbind::ovs {

using gsmp::FailureCode;
using switchagent::ReportedBranch;
using switchagent::TableReport;
using switchagent::Ticket;

openflow::FlowStatsRequest OvsTable::flows_at(PortId port) const {
  openflow::FlowStatsRequest request;
  request.table = options_.layout.table;
  request.cookie = options_.layout.cookie;
  request.cookie_mask = kCookieMask;
  request.match.in_port = port.value();
  return request;
}

// ----- report -----------------------------------------------------------------------------------

void OvsTable::report(PortId port, Scope scope, Label label, Ticket ticket, TimePoint) {
  after_earlier([=, this] {
    report_flows(port, scope, label, ticket);
    return true;
  });
}

void OvsTable::report_flows(PortId port, Scope scope, Label label, Ticket ticket) {
  if (!bridge_.ready()) return answer(ticket, FailureCode::kUnspecified);
  const Place one{port, label};
  const bool nothing = (scope == Scope::kVpi && options_.layout.kind(port) != LabelKind::kAtm) ||
                       (scope == Scope::kLabel && !has_meaning(options_.layout, one));
  if (nothing) return answer(ticket, FailureCode::kNone, TableReport{});
  openflow::FlowStatsRequest request = flows_at(port);
  if (scope == Scope::kLabel) request.match = input_of(options_.layout, one).match;
  bridge_.read_flows(request, [=, this, asked = client_number_](Result<Bridge::Flows> flows) {
    if (client_number_ != asked) return;
    if (!flows) return answer(ticket, FailureCode::kUnspecified);
    const bool grouped = std::ranges::any_of(
        *flows, [](const openflow::FlowStats& flow) { return group_in(flow.actions).has_value(); });
    if (!grouped || !bridge_.ready()) return report_found(port, scope, label, ticket, *flows, {});
    report_groups(port, scope, label, ticket, std::move(*flows));
  });
}

void OvsTable::report_groups(PortId port, Scope scope, Label label, Ticket ticket,
                             Bridge::Flows flows) {
  bridge_.read_groups(
      [=, this, asked = client_number_, flows = std::move(flows)](Result<Bridge::Groups> groups) {
        if (client_number_ != asked) return;
        if (!groups) return answer(ticket, FailureCode::kUnspecified);
        BucketsOf buckets;
        for (openflow::GroupDesc& group : *groups) {
          if (!group.foreign) buckets[group.id] = std::move(group.buckets);
        }
        report_found(port, scope, label, ticket, flows, buckets);
      });
}

// A flow of ours that somebody has changed is no branch of any connection: the audit finds it
// missing.
void OvsTable::report_found(PortId port, Scope scope, Label label, Ticket ticket,
                            const Bridge::Flows& flows, const BucketsOf& groups) {
  TableReport found;
  const auto add = [&](const Place& input, const Places& outputs) {
    if (scope == Scope::kLabel && input.label != label) return;
    if (scope == Scope::kVpi && vpi_of(input.label) != vpi_of(label)) return;
    for (const Place& output : outputs)
      found.push_back({input.label, false, output.port, output.label});
  };
  for (const openflow::FlowStats& flow : flows) {
    if (!flows_.ours(flow)) continue;
    const auto input = place_of(options_.layout, flow.match, flow.priority);
    const auto outputs = input && input->port == port && !flow.foreign
                             ? outputs_of(options_.layout, *input, flow.actions, groups)
                             : std::nullopt;
    if (outputs) {
      add(*input, *outputs);
    } else {
      notices_.push_back(fmt::format("a flow of ours at port {} was changed by others", port));
    }
  }
  // Out of service: such branches are connections without flows.
  for (const switchagent::Fabric::Entry& entry : fabric_.connections_of(port)) {
    Places outside;
    for (const dataplane::Branch& branch : entry.connection->branches) {
      if (!flows_.in_service(port) || !flows_.in_service(branch.port))
        outside.push_back({branch.port, fabric_.label_at(branch.port, branch.vpi, branch.vci)});
    }
    add({port, entry.input_label}, outside);
  }
  std::ranges::sort(found, {}, [](const ReportedBranch& one) {
    return std::tuple(one.input_label, one.output_port, one.output_label);
  });
  answer(ticket, FailureCode::kNone, std::move(found));
}

// ----- counters ---------------------------------------------------------------------------------

// A group copies each frame to every branch; a meter may drop some of them before, which the bridge
// counts for the meter alone. So the output is the input times the branches.
void OvsTable::read_connection(PortId port, Label label, Ticket ticket, TimePoint) {
  after_earlier([=, this] {
    const Place input{port, label};
    if (!bridge_.ready()) {
      answer(ticket, FailureCode::kUnspecified);
      return true;
    }
    const auto* const raw = fabric_.find_raw(port, label);
    if (raw == nullptr) {
      answer(ticket, FailureCode::kNoSuchConnection);
      return true;
    }
    switchagent::ConnectionReading reading;
    reading.branches = raw->branches.size();
    openflow::FlowStatsRequest request = flows_at(port);
    request.match = input_of(options_.layout, input).match;
    bridge_.read_flows(request, [=, this, asked = client_number_](Result<Bridge::Flows> flows) {
      if (client_number_ != asked) return;
      if (!flows) return answer(ticket, FailureCode::kUnspecified);
      switchagent::ConnectionReading done = reading;
      for (const openflow::FlowStats& flow : *flows) {
        if (place_of(options_.layout, flow.match, flow.priority) != input) continue;
        done.counters.input_cells = cells_of(flow.octets);
        done.counters.output_cells = cells_of(flow.octets) * done.branches;
      }
      answer(ticket, FailureCode::kNone, done);
    });
    return true;
  });
}

void OvsTable::read_port(PortId port, Ticket ticket, TimePoint) {
  after_earlier([=, this] {
    if (!bridge_.ready()) {
      answer(ticket, FailureCode::kUnspecified);
      return true;
    }
    bridge_.read_port(
        port.value(), [=, this, asked = client_number_](Result<Bridge::PortCounters> read) {
          if (client_number_ != asked) return;
          switchagent::PortReading reading;  // zeros: the bridge does not have the port now
          if (read && !read->empty()) {
            const openflow::PortStats& met = read->front();
            const auto counted = [](std::uint64_t number) { return number == ~0ULL ? 0 : number; };
            reading.counters.input_cells = cells_of(counted(met.rx_octets));
            reading.counters.input_cell_discards = counted(met.rx_dropped);
            reading.counters.hec_errors = counted(met.rx_errors);
            reading.counters.output_cells = cells_of(counted(met.tx_octets));
            reading.counters.output_cell_discards = counted(met.tx_dropped);
          }
          answer(ticket, FailureCode::kNone, reading);
        });
    return true;
  });
}

}  // namespace xbind::ovs
