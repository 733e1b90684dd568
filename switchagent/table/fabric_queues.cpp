// Fabric: selects the queue of the output port for a branch's cells.
#include <algorithm>

#include "switchagent/table/fabric.hpp"

namespace xbind::switchagent {

using dataplane::ServiceClass;
using gsmp::QosModel;
using gsmp::ServiceId;

namespace {

// Maps a priority to the category with the same rank among the queues.
ServiceClass class_of(Qos output) {
  if (output.model != QosModel::kService) {
    switch (output.selector) {
      case 0: return ServiceClass::kCbr;
      case 1: return ServiceClass::kRtVbr;
      case 2: return ServiceClass::kNrtVbr;
      default: return ServiceClass::kUbr;
    }
  }
  switch (gsmp::service_of(output.selector)) {
    case ServiceId::kCbr1: return ServiceClass::kCbr;
    case ServiceId::kRtVbr1:
    case ServiceId::kRtVbr2:
    case ServiceId::kRtVbr3: return ServiceClass::kRtVbr;
    case ServiceId::kNrtVbr1:
    case ServiceId::kNrtVbr2:
    case ServiceId::kNrtVbr3: return ServiceClass::kNrtVbr;
    case ServiceId::kGfr1:
    case ServiceId::kGfr2: return ServiceClass::kAbrGfr;
    default: return ServiceClass::kUbr;
  }
}

}  // namespace

void Fabric::set_queue(dataplane::Branch& branch, Qos output) const {
  branch.service = class_of(output);
  const bool service = output.model == QosModel::kService;
  // A service has the priority of its sensitivity to delay. UBR has the queue below all priorities:
  // nothing was promised to its cells, so they must not be before those of GFR.
  if (service && branch.service == ServiceClass::kUbr) {
    branch.priority = options_.priorities;
    return;
  }
  const std::uint32_t priority =
      service ? static_cast<std::uint32_t>(branch.service) : output.selector;
  branch.priority =
      static_cast<std::uint8_t>(std::min<std::uint32_t>(priority, options_.priorities - 1U));
}

}  // namespace xbind::switchagent
