// Executes Label Range (RFC 3292 section 6.2): queries of a port's labels, and changes of the
// ranges in use. A change is done as a whole or not at all; existing connections stay, also outside
// of the new ranges.
//
// Not thread-safe. Every port must exist.
#pragma once

#include <vector>

#include "core/ids.hpp"
#include "core/label.hpp"
#include "dataplane/switch_fabric.hpp"
#include "gsmp/messages/failure_code.hpp"
#include "gsmp/messages/label_range.hpp"
#include "switchagent/table/port_labels.hpp"

namespace xbind::switchagent {

class LabelRangeRequests {
 public:
  // `labels` and `cells` must outlive this object. `grantable`: the ranges that may be set at an
  // ATM port.
  LabelRangeRequests(PortLabels& labels, const dataplane::SwitchFabric& cells,
                     const AtmBounds& grantable)
      : labels_(labels), cells_(cells), grantable_(grantable) {}

  // Fills in the answer. kNone, kOldLabelsInUse (done, a warning), or a failure without any change.
  gsmp::FailureCode execute(gsmp::LabelRangeMessage& message);

 private:
  Label label_of(const dataplane::Connection& connection) const;
  std::vector<const dataplane::Connection*> connections(PortId port) const;  // in label order
  AtmBounds atm_labels_most(PortId port) const;
  gsmp::FailureCode query_atm_labels(PortId port, gsmp::LabelRangeElement& range) const;
  gsmp::FailureCode set_atm_labels(PortId port, gsmp::LabelRangeElement& range);
  gsmp::FailureCode query_mpls_labels(gsmp::LabelRangeMessage& message) const;
  gsmp::FailureCode set_mpls_labels(gsmp::LabelRangeMessage& message);
  void fill_mpls_labels(gsmp::LabelRangeMessage& message, const LabelRanges& ranges) const;

  PortLabels& labels_;
  const dataplane::SwitchFabric& cells_;
  AtmBounds grantable_;
};

}  // namespace xbind::switchagent
