#include "switchagent/table/region_admission.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace xbind::switchagent {

using gsmp::FailureCode;
using gsmp::QosModel;

// The output port defines the classes, because calls share its multiplexer.
FailureCode check_region(const RegionModel& region, const dataplane::ForwardingTable& table,
                         const BranchTable& branches, const QosProfile& qos, PortId output,
                         const dataplane::VirtualLink& from, const dataplane::Branch& replaced) {
  const std::size_t classes = region.classes(output).size();
  for (const Qos each : {qos.input, qos.output}) {
    if (each.model == QosModel::kOptional && each.selector >= classes)
      return FailureCode::kNoSuchClass;
  }
  if (qos.output.model != QosModel::kOptional) return FailureCode::kNone;
  std::vector<std::uint32_t> calls(classes);
  table.for_each([&](const dataplane::Connection& connection) {
    for (const dataplane::Branch& branch : connection.branches) {
      if (branch.port != output) continue;
      if (connection.input == from && branch.same_place(replaced)) continue;
      const Qos has = branches.profile_at(branch).output;
      if (has.model == QosModel::kOptional && has.selector < classes) ++calls[has.selector];
    }
  });
  return gsmp::refusal(region.region(output), calls, qos.output.selector);
}

}  // namespace xbind::switchagent
