// The labels of the fabric's ports: kinds, accepted ranges, and Label Range (RFC 3292 section 6.2).
// An ATM port has one range, VPIs times VCIs; an MPLS port has one or more.
#include <algorithm>
#include <set>

#include "core/check.hpp"
#include "switchagent/table/fabric.hpp"

namespace xbind::switchagent {

using gsmp::FailureCode;
using gsmp::LabelRangeElement;
using gsmp::LabelRangeMessage;

// ----- kinds ----------------------------------------------------------------------------------

void Fabric::set_labels(PortId id, const LabelRanges& labels) {
  XB_CHECK(!labels.empty() && labels.front().kind == label_kind(id), to_string(labels));
  at(id).labels_default = labels;
  cells_.table().set_labels(id, labels);
}

bool Fabric::accepts(PortId port, Label label, bool path) const {
  if (!path) return contains(labels(port), label);
  if (label.kind != LabelKind::kAtm || label.value > kAtmValueMax) return false;
  return std::ranges::any_of(labels(port), [&](const LabelRange& range) {
    return range.kind == LabelKind::kAtm && label.value >> 16 >= range.first >> 16 &&
           label.value >> 16 <= range.last >> 16;
  });
}

// Whether cells of the port can carry the label; only such labels have a table entry.
bool Fabric::is_label_of(PortId port, Label label) const {
  if (label.kind != label_kind(port)) return false;
  return label.value <= (label.kind == LabelKind::kMpls ? kMplsLabelMax : kAtmValueMax);
}

bool Fabric::leaves_by(PortId port, Label label) const {
  if (!is_label_of(port, label)) return false;
  return label.kind == LabelKind::kMpls ? label.value >= kMplsLabelMin
                                        : vpi_of(label) <= cells_.vpi_max(port);
}

bool Fabric::joins(PortId input, PortId output) const {
  return !options_.one_kind || label_kind(input) == label_kind(output);
}

bool Fabric::has_paths(PortId input, PortId output) const {
  return label_kind(input) == LabelKind::kAtm && label_kind(output) == LabelKind::kAtm;
}

// ----- Label Range ----------------------------------------------------------------------------

FailureCode Fabric::label_range(LabelRangeMessage& message) {
  const bool mpls = label_kind(message.port) == LabelKind::kMpls;
  // An ATM port has one range of VPIs and one of VCIs, for all kinds of connections.
  if (!mpls && !message.query && (message.disjoint || message.ranges.size() > 1))
    return FailureCode::kLabelRangeDisjoint;
  if (message.multipoint) return FailureCode::kNoMultipointLabels;
  if (mpls) return message.query ? query_mpls_labels(message) : set_mpls_labels(message);
  FailureCode warning = FailureCode::kNone;
  for (LabelRangeElement& range : message.ranges) {
    const FailureCode code =
        message.query ? query_atm_labels(message.port, range) : set_atm_labels(message.port, range);
    if (code == FailureCode::kOldLabelsInUse) {
      warning = code;
    } else if (code != FailureCode::kNone) {
      return code;
    }
  }
  return warning;
}

// ----- ATM ports -----

namespace {

std::uint32_t remaining(std::uint64_t vpis, std::uint64_t vcis) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(vpis, 0xffff) << 16 |
                                    std::min<std::uint64_t>(vcis, 0xffff));
}

}  // namespace

FailureCode Fabric::query_atm_labels(PortId port, LabelRangeElement& range) const {
  const AtmBounds held = atm_bounds(labels(port).front());
  const dataplane::ForwardingTable& table = cells_.table();
  if (range.min.has(gsmp::kFlagVpiRange)) {
    std::set<std::uint32_t> used;
    for (const Entry& entry : connections_of(port)) {
      const std::uint32_t vpi = vpi_of(entry.input_label);
      if (vpi >= held.vpi_min && vpi <= held.vpi_max) used.insert(vpi);
    }
    range.min = gsmp::label_field(atm_label(held.vpi_min, 0), range.min.flags);
    range.max = gsmp::label_field(atm_label(held.vpi_max, 0), range.max.flags);
    range.remaining = remaining(held.vpi_max - held.vpi_min + 1 - used.size(), 0);
    return FailureCode::kNone;
  }
  const Label max = gsmp::label_of(range.max);
  if (!is_label_of(port, max)) return FailureCode::kInvalidInputLabel;
  const std::uint32_t vpi = vpi_of(max);
  if (vpi < held.vpi_min || vpi > held.vpi_max) return FailureCode::kInvalidInputLabel;
  std::uint64_t used = 0;
  for (const Entry& entry : connections_of(port)) {
    if (held.contains(entry.input_label) && vpi_of(entry.input_label) == vpi) ++used;
  }
  const bool whole = table.find(dataplane::path(port, static_cast<std::uint16_t>(vpi))) != nullptr;
  range.min = gsmp::label_field(atm_label(vpi, held.vci_min), range.min.flags);
  range.max = gsmp::label_field(atm_label(vpi, held.vci_max), range.max.flags);
  range.remaining = remaining(0, whole ? 0 : held.vci_max - held.vci_min + 1 - used);
  return FailureCode::kNone;
}

// The largest range that Label Range may set: the options' range, limited by the line's header
// width.
AtmBounds Fabric::atm_labels_most(PortId port) const {
  AtmBounds most = options_.labels_grantable;
  most.vpi_max = std::min(most.vpi_max, cells_.vpi_max(port));
  most.vpi_min = std::min(most.vpi_min, most.vpi_max);
  return most;
}

