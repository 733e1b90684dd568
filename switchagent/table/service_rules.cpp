#include "switchagent/table/service_rules.hpp"

#include <algorithm>

namespace xbind::switchagent {

using dataplane::ServiceClass;
using gsmp::FailureCode;
using gsmp::QosModel;
using gsmp::ServiceId;

namespace {

// A repeat in the priority model re-asserts a branch of another model. The service of an existing
// branch never changes; its parameters may.
bool changes_service(Qos old, Qos wanted) {
  return old.model == QosModel::kService && wanted.model == QosModel::kService &&
         old.selector != wanted.selector;
}
bool reasserts(Qos old, Qos wanted) {
  return old.model != QosModel::kPriority && wanted.model == QosModel::kPriority;
}
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

QosProfile updated(const QosProfile& old, QosProfile wanted) {
  if (reasserts(old.input, wanted.input)) {
    wanted.input = old.input;
    wanted.input_traffic = old.input_traffic;
  }
  if (reasserts(old.output, wanted.output)) {
    wanted.output = old.output;
    wanted.output_traffic = old.output_traffic;
  }
  return wanted;
}

bool ServiceRules::serves(Qos qos, const std::optional<gsmp::TrafficBlock>& traffic) const {
  switch (qos.model) {
    case QosModel::kPriority: return qos.selector < priorities_;
    case QosModel::kOptional: return region_.active();
    case QosModel::kProfile: return false;
    case QosModel::kService: break;
  }
  for (const gsmp::ServiceRecord& record : services_) {
    for (const gsmp::CapabilitySet& set : record.sets) {
      if (gsmp::service_selector(record.service, set.id) != qos.selector) continue;
      return !traffic || gsmp::flags_not_offered(set, traffic->tc_flags) == 0;
    }
  }
  return false;
}

FailureCode ServiceRules::check(const QosProfile& wanted, const QosProfile* existing) const {
  const bool good = serves(wanted.input, wanted.input_traffic) &&
                    serves(wanted.output, wanted.output_traffic) &&
                    (existing == nullptr || (!changes_service(existing->input, wanted.input) &&
                                             !changes_service(existing->output, wanted.output)));
  return good ? FailureCode::kNone : FailureCode::kInvalidServiceSelector;
}

void ServiceRules::limit_priorities(QosProfile& wanted) const {
  for (Qos* qos : {&wanted.input, &wanted.output})
    qos->selector = std::min<std::uint32_t>(qos->selector, priorities_ - 1U);
}

void ServiceRules::set_queue(dataplane::Branch& branch, const QosProfile& profile) const {
  const Qos output = profile.output;
  const auto& traffic = profile.output_traffic ? profile.output_traffic : profile.input_traffic;
  branch.frames =
      dataplane::FrameDiscard(traffic && (traffic->tc_flags & gsmp::kTcPacketDiscard) != 0);
  branch.service = class_of(output);
  const bool service = output.model == QosModel::kService;
  // A service has the priority of its sensitivity to delay. UBR has the queue below all priorities:
  // nothing was promised to its cells, so they must not be before those of GFR.
  if (service && branch.service == ServiceClass::kUbr) {
    branch.priority = priorities_;
    return;
  }
  const std::uint32_t priority =
      service ? static_cast<std::uint32_t>(branch.service) : output.selector;
  branch.priority = static_cast<std::uint8_t>(std::min<std::uint32_t>(priority, priorities_ - 1U));
}

}  // namespace xbind::switchagent
