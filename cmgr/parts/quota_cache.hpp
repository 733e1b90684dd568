// Bandwidth and buffer of one (switch, output port) taken from the SwitchServer in advance and spent
// here (paper, item C8): a demand within the quota will not be refused for want of either, and nobody
// is asked. One beyond it is booked all the same; the SwitchServer decides about it, whose account of a
// manager is the greater of its quota and what its hops take.
//
// Estimator: the mean demand is an exponentially weighted mean over the demands, the latest with the
// weight 1/16; quota is kept for a number of calls of that mean. More is asked for below that number,
// returned above twice of it, so that a load that sways moves nothing to and fro.
//
// Not thread-safe; owned by the connection manager.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "cmgr/parts/timers.hpp"
#include "core/clock.hpp"
#include "core/resources.hpp"

namespace xbind::cmgr {

class QuotaCache {
 public:
  static constexpr double kMeanWeight = 1.0 / 16;
  // Nothing was demanded for so long: nothing is kept.
  static constexpr Duration kIdle = kManagerTimers["quota-idle"];
  // What a recall leaves to a manager that has calls, and for how long it asks for no more afterwards.
  static constexpr std::size_t kCallsKept = 1;
  static constexpr Duration kModesty = kManagerTimers["quota-modesty"];

  // Books a demand in any case. True, a hit: it is within the quota. False, a miss: it goes beyond.
  bool take(const Resources& demand, TimePoint now) {
    const double weight = hits_ + misses_ == 0 ? 1.0 : kMeanWeight;
    mean_cells_per_s_ += weight * (static_cast<double>(demand.cells_per_s) - mean_cells_per_s_);
    mean_buffer_cells_ += weight * (static_cast<double>(demand.buffer_cells) - mean_buffer_cells_);
    last_taken_ = now;
    spent_ += demand;
    const bool hit = spent_.fits_within(quota_);
    ++(hit ? hits_ : misses_);
    return hit;
  }
  // A demand that was booked counts no more.
  void release(const Resources& demand) { spent_ = less(spent_, demand); }

  void granted(const Resources& quota, TimePoint now) {
    if (quota_ == Resources{}) since_ = now;
    quota_ += quota;
  }
  // More to ask for, so that `calls_ahead` mean demands are free; counts as asked. Often nothing.
  Resources want(std::size_t calls_ahead, TimePoint now) {
    Resources aim = spent_;
    aim += ahead(calls_ahead, now);
    const Resources more = less(less(aim, quota_), asked_);
    asked_ += more;
    return more;
  }
  // A command that asked for `asked` has been answered.
  void answered(const Resources& asked) { asked_ = less(asked_, asked); }

  // What has become too much, taken out, to be returned.
  Resources surplus(std::size_t calls_ahead, TimePoint now) {
    const Resources keep = ahead(calls_ahead, now);
    const Resources free = less(quota_, spent_);
    Resources out;
    if (free.cells_per_s / 2 >= keep.cells_per_s)
      out.cells_per_s = free.cells_per_s - keep.cells_per_s;
    if (free.buffer_cells / 2 >= keep.buffer_cells)
      out.buffer_cells = free.buffer_cells - keep.buffer_cells;
    quota_ -= out;
    return out;
  }
  // The SwitchServer runs short: of `wanted`, what is free but for kCallsKept mean demands, taken out,
  // to be returned.
  Resources recalled(const Resources& wanted, TimePoint now) {
    modest_until_ = now + kModesty;
    const Resources beyond = less(less(quota_, spent_), ahead(kCallsKept, now));
    const Resources out{std::min(wanted.cells_per_s, beyond.cells_per_s),
                        std::min(wanted.buffer_cells, beyond.buffer_cells)};
    quota_ -= out;
    return out;
  }

  // The session has ended: the quota is gone, what the connections take stays.
  void lapse() { quota_ = asked_ = Resources{}; }

  const Resources& quota() const { return quota_; }
  const Resources& spent() const { return spent_; }  // may be more than the quota
  std::uint64_t hits() const { return hits_; }
  std::uint64_t misses() const { return misses_; }
  // How long there has been quota without a break; 0 when there is none.
  Duration age(TimePoint now) const { return quota_ == Resources{} ? Duration{0} : now - since_; }

 private:
  // a - b, nowhere below 0.
  static Resources less(const Resources& a, const Resources& b) {
    return {a.cells_per_s - std::min(a.cells_per_s, b.cells_per_s),
            a.buffer_cells - std::min(a.buffer_cells, b.buffer_cells)};
  }
  // What is to be free at `now` for that many calls.
  Resources ahead(std::size_t calls, TimePoint now) const {
    if (hits_ + misses_ == 0 || now - last_taken_ >= kIdle) return {};
    const auto of = static_cast<double>(now < modest_until_ ? std::min(calls, kCallsKept) : calls);
    return {static_cast<std::uint64_t>(std::ceil(of * mean_cells_per_s_)),
            static_cast<std::uint64_t>(std::ceil(of * mean_buffer_cells_))};
  }

  Resources quota_;
  Resources spent_;
  Resources asked_;  // asked for and not yet answered
  double mean_cells_per_s_ = 0;
  double mean_buffer_cells_ = 0;
  TimePoint last_taken_{};
  TimePoint modest_until_{};
  TimePoint since_{};
  std::uint64_t hits_ = 0;
  std::uint64_t misses_ = 0;
};

}  // namespace xbind::cmgr
