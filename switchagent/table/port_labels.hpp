// The labels of the fabric's ports: their kind, which never changes, and the ranges that a port
// accepts at its input. An ATM port has one range, VPIs times VCIs; an MPLS port has one or more.
//
// The forwarding table keeps the ranges in use, because it checks new entries by them. This object
// keeps the ranges for Port Configuration and Reset Input Port.
//
// Not thread-safe. Every port must exist unless stated otherwise.
#pragma once

#include <cstdint>
#include <vector>

#include "core/ids.hpp"
#include "core/label.hpp"
#include "dataplane/switch_fabric.hpp"
#include "gsmp/messages/port_configuration.hpp"
#include "switchagent/table/fabric_options.hpp"

namespace xbind::switchagent {

class PortLabels {
 public:
  // `cells` must outlive this object.
  PortLabels(const FabricOptions& options, dataplane::SwitchFabric& cells);

  LabelKind kind(PortId port) const { return at(port).kind; }
  // In use.
  const LabelRanges& ranges(PortId port) const { return cells_.table().labels(port); }
  // Sets the ranges, as the switch's operator does. They must have the port's kind; existing
  // connections stay.
  void set(PortId port, const LabelRanges& ranges);
  // Takes ranges into use. Port Configuration continues to report the others.
  void use(PortId port, const LabelRanges& ranges) { cells_.table().set_labels(port, ranges); }
  // The ranges that set() has set last are in use again.
  void restore(PortId port) { use(port, at(port).configured); }
  // Writes kind, ranges and line type into the port's record.
  void describe(PortId port, gsmp::PortRecord& record) const;

  // A table key as a label of the port's kind.
  Label label_at(PortId port, std::uint16_t vpi, std::uint16_t vci) const {
    return {kind(port), atm_label(vpi, vci).value};
  }
  // Whether the port's input ranges contain the label (of a path: its VPI).
  bool accepts(PortId port, Label label, bool path) const;
  // Whether cells of the port can carry the label; only such labels have a table entry. False for
  // any number that is no port.
  bool carries(PortId port, Label label) const {
    if (port.value() < 1 || port.value() > count_ || label.kind != kind(port)) return false;
    return label.value <= (label.kind == LabelKind::kMpls ? kMplsLabelMax : kAtmValueMax);
  }
  // Whether cells may leave there with the label: it has the port's kind, is not reserved, and its
  // VPI fits the line.
  bool leaves_by(PortId port, Label label) const;
  // Whether a branch between the two ports is allowed.
  bool joins(PortId input, PortId output) const {
    return !one_kind_ || kind(input) == kind(output);
  }
  bool has_paths(PortId input, PortId output) const {
    return kind(input) == LabelKind::kAtm && kind(output) == LabelKind::kAtm;
  }

 private:
  struct Port {
    LabelKind kind = LabelKind::kAtm;
    LabelRanges configured;
  };

  const Port& at(PortId port) const { return ports_[port.value() - 1]; }

  dataplane::SwitchFabric& cells_;
  bool one_kind_;
  std::uint32_t count_;  // of ports
  std::vector<Port> ports_;
};

}  // namespace xbind::switchagent
