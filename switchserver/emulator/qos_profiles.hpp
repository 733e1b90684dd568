// What GSMP says of a branch's quality of service, kept once for all branches that say the same. A
// branch of the forwarding table holds the number of its profile alone.
//
// Bounded by the branches that use it. Not thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "switchserver/gsmp/qos_fields.hpp"

namespace xbind::emulator {

// Model and selector of one direction, as Add Branch gave them.
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

  // Counts one user more.
  Number take(const QosProfile& profile);
  // One user less; the last takes the profile along. `number` is in use.
  void release(Number number);
  const QosProfile& at(Number number) const { return entries_[number].profile; }
  std::size_t size() const { return by_key_.size(); }

 private:
  struct Entry {
    QosProfile profile;
    std::uint32_t users = 0;
  };

  std::vector<Entry> entries_;
  std::vector<Number> free_;
  std::unordered_map<std::string, Number> by_key_;
};

}  // namespace xbind::emulator
