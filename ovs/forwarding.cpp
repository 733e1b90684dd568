#include "ovs/forwarding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/check.hpp"
#include "core/frame_traffic.hpp"

namespace xbind::ovs {

using namespace openflow;

namespace {

constexpr std::uint16_t kIpv4 = 0x0800;
// The least burst: this part of what the rate carries in a second, and never less than four frames
// of 1500 octets. The datapath takes frames in batches and measures in milliseconds.
constexpr std::uint64_t kBurstsPerSecond = 10;
constexpr std::uint64_t kBurstKbitMin = 48;

std::uint16_t vlan_at(const Layout& layout, const Place& place) {
  if (!layout.edge(place.port)) return kVlanUntagged;
  const auto traffic = FrameTraffic::of(place.label);
  return traffic ? traffic->vlan().value_or(kVlanUntagged) : kVlanUntagged;
}

bool is_class(const Layout& layout, const Place& place) {
  if (!layout.edge(place.port)) return false;
  const auto traffic = FrameTraffic::of(place.label);
  return traffic && traffic->class_number().has_value();
}

// Whether the label cannot be seen from the frames that leave with it, so that actions must name
// it.
bool names_label(const Layout& layout, const Place& output) { return is_class(layout, output); }

void append_branch(const Layout& layout, const Place& input, const Place& output, Actions& into) {
  const bool from_edge = layout.edge(input.port);
  if (!layout.edge(output.port)) {
    if (from_edge) into.emplace_back(PushMpls{});
    into.emplace_back(SetMplsLabel{output.label.value});
    if (!from_edge) into.emplace_back(DecMplsTtl{});
  } else {
    const bool named = !from_edge || names_label(layout, output);
    if (from_edge && named) into.emplace_back(PushMpls{});
    if (named) {
      into.emplace_back(SetMplsLabel{output.label.value});
      into.emplace_back(PopMpls{kIpv4});
    }
    if (const std::uint16_t vlan = vlan_at(layout, output); vlan != kVlanUntagged) {
      into.emplace_back(PushVlan{});
      into.emplace_back(SetVlanVid{vlan});
    }
  }
  // A frame may not leave through the port on which it came in, unless that is named.
  into.emplace_back(
      openflow::Output{output.port == input.port ? kPortInPort : output.port.value()});
}

// Reads one branch: the inverse of append_branch(), proven by writing it again.
std::optional<Place> branch_in(const Layout& layout, const Place& input,
                               std::span<const Action> actions) {
  if (actions.empty()) return std::nullopt;
  const auto* out = std::get_if<openflow::Output>(&actions.back());
  if (out == nullptr) return std::nullopt;
  Place place{out->port == kPortInPort ? input.port : PortId(out->port), FrameTraffic{}.label()};
  for (const Action& one : actions) {
    if (const auto* label = std::get_if<SetMplsLabel>(&one)) {
      place.label = {layout.kind(place.port), label->label};
    } else if (const auto* vid = std::get_if<SetVlanVid>(&one)) {
      if (const auto traffic = FrameTraffic::of_vlan(vid->vid)) place.label = traffic->label();
    }
  }
  if (!has_meaning(layout, place)) return std::nullopt;
  Actions again;
  append_branch(layout, input, place, again);
  if (!std::ranges::equal(again, actions)) return std::nullopt;
  return place;
}

std::uint64_t kbit_of_cells(std::uint64_t cells) {
  return (cells * kFrameOctetsPerCell * 8 + 999) / 1000;
}

}  // namespace

std::string to_string(const Place& place) {
  return fmt::format("port {} {}", place.port, xbind::to_string(place.label));
}

bool has_meaning(const Layout& layout, const Place& place) {
  if (place.label.kind != layout.kind(place.port)) return false;
  if (!layout.edge(place.port))
    return place.label.value >= kMplsLabelMin && place.label.value <= xbind::kMplsLabelMax;
  const auto traffic = FrameTraffic::of(place.label);
  if (!traffic) return false;
  const auto number = traffic->class_number();
  return !number || layout.classes.contains(*number);
}

Input input_of(const Layout& layout, const Place& place) {
  XB_CHECK(has_meaning(layout, place), place.port.value(), place.label.value);
  Input input;
  input.priority = layout.priority;
  input.match.in_port = place.port.value();
  if (!layout.edge(place.port)) {
    input.match.eth_type = kEthTypeMpls;
    input.match.mpls_label = place.label.value;
    return input;
  }
  input.match.eth_type = kIpv4;
  input.match.vlan_vid = vlan_at(layout, place);
  if (const auto number = FrameTraffic::of(place.label)->class_number()) {
    const Ipv4Prefix& prefix = layout.classes.at(*number);
    input.match.ipv4_dst = prefix;
    input.priority = static_cast<std::uint16_t>(layout.priority + prefix.bits);
  }
  return input;
}

std::optional<Place> place_of(const Layout& layout, const Match& match, std::uint16_t priority) {
  if (match.foreign || match.in_port == 0) return std::nullopt;
  Place place{PortId(match.in_port), FrameTraffic{}.label()};
  if (!layout.edge(place.port)) {
    if (!match.mpls_label) return std::nullopt;
    place.label = {layout.kind(place.port), *match.mpls_label};
  } else if (match.ipv4_dst) {
    const auto found = std::ranges::find_if(
        layout.classes, [&](const auto& one) { return one.second == *match.ipv4_dst; });
    if (found == layout.classes.end()) return std::nullopt;
    place.label = FrameTraffic::of_class(found->first)->label();
  } else if (match.vlan_vid && *match.vlan_vid != kVlanUntagged) {
    const auto traffic = FrameTraffic::of_vlan(*match.vlan_vid);
    if (!traffic) return std::nullopt;
    place.label = traffic->label();
  }
  if (!has_meaning(layout, place)) return std::nullopt;
  const Input again = input_of(layout, place);
  if (again.match != match || again.priority != priority) return std::nullopt;
  return place;
}

Forwarding forwarding_of(const Layout& layout, const Place& input, std::span<const Place> outputs,
                         std::uint32_t group) {
  XB_CHECK(!outputs.empty());
  Forwarding forwarding;
  if (vlan_at(layout, input) != kVlanUntagged) forwarding.actions.emplace_back(PopVlan{});
  if (outputs.size() == 1) {
    append_branch(layout, input, outputs.front(), forwarding.actions);
    return forwarding;
  }
  forwarding.actions.emplace_back(Group{group});
  forwarding.buckets.resize(outputs.size());
  for (std::size_t index = 0; index < outputs.size(); ++index)
    append_branch(layout, input, outputs[index], forwarding.buckets[index].actions);
  return forwarding;
}

std::optional<std::uint32_t> group_in(const Actions& actions) {
  for (const Action& one : actions) {
    if (const auto* group = std::get_if<Group>(&one)) return group->id;
  }
  return std::nullopt;
}

std::optional<std::vector<Place>> outputs_of(const Layout& layout, const Place& input,
                                             const Actions& actions, const BucketsOf& groups) {
  std::span<const Action> left(actions);
  if (vlan_at(layout, input) != kVlanUntagged) {
    if (left.empty() || !std::holds_alternative<PopVlan>(left.front())) return std::nullopt;
    left = left.subspan(1);
  }
  std::vector<Place> places;
  if (left.size() == 1 && std::holds_alternative<Group>(left.front())) {
    const auto found = groups.find(std::get<Group>(left.front()).id);
    if (found == groups.end() || found->second.empty()) return std::nullopt;
    for (const Bucket& bucket : found->second) {
      const auto place = branch_in(layout, input, bucket.actions);
      if (!place) return std::nullopt;
      places.push_back(*place);
    }
  } else {
    const auto place = branch_in(layout, input, left);
    if (!place) return std::nullopt;
    places.push_back(*place);
  }
  std::ranges::sort(places);
  return places;
}

std::optional<MeterRate> meter_of(const switchagent::QosProfile& profile) {
  if (profile.input.model != gsmp::QosModel::kService || !profile.input_traffic ||
      (profile.input_traffic->tc_flags & gsmp::kTcPolicing) == 0) {
    return std::nullopt;
  }
  std::uint64_t cells_per_s = 0;
  std::uint64_t burst_cells = 0;
  const gsmp::TrafficParameters& traffic = profile.input_traffic->parameters;
  const auto peak = [&](std::uint64_t pcr, std::uint64_t cdvt_us) {
    cells_per_s = pcr;
    burst_cells = pcr * cdvt_us / 1'000'000;
  };
  if (const auto* rate = std::get_if<gsmp::CellRate>(&traffic)) {
    peak(rate->pcr_cells_per_s, rate->cdvt_us);
  } else if (const auto* frames = std::get_if<gsmp::GuaranteedFrameRate>(&traffic)) {
    peak(frames->pcr_cells_per_s, frames->cdvt_us);
  } else if (const auto* variable = std::get_if<gsmp::VariableRate>(&traffic)) {
    cells_per_s = variable->scr_cells_per_s;
    burst_cells = variable->mbs_cells;
  }
  if (cells_per_s == 0) return std::nullopt;
  const std::uint64_t kbps = kbit_of_cells(cells_per_s);
  const std::uint64_t burst =
      std::max({kbit_of_cells(burst_cells), kbps / kBurstsPerSecond, kBurstKbitMin});
  // 24-bit fields of the contract keep both below 2^32.
  return MeterRate{static_cast<std::uint32_t>(kbps), static_cast<std::uint32_t>(burst)};
}

}  // namespace xbind::ovs