FailureCode Fabric::set_atm_labels(PortId port, LabelRangeElement& range) {
  const Label min = gsmp::label_of(range.min);
  const Label max = gsmp::label_of(range.max);
  if (!is_label_of(port, min) || !is_label_of(port, max)) return FailureCode::kInvalidInputLabel;
  const bool of_vpis = range.min.has(gsmp::kFlagVpiRange);
  const bool of_vcis = !of_vpis || range.min.has(gsmp::kFlagVciRange);
  const AtmBounds most = atm_labels_most(port);
  AtmBounds wanted = atm_bounds(labels(port).front());
  AtmBounds granted = wanted;
  if (of_vpis) {
    wanted.vpi_min = vpi_of(min);
    wanted.vpi_max = std::max(vpi_of(max), wanted.vpi_min);  // not above it: the one value
    granted.vpi_min = std::clamp(wanted.vpi_min, most.vpi_min, most.vpi_max);
    granted.vpi_max = std::clamp(wanted.vpi_max, most.vpi_min, most.vpi_max);
  }
  if (of_vcis) {
    wanted.vci_min = vci_of(min);
    wanted.vci_max = std::max(vci_of(max), wanted.vci_min);
    granted.vci_min = std::clamp(wanted.vci_min, most.vci_min, most.vci_max);
    granted.vci_max = std::clamp(wanted.vci_max, most.vci_min, most.vci_max);
  }
  range.min = gsmp::label_field(
      atm_label(of_vpis ? granted.vpi_min : vpi_of(min), of_vcis ? granted.vci_min : vci_of(min)),
      range.min.flags);
  range.max = gsmp::label_field(
      atm_label(of_vpis ? granted.vpi_max : vpi_of(max), of_vcis ? granted.vci_max : vci_of(max)),
      range.max.flags);
  if (granted != wanted) return FailureCode::kLabelRangeImpossible;
  cells_.table().set_labels(port, {granted.range()});
  bool outside = false;
  std::uint64_t used = 0;
  std::set<std::uint32_t> used_vpis;
  for (const Entry& entry : connections_of(port)) {
    const std::uint32_t vpi = vpi_of(entry.input_label);
    const bool inside = accepts(port, entry.input_label, entry.connection->input.path);
    outside = outside || !inside;
    if (!inside) continue;
    used_vpis.insert(vpi);
    if (!entry.connection->input.path && vpi == vpi_of(gsmp::label_of(range.max))) ++used;
  }
  range.remaining = of_vpis ? remaining(granted.vpi_max - granted.vpi_min + 1 - used_vpis.size(), 0)
                            : remaining(0, granted.vci_max - granted.vci_min + 1 - used);
  return outside ? FailureCode::kOldLabelsInUse : FailureCode::kNone;
}

// ----- MPLS ports -----

// Writes all ranges of the port and the number of unused labels of each into the answer.
void Fabric::fill_mpls_labels(LabelRangeMessage& message, const LabelRanges& ranges) const {
  message.ranges.clear();
  message.disjoint = ranges.size() > 1;
  const std::vector<Entry> entries = connections_of(message.port);
  for (const LabelRange& range : ranges) {
    const auto used = std::ranges::count_if(
        entries, [&](const Entry& entry) { return range.contains(entry.input_label); });
    message.ranges.push_back(
        {gsmp::label_field({LabelKind::kMpls, range.first}),
         gsmp::label_field({LabelKind::kMpls, range.last}),
         static_cast<std::uint32_t>(range.size()) - static_cast<std::uint32_t>(used)});
  }
}

FailureCode Fabric::query_mpls_labels(LabelRangeMessage& message) const {
  for (const LabelRangeElement& range : message.ranges) {
    for (const gsmp::LabelType type : {range.min.type, range.max.type}) {
      if (type != gsmp::LabelType::kMpls && type != gsmp::LabelType::kNone)
        return FailureCode::kInvalidInputLabel;
    }
  }
  fill_mpls_labels(message, labels(message.port));
  return FailureCode::kNone;
}

// Sets all ranges at once. If they are not possible together, the refusal proposes possible ones.
FailureCode Fabric::set_mpls_labels(LabelRangeMessage& message) {
  LabelRanges wanted;
  LabelRanges possible;
  for (const LabelRangeElement& range : message.ranges) {
    const Label min = gsmp::label_of(range.min);
    const Label max = gsmp::label_of(range.max);
    if (!is_label_of(message.port, min) || !is_label_of(message.port, max))
      return FailureCode::kInvalidInputLabel;
    const std::uint32_t last = std::max(min.value, max.value);  // not above it: the one value
    wanted.push_back(mpls_range(min.value, last));
    possible.push_back(
        mpls_range(std::max(min.value, kMplsLabelMin), std::max(last, kMplsLabelMin)));
  }
  possible = checked_ranges(possible).taken;
  if (possible.empty()) possible = labels(message.port);
  if (possible != wanted) {
    fill_mpls_labels(message, possible);
    return FailureCode::kLabelRangeImpossible;
  }
  cells_.table().set_labels(message.port, wanted);
  fill_mpls_labels(message, wanted);
  const bool outside = std::ranges::any_of(connections_of(message.port), [&](const Entry& entry) {
    return !contains(wanted, entry.input_label);
  });
  return outside ? FailureCode::kOldLabelsInUse : FailureCode::kNone;
}

}  // namespace xbind::switchagent
