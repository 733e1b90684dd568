#include "bench/fairisle/offered.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace xbind::fairisle {
namespace {

constexpr double kAlwaysBusy = 0.999;
constexpr double kPrecision = 0.02;  // Mbit/s

double ns(Duration time) { return static_cast<double>(time.count()); }

}  // namespace

Seen offer(const dataplane::PortControllerProfile& profile, const Offered& load) {
  dataplane::PortController controller(profile);
  std::array<dataplane::Cell, 256> out;
  const auto take_all = [&](TimePoint now) {
    while (controller.take(out, now) == out.size()) {
    }
  };
  // Each burst at its own multiple, so that no rounding adds up.
  const double period_ns = static_cast<double>(load.burst) * kPayloadBits * 1e3 / load.mbit;
  for (std::uint64_t number = 0;; ++number) {
    const TimePoint now =
        TimePoint{Duration{std::llround(period_ns * static_cast<double>(number))}};
    if (now >= TimePoint{load.time}) break;
    take_all(now);
    for (std::size_t cell = 0; cell < load.burst; ++cell) controller.arrive({}, now);
  }
  take_all(TimePoint{load.time});
  const dataplane::PortControllerCounters& counters = controller.counters();
  return {static_cast<double>(counters.forwarded) * kPayloadBits * 1e3 / ns(load.time),
          ns(counters.busy) / ns(load.time), counters.lost_line + counters.lost_buffer};
}

double line_mbit(const dataplane::PortControllerProfile& profile) {
  return kPayloadBits * 1e6 / static_cast<double>(profile.line_cell_ps());
}

std::optional<double> first_busy(const dataplane::PortControllerProfile& profile, std::size_t burst,
                                 Duration time) {
  const auto busy = [&](double mbit) {
    return offer(profile, {mbit, burst, time}).busy >= kAlwaysBusy;
  };
  double high = line_mbit(profile);
  if (!busy(high)) return std::nullopt;
  double low = 0.1;
  while (high - low > kPrecision) {
    const double middle = (low + high) / 2;
    (busy(middle) ? high : low) = middle;
  }
  return high;
}

double absolute_maximum(const dataplane::PortControllerProfile& profile, std::size_t burst,
                        Duration time) {
  double best = 0;
  for (const double part : {0.6, 0.7, 0.8, 0.9, 0.98, 1.2}) {
    best = std::max(best, offer(profile, {part * line_mbit(profile), burst, time}).mbit);
  }
  return best;
}

}  // namespace xbind::fairisle
