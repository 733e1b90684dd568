// A port controller under a load of bursts, on virtual time: what it forwards, and how busy its
// processor is.
//
// Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "core/clock.hpp"
#include "dataplane/port_controller.hpp"

namespace xbind::fairisle {

inline constexpr double kPayloadBits = 8.0 * dataplane::kPayloadOctets;  // of a cell

struct Offered {
  double mbit = 0;        // of cell payload
  std::size_t burst = 1;  // cells that come one behind the other; the bursts are equally far apart
  Duration time{};
};

struct Seen {
  double mbit = 0;  // of cell payload, forwarded
  double busy = 0;  // share of the time
  std::uint64_t lost = 0;

  double idle_percent() const { return 100 * (1 - busy); }
};

Seen offer(const dataplane::PortControllerProfile& profile, const Offered& load);

// Payload that the line carries, in Mbit/s.
double line_mbit(const dataplane::PortControllerProfile& profile);
// The rate, within 0.02 Mbit/s, from which on the processor is always busy: idle for less than a
// thousandth of `time`. nullopt: it is not, up to the line's rate.
std::optional<double> first_busy(const dataplane::PortControllerProfile& profile, std::size_t burst,
                                 Duration time);
// The highest rate forwarded under any load, more than the line carries included.
double absolute_maximum(const dataplane::PortControllerProfile& profile, std::size_t burst,
                        Duration time);

}  // namespace xbind::fairisle
