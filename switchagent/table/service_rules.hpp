// Which quality of service the fabric serves, what becomes of it when a branch is added again, and
// the queue of the output port for the branch's cells.
//
// Not thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "dataplane/branch_list.hpp"
#include "gsmp/messages/failure_code.hpp"
#include "gsmp/messages/service_configuration.hpp"
#include "switchagent/table/fabric_options.hpp"
#include "switchagent/table/qos_profiles.hpp"
#include "switchagent/table/region_model.hpp"

namespace xbind::switchagent {

// The profile of an existing branch that is added again. A repeat in the priority model re-asserts
// a branch of another model.
QosProfile updated(const QosProfile& old, QosProfile wanted);

class ServiceRules {
 public:
  // `options` and `region` must outlive this object.
  ServiceRules(const FabricOptions& options, const RegionModel& region)
      : services_(options.services), priorities_(options.priorities), region_(region) {}

  // `existing`: the profile of the branch that is added again or moved; null: none. Its service
  // never changes; its parameters may. kNone or kInvalidServiceSelector.
  gsmp::FailureCode check(const QosProfile& wanted, const QosProfile* existing) const;
  // Version 1.1: an unsupported priority becomes the nearest.
  void limit_priorities(QosProfile& wanted) const;
  // Sets the branch's priority and service category for its output port.
  void set_queue(dataplane::Branch& branch, const QosProfile& profile) const;

 private:
  bool serves(Qos qos, const std::optional<gsmp::TrafficBlock>& traffic) const;

  const std::vector<gsmp::ServiceRecord>& services_;
  std::uint8_t priorities_;
  const RegionModel& region_;
};

}  // namespace xbind::switchagent
