// What GSMP says of a branch's quality of service, kept once for all branches that say the same. A
// branch of the forwarding table holds the number of its profile alone.
//
// Bounded by the branches that use it. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "gsmp/qos_fields.hpp"

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

  QosProfiles() : buckets_(1, kNone) {}

  // Counts one user more.
  Number take(const QosProfile& profile);
  // One user less; the last takes the profile along. `number` is in use.
  void release(Number number);
  const QosProfile& at(Number number) const { return entries_[number].profile; }
  std::size_t size() const { return known_ - (idle_ == kNone ? 0 : 1); }

 private:
  static constexpr Number kNone = 0xffffffff;
  struct Entry {
    QosProfile profile;
    std::uint32_t users = 0;
    Number next = kNone;  // in its bucket, or of the free ones
    std::uint64_t hash = 0;
  };

  std::size_t bucket_of(std::uint64_t hash) const;
  Number find(const QosProfile& profile, std::uint64_t hash) const;
  Number enter(const QosProfile& profile, std::uint64_t hash);
  void split_a_bucket();
  void forget(Number number);

  // Grows by whole nodes and by one bucket at a time: no profile pays for many.
  std::deque<Entry> entries_;
  std::vector<Number> buckets_;  // the first of each
  std::size_t base_ = 1;  // a power of two, at most the number of buckets, and more than half
  std::size_t known_ = 0;
  Number free_ = kNone;
  Number last_ = kNone;  // taken last: the next will mostly say the same
  // One that has lost its last user is kept until another does: connections that come and go one by one
  // need not enter it each time.
  Number idle_ = kNone;
};

}  // namespace xbind::emulator
