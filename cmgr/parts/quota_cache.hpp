// Bandwidth and buffer of one (switch, output port), obtained from the SwitchServer in advance and
// spent here. A demand within the quota cannot be refused for lack of either, and needs no request.
// A demand beyond it is booked as well, and the SwitchServer decides: it charges a manager the
// greater of its quota and its hops.
//
// Estimator: an exponentially weighted mean of the demands, the latest with weight 1/16. Quota is
// kept for a number of calls of that mean. More is requested below that number, and quota is
// returned above twice that number, so that a varying load does not move quota to and fro.
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
  // After this time without a demand no quota is kept.
  static constexpr Duration kIdle = kManagerTimers["quota-idle"];
  // After a recall: the calls that quota is kept for, and how long no more is requested.
  static constexpr std::size_t kCallsKept = 1;
  static constexpr Duration kModesty = kManagerTimers["quota-modesty"];

  // Books a demand in any case. True (hit): it is within the quota. False (miss): it exceeds it.
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
  // A booked demand has ended.
  void release(const Resources& demand) { spent_ = less(spent_, demand); }

  void granted(const Resources& quota, TimePoint now) {
    if (quota_ == Resources{}) since_ = now;
    quota_ += quota;
  }
  // The quota to request so that `calls_ahead` mean demands are free; counts it as requested. Often
  // 0.
  Resources want(std::size_t calls_ahead, TimePoint now) {
    Resources aim = spent_;
    aim += ahead(calls_ahead, now);
    const Resources more = less(less(aim, quota_), asked_);
    asked_ += more;
    return more;
  }
  // A command that requested `asked` has been answered.
  void answered(const Resources& asked) { asked_ = less(asked_, asked); }

  // Removes and returns the quota above the need.
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
  // The SwitchServer runs short: removes and returns free quota, at most `wanted`, but keeps
  // kCallsKept mean demands.
  Resources recalled(const Resources& wanted, TimePoint now) {
    modest_until_ = now + kModesty;
    const Resources beyond = less(less(quota_, spent_), ahead(kCallsKept, now));
    const Resources out{std::min(wanted.cells_per_s, beyond.cells_per_s),
                        std::min(wanted.buffer_cells, beyond.buffer_cells)};
    quota_ -= out;
    return out;
  }

  // The session has ended: the quota has lapsed; the demands of connections stay booked.
  void lapse() { quota_ = asked_ = Resources{}; }

  const Resources& quota() const { return quota_; }
  const Resources& spent() const { return spent_; }  // may be more than the quota
  std::uint64_t hits() const { return hits_; }
  std::uint64_t misses() const { return misses_; }
  // How long there has been quota without interruption; 0 when there is none.
  Duration age(TimePoint now) const { return quota_ == Resources{} ? Duration{0} : now - since_; }

 private:
  // a - b, at least 0.
  static Resources less(const Resources& a, const Resources& b) {
    return {a.cells_per_s - std::min(a.cells_per_s, b.cells_per_s),
            a.buffer_cells - std::min(a.buffer_cells, b.buffer_cells)};
  }
  // The quota to keep free at `now` for that many calls.
  Resources ahead(std::size_t calls, TimePoint now) const {
    if (hits_ + misses_ == 0 || now - last_taken_ >= kIdle) return {};
    const auto of = static_cast<double>(now < modest_until_ ? std::min(calls, kCallsKept) : calls);
    return {static_cast<std::uint64_t>(std::ceil(of * mean_cells_per_s_)),
            static_cast<std::uint64_t>(std::ceil(of * mean_buffer_cells_))};
  }

  Resources quota_;
  Resources spent_;
  Resources asked_;  // requested and not yet answered
  double mean_cells_per_s_ = 0;
  double mean_buffer_cells_ = 0;
  TimePoint last_taken_{};
  TimePoint modest_until_{};
  TimePoint since_{};
  std::uint64_t hits_ = 0;
  std::uint64_t misses_ = 0;
};

}  // namespace xbind::cmgr
