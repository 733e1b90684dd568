// Which calls a process records. Pure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "core/name_hash.hpp"
#include "core/token_bucket.hpp"

namespace xbind::trace {

struct Settings {
  std::uint32_t sample = 0;  // one call of so many is recorded; 0: none
  Duration slow{};           // a call that takes longer is recorded as well; 0: none for that
};

// One call of `sample`, decided by the id: the same call is recorded during its whole life, also by
// a manager that has restarted. The calls of one of 100 are among those of one of 50. Consecutive
// ids are mixed, so that a periodic load is sampled evenly.
inline bool is_sampled(ConnectionId id, std::uint32_t sample) {
  if (sample == 0) return false;
  return mix_hash(mix_hash(id.value())) % sample == 0;
}

// The recorded connections of a batch. Most commands of the batch are not of one of them, which
// costs a test of one bit.
class ConnectionSet {
 public:
  ConnectionSet() = default;
  explicit ConnectionSet(const std::vector<ConnectionId>& ids) : ids_(ids) {
    for (const ConnectionId id : ids) bits_ |= bit(id);
  }
  bool empty() const { return bits_ == 0; }
  // False: it is none of them. True: it may be.
  bool may_contain(ConnectionId id) const { return (bits_ & bit(id)) != 0; }
  bool contains(ConnectionId id) const {
    return may_contain(id) && std::find(ids_.begin(), ids_.end(), id) != ids_.end();
  }
  void clear() {
    bits_ = 0;
    ids_.clear();
  }

 private:
  // The ids of one epoch are consecutive.
  static std::uint64_t bit(ConnectionId id) { return std::uint64_t{1} << (id.value() & 63); }

  std::uint64_t bits_ = 0;
  std::vector<ConnectionId> ids_;
};

// Limits the calls that are recorded for another reason than the sample: refused, or slow. A storm
// of refusals must not replace everything else that is stored.
inline constexpr double kUnsampledPerS = 100;

}  // namespace xbind::trace
