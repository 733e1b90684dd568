// The traffic model "xbind-sr" of the emulated switch, MType 201 (draft-adam-gsmp-sr-00): the
// traffic classes, the estimation policy and the schedulable region of each output port. The only
// estimator uses peak rates: a class has room for floor(rate / PCR) calls. The fabric decides
// whether one more call fits (region_admission.hpp, code 61), because it knows the existing calls.
//
// Bounded: kTrafficClassesMax classes per port. Ports are numbered 1..ports and must exist. Not
// thread-safe.
#pragma once

#include <cstdint>
#include <vector>

#include "core/ids.hpp"
#include "gsmp/messages/estimation_policy.hpp"
#include "gsmp/messages/failure_code.hpp"
#include "gsmp/messages/schedulable_region.hpp"
#include "gsmp/messages/traffic_classes.hpp"

namespace xbind::switchagent {

inline constexpr std::uint8_t kModelDefault = 0;
inline constexpr std::uint8_t kModelRegion = 201;

class RegionModel {
 public:
  explicit RegionModel(std::uint32_t ports) : ports_(ports) {}

  // Set by the first Switch Configuration, until the switch restarts.
  std::uint8_t model() const { return model_; }
  bool settled() const { return settled_; }
  void settle(std::uint8_t model) {
    model_ = model;
    settled_ = true;
  }
  bool active() const { return model_ == kModelRegion; }

  static std::uint16_t estimators();  // masks
  static std::uint16_t kinds();
  static std::uint16_t traffic_parameters();
  static std::uint16_t qos_parameters();
  static bool knows(gsmp::Estimator estimator) { return estimator == gsmp::Estimator::kPeakRate; }

  // kNone, kUnsupportedParameter (unknown parameters; PCR missing or 0), or kInvalidMessage (two
  // classes on one buffer). Changes nothing.
  static gsmp::FailureCode check(const std::vector<gsmp::TrafficClass>& classes);
  // The classes must be checked. Estimates the region again, for `rate` cells/s.
  void set_classes(PortId port, const std::vector<gsmp::TrafficClass>& classes, std::uint32_t rate);
  const std::vector<gsmp::TrafficClass>& classes(PortId port) const { return at(port).classes; }

  // kNone, kNoSuchEstimator or kUnsupportedParameter (threshold above 20 %, parameters, which peak
  // rate lacks).
  static gsmp::FailureCode check(const gsmp::EstimationPolicy& policy);
  void set_policy(PortId port, gsmp::Estimator estimator, std::uint16_t update_threshold);
  gsmp::Estimator estimator(PortId port) const { return at(port).estimator; }
  std::uint16_t update_threshold(PortId port) const { return at(port).update_threshold; }

  // kNone, or kNoSuchClass: the number of classes differs from the port's.
  gsmp::FailureCode set_region(PortId port, const gsmp::SchedulableRegion& region);
  const gsmp::SchedulableRegion& region(PortId port) const { return at(port).region; }
  // The port's rate changed. The new estimate takes effect if it exceeds the update threshold.
  void rate_changed(PortId port, std::uint32_t rate);

  void clear();

 private:
  struct Port {
    std::vector<gsmp::TrafficClass> classes;
    gsmp::Estimator estimator = gsmp::Estimator::kPeakRate;
    std::uint16_t update_threshold = 0;  // in 0.01 %
    gsmp::SchedulableRegion region;
  };

  const Port& at(PortId port) const { return ports_[port.value() - 1]; }
  Port& at(PortId port) { return ports_[port.value() - 1]; }

  std::uint8_t model_ = kModelDefault;
  bool settled_ = false;
  std::vector<Port> ports_;
};

}  // namespace xbind::switchagent
