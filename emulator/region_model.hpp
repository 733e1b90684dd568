// The traffic model "xbind-sr" of the emulated switch, MType 201 (draft-adam-gsmp-sr-00): the traffic
// classes, the estimation policy and the schedulable region of each output port. The one estimator is
// that of peak rates: a class has room for floor(rate / PCR) calls. Whether one call more fits the fabric
// decides (Fabric::check_region, code 61): it knows the calls that are there.
//
// Bounded: kTrafficClassesMax classes a port. Ports are numbered 1..ports and exist wherever not said
// otherwise. Not thread-safe.
#pragma once

#include <cstdint>
#include <vector>

#include "core/ids.hpp"
#include "gsmp/estimation_policy.hpp"
#include "gsmp/failure_code.hpp"
#include "gsmp/schedulable_region.hpp"
#include "gsmp/traffic_classes.hpp"

namespace xbind::emulator {

inline constexpr std::uint8_t kModelDefault = 0;
inline constexpr std::uint8_t kModelRegion = 201;

class RegionModel {
 public:
  explicit RegionModel(std::uint32_t ports) : ports_(ports) {}

  // Settled by the first Switch Configuration, until the switch starts anew.
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

  // kNone, kUnsupportedParameter (unknown parameters; PCR missing or 0), or kInvalidMessage (two classes
  // on one buffer). Nothing is changed.
  static gsmp::FailureCode check(const std::vector<gsmp::TrafficClass>& classes);
  // They have been checked. The region is estimated anew, for `rate` cells/s.
  void set_classes(PortId port, const std::vector<gsmp::TrafficClass>& classes, std::uint32_t rate);
  const std::vector<gsmp::TrafficClass>& classes(PortId port) const { return at(port).classes; }

  // kNone, kNoSuchEstimator or kUnsupportedParameter (threshold above 20 %, parameters that peak rate
  // does not have).
  static gsmp::FailureCode check(const gsmp::EstimationPolicy& policy);
  void set_policy(PortId port, gsmp::Estimator estimator, std::uint16_t update_threshold);
  gsmp::Estimator estimator(PortId port) const { return at(port).estimator; }
  std::uint16_t update_threshold(PortId port) const { return at(port).update_threshold; }

  // kNone, or kNoSuchClass: not as many classes as the port has.
  gsmp::FailureCode set_region(PortId port, const gsmp::SchedulableRegion& region);
  const gsmp::SchedulableRegion& region(PortId port) const { return at(port).region; }
  // The port has another rate: a new estimate counts if it is beyond the update threshold.
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

}  // namespace xbind::emulator
