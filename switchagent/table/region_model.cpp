#include "switchagent/table/region_model.hpp"

#include <algorithm>
#include <set>

namespace xbind::switchagent {

using gsmp::FailureCode;
using gsmp::QosParameter;
using gsmp::TrafficKind;
using gsmp::TrafficParameter;

namespace {

template <class... Names>
std::uint16_t mask_of(Names... names) {
  return static_cast<std::uint16_t>((gsmp::mask_bit(static_cast<unsigned>(names)) | ...));
}

gsmp::SchedulableRegion estimate(const std::vector<gsmp::TrafficClass>& classes,
                                 std::uint32_t rate) {
  if (classes.empty()) return {};
  std::vector<std::uint32_t> peaks;
  peaks.reserve(classes.size());
  for (const gsmp::TrafficClass& one : classes) {
    peaks.push_back(one.traffic.of(TrafficParameter::kPcr));
  }
  return gsmp::peak_rate_region(rate, peaks);
}

}  // namespace

std::uint16_t RegionModel::estimators() { return mask_of(gsmp::Estimator::kPeakRate); }
std::uint16_t RegionModel::kinds() {
  return mask_of(TrafficKind::kCbr, TrafficKind::kVideo, TrafficKind::kVoice, TrafficKind::kAudio);
}
std::uint16_t RegionModel::traffic_parameters() {
  return mask_of(TrafficParameter::kPcr, TrafficParameter::kScr, TrafficParameter::kMbs,
                 TrafficParameter::kCdvt);
}
std::uint16_t RegionModel::qos_parameters() {
  return mask_of(QosParameter::kCtdMax, QosParameter::kCtdAverage, QosParameter::kClr,
                 QosParameter::kGapLoss, QosParameter::kCdv);
}

FailureCode RegionModel::check(const std::vector<gsmp::TrafficClass>& classes) {
  std::set<std::uint16_t> buffers;
  bool shared = false;
  for (const gsmp::TrafficClass& one : classes) {
    const bool supported = (mask_of(one.kind) & kinds()) != 0 &&
                           (one.traffic.mask & ~traffic_parameters()) == 0 &&
                           (one.qos.mask & ~qos_parameters()) == 0;
    // A peak rate of 0 would allow any number of calls.
    if (!supported || !one.traffic.has(TrafficParameter::kPcr) ||
        one.traffic.of(TrafficParameter::kPcr) == 0) {
      return FailureCode::kUnsupportedParameter;
    }
    shared = !buffers.insert(one.buffer).second || shared;
  }
  return shared ? FailureCode::kInvalidMessage : FailureCode::kNone;
}

void RegionModel::set_classes(PortId port, const std::vector<gsmp::TrafficClass>& classes,
                              std::uint32_t rate) {
  at(port).classes = classes;
  at(port).region = estimate(classes, rate);
}

FailureCode RegionModel::check(const gsmp::EstimationPolicy& policy) {
  if (!knows(policy.estimator)) return FailureCode::kNoSuchEstimator;
  if (policy.update_threshold > gsmp::kUpdateThresholdMax || !policy.parameters.empty()) {
    return FailureCode::kUnsupportedParameter;
  }
  return FailureCode::kNone;
}

void RegionModel::set_policy(PortId port, gsmp::Estimator estimator,
                             std::uint16_t update_threshold) {
  at(port).estimator = estimator;
  at(port).update_threshold = update_threshold;
}

FailureCode RegionModel::set_region(PortId port, const gsmp::SchedulableRegion& region) {
  if (region.classes != at(port).classes.size()) return FailureCode::kNoSuchClass;
  at(port).region = region;
  return FailureCode::kNone;
}

void RegionModel::rate_changed(PortId port, std::uint32_t rate) {
  Port& entry = at(port);
  gsmp::SchedulableRegion now = estimate(entry.classes, rate);
  if (entry.classes.empty() || gsmp::changed_beyond(entry.region, now, entry.update_threshold)) {
    entry.region = std::move(now);
  }
}

void RegionModel::clear() {
  const std::size_t ports = ports_.size();
  ports_.clear();
  ports_.resize(ports);
  model_ = kModelDefault;
  settled_ = false;
}

}  // namespace xbind::switchagent
