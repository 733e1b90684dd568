#include "switchserver/emulator/fabric.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "core/check.hpp"

namespace xbind::emulator {

using gsmp::FailureCode;

Fabric::Fabric(FabricOptions options, const std::function<std::uint32_t()>& random)
    : options_(std::move(options)), ports_(options_.ports) {
  XB_CHECK(options_.ports >= 1 && options_.ports <= 0xffff, options_.ports);
  for (Port& port : ports_) {
    // 0 is no session number; a source that gives nothing else must not hold us up.
    port.session = std::max(random(), std::uint32_t{1});
  }
}

gsmp::PortRecord Fabric::port_record(PortId port) const {
  gsmp::PortRecord record;
  record.port = port;
  record.port_session = port_session(port);
  // The capabilities of the switch modelled, as the worked port configuration shows them.
  record.vp_switching = true;
  record.multicast_labels = true;
  record.logical_multicast = true;
  record.label_range_message = true;
  const LabelRange& labels = options_.labels;
  record.label_ranges = {{gsmp::label_field(atm_label(labels.vpi_min, labels.vci_min)),
                          gsmp::label_field(atm_label(labels.vpi_max, labels.vci_max))}};
  const auto own_rate = options_.port_cells_per_s.find(port);
  record.transmit_cells_per_s =
      own_rate == options_.port_cells_per_s.end() ? options_.link_cells_per_s : own_rate->second;
  record.receive_cells_per_s = record.transmit_cells_per_s;
  record.priorities = options_.priorities;
  record.physical_slot = 0;
  record.physical_port = static_cast<std::uint16_t>(port.value());
  if (!options_.services.empty()) record.services = options_.services;
  return record;
}

FailureCode Fabric::check_ports(PortId input, PortId output, std::uint32_t session) const {
  if (!has(input) || !has(output)) return FailureCode::kNoSuchPort;
  return session == port_session(input) ? FailureCode::kNone : FailureCode::kInvalidPortSession;
}

bool Fabric::serves(Qos qos) const {
  switch (qos.model) {
    case gsmp::QosModel::kPriority: return qos.selector < options_.priorities;
    case gsmp::QosModel::kService:
      return std::ranges::any_of(options_.services, [&](gsmp::ServiceSpec spec) {
        return gsmp::service_selector(spec.service, spec.capability_set) == qos.selector;
      });
    case gsmp::QosModel::kProfile:
    case gsmp::QosModel::kOptional: return false;
  }
  return false;
}

namespace {

// What the branch is to carry after a repeated Add Branch. A repeat in the priority model only
// re-asserts a branch with a service; the service of a live branch never changes.
bool changes_service(Qos old, Qos wanted) {
  return old.model == gsmp::QosModel::kService && wanted.model == gsmp::QosModel::kService &&
         old.selector != wanted.selector;
}
Qos updated(Qos old, Qos wanted) {
  const bool reasserts =
      old.model == gsmp::QosModel::kService && wanted.model == gsmp::QosModel::kPriority;
  return reasserts ? old : wanted;
}

auto place(const Branch& branch) { return std::tuple(branch.output_port, branch.output_label); }

auto find_branch(auto& connection, PortId port, Label label) {
  return std::ranges::find_if(connection.branches,
                              [&](const Branch& branch) { return branch.same_place(port, label); });
}

bool is_atm(Label label) { return label.kind == LabelKind::kAtm && label.value >> 28 == 0; }

}  // namespace

FailureCode Fabric::judge(const gsmp::AddBranch& request, Label input, Label output) const {
  const Qos input_qos{request.input_qos, request.input_selector};
  const Qos output_qos{request.output_qos, request.output_selector};
  const bool both_ways = request.input_label.has(gsmp::kFlagBidirectional);

  if (!options_.labels.contains(input)) return FailureCode::kInvalidInputLabel;
  // An output label is the next switch's input label: its range is not ours to know. On the way
  // back it is an input label here.
  if (!is_atm(output) || (both_ways && !options_.labels.contains(output))) {
    return FailureCode::kInvalidOutputLabel;
  }
  const Connection* existing = find(request.input_port, input);
  if (both_ways && (existing != nullptr || find(request.output_port, output) != nullptr)) {
    return FailureCode::kBidirectionalExists;
  }
  const Branch* branch = nullptr;
  if (existing != nullptr) {
    const auto found = find_branch(*existing, request.output_port, output);
    if (found != existing->branches.end()) branch = &*found;
  }
  if (!serves(input_qos) || !serves(output_qos) ||
      (branch != nullptr && (changes_service(branch->input_qos, input_qos) ||
                             changes_service(branch->output_qos, output_qos)))) {
    return FailureCode::kInvalidServiceSelector;
  }
  if (request.reservation != 0) return FailureCode::kReservationOutOfRange;  // there are none
  if (request.output_label.has(gsmp::kFlagReplace)) return FailureCode::kReplaceInactive;
  if (existing != nullptr && branch == nullptr) {
    if (existing->branches.size() >= options_.branches_per_connection_max) {
      return FailureCode::kTooManyBranches;
    }
    if (existing->bidirectional) return FailureCode::kMultipointOntoBidirectional;
  }
  const std::size_t needed = branch != nullptr ? 0 : (both_ways ? 2 : 1);
  if (branches_ + needed > options_.branches_max) return FailureCode::kOutOfResources;
  return FailureCode::kNone;
}

FailureCode Fabric::add_branch(const gsmp::AddBranch& request) {
  const Label input = gsmp::label_of(request.input_label);
  const Label output = gsmp::label_of(request.output_label);
  const FailureCode verdict = judge(request, input, output);
  if (verdict != FailureCode::kNone) return verdict;
  const Qos input_qos{request.input_qos, request.input_selector};
  const Qos output_qos{request.output_qos, request.output_selector};
  const bool both_ways = request.input_label.has(gsmp::kFlagBidirectional);
  put(request.input_port, input, {request.output_port, output, input_qos, output_qos}, both_ways);
  if (both_ways) {
    put(request.output_port, output, {request.input_port, input, input_qos, output_qos}, true);
  }
  return FailureCode::kNone;
}

void Fabric::put(PortId input_port, Label input_label, const Branch& branch, bool bidirectional) {
  Connection& connection = at(input_port).connections[input_label];
  if (bidirectional) connection.bidirectional = true;
  const auto at_or_after = std::ranges::lower_bound(connection.branches, place(branch), {}, place);
  if (at_or_after != connection.branches.end() && place(*at_or_after) == place(branch)) {
    at_or_after->input_qos = updated(at_or_after->input_qos, branch.input_qos);
    at_or_after->output_qos = updated(at_or_after->output_qos, branch.output_qos);
    return;
  }
  connection.branches.insert(at_or_after, branch);
  ++branches_;
}

FailureCode Fabric::delete_branch(PortId input_port, Label input_label, PortId output_port,
                                  Label output_label) {
  Connection* connection = find_to_change(input_port, input_label);
  if (connection == nullptr) return FailureCode::kNoSuchConnection;
  const auto branch = find_branch(*connection, output_port, output_label);
  if (branch == connection->branches.end()) return FailureCode::kNoSuchBranch;
  if (connection->bidirectional) {
    // The way back stays, now a connection like any other.
    if (Connection* reverse = find_to_change(output_port, output_label))
      reverse->bidirectional = false;
  }
  connection->branches.erase(branch);
  --branches_;
  if (connection->branches.empty()) at(input_port).connections.erase(input_label);
  return FailureCode::kNone;
}

void Fabric::clear() {
  for (Port& port : ports_) port.connections.clear();
  branches_ = 0;
}

const Connection* Fabric::find(PortId input_port, Label input_label) const {
  if (!has(input_port)) return nullptr;
  const auto& connections = at(input_port).connections;
  const auto found = connections.find(input_label);
  return found == connections.end() ? nullptr : &found->second;
}

Connection* Fabric::find_to_change(PortId input_port, Label input_label) {
  return const_cast<Connection*>(find(input_port, input_label));
}

std::vector<Fabric::Entry> Fabric::connections_of(PortId port) const {
  std::vector<Entry> entries;
  entries.reserve(at(port).connections.size());
  for (const auto& [label, connection] : at(port).connections) {
    entries.push_back({label, &connection});
  }
  std::ranges::sort(entries, {}, &Entry::input_label);
  return entries;
}

}  // namespace xbind::emulator
