// The GSMP quality-of-service profiles of branches. Branches with equal QoS share one profile; a
// branch of the forwarding table holds the profile's number only.
//
// Bounded by the branches that use profiles. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/interner.hpp"
#include "gsmp/messages/qos_fields.hpp"

namespace xbind::switchagent {

// Model and selector of one direction, from Add Branch.
struct Qos {
  gsmp::QosModel model = gsmp::QosModel::kPriority;
  std::uint32_t selector = 0;
  friend bool operator==(Qos, Qos) = default;
};

struct QosProfile {
  Qos input;
  Qos output;
  std::optional<gsmp::TrafficBlock> input_traffic;
  std::optional<gsmp::TrafficBlock> output_traffic;
  friend bool operator==(const QosProfile&, const QosProfile&) = default;
};

// Both directions, each with its own parameters.
QosProfile profile_of(const gsmp::QosFields& fields);

class QosProfiles {
 public:
  using Number = std::uint32_t;  // below 2^31

  // Adds a user of the profile.
  Number take(const QosProfile& profile);
  // Removes a user of `number`. The last user deletes the profile.
  void release(Number number);
  const QosProfile& at(Number number) const { return profiles_[number]; }
  // Number of profiles in use by branches.
  std::size_t size() const { return profiles_.size() - (idle_ == kNone ? 0 : 1); }

 private:
  static constexpr Number kNone = 0xffffffff;
  static constexpr unsigned kShift = 3;  // small chunks: a process may have many switches

  void drop_idle();

  Interner<QosProfile, kShift> profiles_;
  // The profile taken last: most branches have the same QoS as the previous branch.
  Number last_ = kNone;
  // A profile without users, kept by this object until another profile loses its last user. So
  // connections that come and go one by one need not create their profile each time.
  Number idle_ = kNone;
};

}  // namespace xbind::switchagent
