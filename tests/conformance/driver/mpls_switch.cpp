#include "tests/conformance/driver/mpls_switch.hpp"

#include <algorithm>

namespace xbind::driver_kit {
namespace {

constexpr std::uint32_t kMplsPorts = 3;
constexpr std::uint64_t kPacketsPerS = 1'000'000;

const LabelRanges& port_labels() {
  static const LabelRanges kMplsLabels{mpls_range(MplsSwitch::kFirstLabel, MplsSwitch::kLastLabel)};
  return kMplsLabels;
}

}  // namespace

MplsSwitch::MplsSwitch() {
  for (std::uint32_t number = 1; number <= kMplsPorts; ++number) ports_[PortId{number}];
}

std::vector<SwitchPort> MplsSwitch::ports() const {
  std::vector<SwitchPort> ports;
  for (const auto& [id, port] : ports_) {
    ports.push_back({id, port_labels(), kPacketsPerS, port.up});
  }
  return ports;
}

MplsFailure MplsSwitch::check(PortId port, Label label) const {
  if (!ports_.contains(port)) return MplsFailure::kNoSuchPort;
  if (label.kind != LabelKind::kMpls) return MplsFailure::kLabelOfAnotherKind;
  return contains(port_labels(), label) ? MplsFailure::kNone : MplsFailure::kLabelOutOfRange;
}

MplsFailure MplsSwitch::add(const CrossConnect& at, const TrafficContract& contract) {
  for (const auto& [port, label] :
       {std::pair{at.input_port, at.input_label}, {at.output_port, at.output_label}}) {
    if (const MplsFailure wrong = check(port, label); wrong != MplsFailure::kNone) return wrong;
  }
  table_[at] = contract;
  return MplsFailure::kNone;
}

MplsFailure MplsSwitch::remove(const CrossConnect& at) {
  return table_.erase(at) != 0 ? MplsFailure::kNone : MplsFailure::kNothingThere;
}

MplsFailure MplsSwitch::move(const MplsRequest& request) {
  if (!table_.contains(request.at)) return MplsFailure::kNothingThere;
  CrossConnect to = request.at;
  to.output_port = request.to_port;
  to.output_label = request.to_label;
  const MplsFailure wrong = add(to, request.contract);
  if (wrong == MplsFailure::kNone && to != request.at) table_.erase(request.at);
  return wrong;
}

MplsFailure MplsSwitch::counters(const MplsRequest& request, CellCounters& counters) const {
  const auto port = ports_.find(request.at.input_port);
  if (port == ports_.end()) return MplsFailure::kNoSuchPort;
  if (!request.at.input_label.present()) {
    counters.input_cells = port->second.input;
    return MplsFailure::kNone;
  }
  const auto there = std::ranges::find_if(table_, [&](const auto& entry) {
    return entry.first.input_port == request.at.input_port &&
           entry.first.input_label == request.at.input_label;
  });
  if (there == table_.end()) return MplsFailure::kNothingThere;
  const auto counted = port->second.input_of.find(request.at.input_label);
  if (counted != port->second.input_of.end()) counters.input_cells = counted->second;
  return MplsFailure::kNone;
}

MplsAnswer MplsSwitch::serve(const MplsRequest& request) {
  MplsAnswer answer{request.id, MplsFailure::kNone, {}, {}};
  if (refusals_.first > 0 && refusals_.second == request.kind) {
    --refusals_.first;
    answer.failure = MplsFailure::kRefusedOnPurpose;
    return answer;
  }
  switch (request.kind) {
    case MplsRequest::Kind::kAdd: answer.failure = add(request.at, request.contract); break;
    case MplsRequest::Kind::kRemove: answer.failure = remove(request.at); break;
    case MplsRequest::Kind::kMove: answer.failure = move(request); break;
    case MplsRequest::Kind::kTable:
      for (const auto& [at, contract] : table_) answer.table.push_back(at);
      break;
    case MplsRequest::Kind::kCounters: answer.failure = counters(request, answer.counters); break;
  }
  return answer;
}

void MplsSwitch::restart() {
  table_.clear();
  ++boot_;
}

void MplsSwitch::drop_inputs(PortId port) {
  std::erase_if(table_, [&](const auto& entry) { return entry.first.input_port == port; });
}

void MplsSwitch::count(PortId port, Label label, std::uint64_t packets) {
  ports_.at(port).input += packets;
  ports_.at(port).input_of[label] += packets;
}

}  // namespace xbind::driver_kit
