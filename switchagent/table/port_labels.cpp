#include "switchagent/table/port_labels.hpp"

#include <algorithm>

#include "core/check.hpp"

namespace xbind::switchagent {

PortLabels::PortLabels(const FabricOptions& options, dataplane::SwitchFabric& cells)
    : cells_(cells), one_kind_(options.one_kind), count_(options.ports), ports_(options.ports) {
  for (std::uint32_t number = 1; number <= options.ports; ++number) {
    const PortId id(number);
    const auto own = options.port_labels.find(id);
    const LabelRanges ranges =
        own == options.port_labels.end() ? LabelRanges{options.labels.range()} : own->second;
    ports_[number - 1].kind = ranges.at(0).kind;
    set(id, ranges);
  }
}

void PortLabels::set(PortId id, const LabelRanges& ranges) {
  XB_CHECK(!ranges.empty() && ranges.front().kind == kind(id), to_string(ranges));
  ports_[id.value() - 1].configured = ranges;
  use(id, ranges);
}

void PortLabels::describe(PortId id, gsmp::PortRecord& record) const {
  const bool mpls = kind(id) == LabelKind::kMpls;
  record.port_type = mpls ? gsmp::kPortTypeMpls : gsmp::kPortTypeAtm;
  record.line_type = mpls ? gsmp::kLineTypeMpls : gsmp::kLineTypeAtm;
  for (const LabelRange& range : at(id).configured) {
    record.label_ranges.push_back({gsmp::label_field({range.kind, range.first}),
                                   gsmp::label_field({range.kind, range.last})});
  }
}

bool PortLabels::accepts(PortId port, Label label, bool path) const {
  if (!path) return contains(ranges(port), label);
  if (label.kind != LabelKind::kAtm || label.value > kAtmValueMax) return false;
  return std::ranges::any_of(ranges(port), [&](const LabelRange& range) {
    return range.kind == LabelKind::kAtm && label.value >> 16 >= range.first >> 16 &&
           label.value >> 16 <= range.last >> 16;
  });
}

bool PortLabels::leaves_by(PortId port, Label label) const {
  if (!carries(port, label)) return false;
  return label.kind == LabelKind::kMpls ? label.value >= kMplsLabelMin
                                        : vpi_of(label) <= cells_.vpi_max(port);
}

}  // namespace xbind::switchagent
