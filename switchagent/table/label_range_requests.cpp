#include "switchagent/table/label_range_requests.hpp"

#include <algorithm>
#include <set>

namespace xbind::switchagent {

using gsmp::FailureCode;
using gsmp::LabelRangeElement;
using gsmp::LabelRangeMessage;

Label LabelRangeRequests::label_of(const dataplane::Connection& connection) const {
  return labels_.label_at(connection.input.port, connection.input.vpi, connection.input.vci);
}

std::vector<const dataplane::Connection*> LabelRangeRequests::connections(PortId port) const {
  return cells_.table().connections_of(port);
}

FailureCode LabelRangeRequests::execute(LabelRangeMessage& message) {
  const bool mpls = labels_.kind(message.port) == LabelKind::kMpls;
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

FailureCode LabelRangeRequests::query_atm_labels(PortId port, LabelRangeElement& range) const {
  const AtmBounds held = atm_bounds(labels_.ranges(port).front());
  if (range.min.has(gsmp::kFlagVpiRange)) {
    std::set<std::uint32_t> used;
    for (const dataplane::Connection* const entry : connections(port)) {
      const std::uint32_t vpi = entry->input.vpi;
      if (vpi >= held.vpi_min && vpi <= held.vpi_max) used.insert(vpi);
    }
    range.min = gsmp::label_field(atm_label(held.vpi_min, 0), range.min.flags);
    range.max = gsmp::label_field(atm_label(held.vpi_max, 0), range.max.flags);
    range.remaining = remaining(held.vpi_max - held.vpi_min + 1 - used.size(), 0);
    return FailureCode::kNone;
  }
  const Label max = gsmp::label_of(range.max);
  if (!labels_.carries(port, max)) return FailureCode::kInvalidInputLabel;
  const std::uint32_t vpi = vpi_of(max);
  if (vpi < held.vpi_min || vpi > held.vpi_max) return FailureCode::kInvalidInputLabel;
  std::uint64_t used = 0;
  for (const dataplane::Connection* const entry : connections(port)) {
    if (held.contains(label_of(*entry)) && entry->input.vpi == vpi) ++used;
  }
  const bool whole =
      cells_.table().find(dataplane::path(port, static_cast<std::uint16_t>(vpi))) != nullptr;
  range.min = gsmp::label_field(atm_label(vpi, held.vci_min), range.min.flags);
  range.max = gsmp::label_field(atm_label(vpi, held.vci_max), range.max.flags);
  range.remaining = remaining(0, whole ? 0 : held.vci_max - held.vci_min + 1 - used);
  return FailureCode::kNone;
}

// The largest range that Label Range may set: the options' range, limited by the line's header
// width.
AtmBounds LabelRangeRequests::atm_labels_most(PortId port) const {
  AtmBounds most = grantable_;
  most.vpi_max = std::min(most.vpi_max, cells_.vpi_max(port));
  most.vpi_min = std::min(most.vpi_min, most.vpi_max);
  return most;
}

FailureCode LabelRangeRequests::set_atm_labels(PortId port, LabelRangeElement& range) {
  const Label min = gsmp::label_of(range.min);
  const Label max = gsmp::label_of(range.max);
  if (!labels_.carries(port, min) || !labels_.carries(port, max))
    return FailureCode::kInvalidInputLabel;
  const bool of_vpis = range.min.has(gsmp::kFlagVpiRange);
  const bool of_vcis = !of_vpis || range.min.has(gsmp::kFlagVciRange);
  const AtmBounds most = atm_labels_most(port);
  AtmBounds wanted = atm_bounds(labels_.ranges(port).front());
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
  labels_.use(port, {granted.range()});
  bool outside = false;
  std::uint64_t used = 0;
  std::set<std::uint32_t> used_vpis;
  for (const dataplane::Connection* const entry : connections(port)) {
    const std::uint32_t vpi = entry->input.vpi;
    const bool inside = labels_.accepts(port, label_of(*entry), entry->input.path);
    outside = outside || !inside;
    if (!inside) continue;
    used_vpis.insert(vpi);
    if (!entry->input.path && vpi == vpi_of(gsmp::label_of(range.max))) ++used;
  }
  range.remaining = of_vpis ? remaining(granted.vpi_max - granted.vpi_min + 1 - used_vpis.size(), 0)
                            : remaining(0, granted.vci_max - granted.vci_min + 1 - used);
  return outside ? FailureCode::kOldLabelsInUse : FailureCode::kNone;
}

// ----- MPLS ports -----

// Writes all ranges of the port and the number of unused labels of each into the answer.
void LabelRangeRequests::fill_mpls_labels(LabelRangeMessage& message,
                                          const LabelRanges& ranges) const {
  message.ranges.clear();
  message.disjoint = ranges.size() > 1;
  const std::vector<const dataplane::Connection*> entries = connections(message.port);
  for (const LabelRange& range : ranges) {
    const auto used = std::ranges::count_if(entries, [&](const dataplane::Connection* entry) {
      return range.contains(label_of(*entry));
    });
    message.ranges.push_back(
        {gsmp::label_field({LabelKind::kMpls, range.first}),
         gsmp::label_field({LabelKind::kMpls, range.last}),
         static_cast<std::uint32_t>(range.size()) - static_cast<std::uint32_t>(used)});
  }
}

FailureCode LabelRangeRequests::query_mpls_labels(LabelRangeMessage& message) const {
  for (const LabelRangeElement& range : message.ranges) {
    for (const gsmp::LabelType type : {range.min.type, range.max.type}) {
      if (type != gsmp::LabelType::kMpls && type != gsmp::LabelType::kNone)
        return FailureCode::kInvalidInputLabel;
    }
  }
  fill_mpls_labels(message, labels_.ranges(message.port));
  return FailureCode::kNone;
}

// Sets all ranges at once. If they are not possible together, the refusal proposes possible ones.
FailureCode LabelRangeRequests::set_mpls_labels(LabelRangeMessage& message) {
  LabelRanges wanted;
  LabelRanges possible;
  for (const LabelRangeElement& range : message.ranges) {
    const Label min = gsmp::label_of(range.min);
    const Label max = gsmp::label_of(range.max);
    if (!labels_.carries(message.port, min) || !labels_.carries(message.port, max))
      return FailureCode::kInvalidInputLabel;
    const std::uint32_t last = std::max(min.value, max.value);  // not above it: the one value
    wanted.push_back(mpls_range(min.value, last));
    possible.push_back(
        mpls_range(std::max(min.value, kMplsLabelMin), std::max(last, kMplsLabelMin)));
  }
  possible = checked_ranges(possible).taken;
  if (possible.empty()) possible = labels_.ranges(message.port);
  if (possible != wanted) {
    fill_mpls_labels(message, possible);
    return FailureCode::kLabelRangeImpossible;
  }
  labels_.use(message.port, wanted);
  fill_mpls_labels(message, wanted);
  const bool outside = std::ranges::any_of(
      connections(message.port),
      [&](const dataplane::Connection* entry) { return !contains(wanted, label_of(*entry)); });
  return outside ? FailureCode::kOldLabelsInUse : FailureCode::kNone;
}

}  // namespace xbind::switchagent
