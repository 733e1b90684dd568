// A driver in operation: everything that a SwitchServer's daemon owns of its switch. The controller
// sees only requests(); protocol, transport, their threads and their counters stay behind this
// interface. make_driver.hpp chooses the driver. tests/conformance/driver tests every driver
// against it.
//
//   transport's thread ──wake(items)──▶ owner's serial ──▶ on_wake(now)  ─┐
//                                       owner's timer  ──▶ tick(now)     ─┼─▶ take_events()
//                                       the controller ──▶ requests()    ─┘
//                                       end of a step  ──▶ transmit()     ──▶ one write
//
// Threads: call start() and stop() from the thread that owns the driver. Call everything else,
// requests() included, on the owner's serial, one call at a time. The driver calls `wake` from one
// of its threads, or within start() or stop(), and holds no lock then.
//
// on_wake() and tick() pass the time; requests use the time of the latest of these calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/clock.hpp"
#include "core/metrics/metric_table.hpp"
#include "core/path.hpp"
#include "switchserver/drivers/switch_driver.hpp"

namespace xbind {

class RunningDriver {
 public:
  // Requests one on_wake() on the owner's serial. `items` estimates the waiting work in answers, by
  // which the owner decides when a step ends.
  using Wake = std::function<void(std::size_t items)>;
  using Metrics = xbind::Metrics;

  virtual ~RunningDriver() = default;  // stop()

  // Call it once. From now on the driver keeps trying to reach the switch.
  virtual void start(Wake wake) = 0;
  // Ends the driver's threads. After it returns there are no more wakes, and calls on the serial do
  // nothing. Idempotent.
  virtual void stop() = 0;

  // The rates that the operator has set for ports, all of them: the driver gives them to the
  // switch, also after the switch or a port was away; other ports keep the rate that they have. A
  // rate that the switch refuses is logged. A driver of a switch without such a request ignores
  // them. The port's rate, as the switch reports it, follows in driver::Ports.
  virtual void set_rates(const std::vector<PortRate>& /*rates*/) {}

  // The controller's interface to the switch. Lives as long as the driver.
  virtual SwitchDriver& requests() = 0;

  // Handles one arrival, for one wake. Returns how many answers to requests it contained: 0 for the
  // control channel's own messages, and for a wake that finds nothing.
  virtual std::size_t on_wake(TimePoint now) = 0;
  // Handles the timeouts and keepalives that are due at `now`.
  virtual void tick(TimePoint now) = 0;
  // When tick() is to be called next; kNever: no timer is running.
  virtual TimePoint next_deadline() const = 0;

  // The events so far, in order. Swaps: empties `into` first and reuses its memory for the next
  // events.
  virtual void take_events(std::vector<driver::Event>& into) = 0;

  // Both end a step. unsent_requests() returns the number of requests that transmit() will send and
  // that no earlier call counted; call it once a step, before transmit(). transmit() sends
  // everything flushed in the step in one write, and closes a control channel that has become
  // unusable.
  virtual std::size_t unsent_requests() = 0;
  virtual void transmit() = 0;

  // The switch's address for log lines, "127.0.0.1:6068".
  virtual std::string peer() const = 0;
  // Why the connection was lost, or why the last attempt to connect failed. Empty while connected,
  // and before the first attempt has ended.
  virtual std::string why_away() const = 0;
  // Appends the driver's counters for the status; their names begin with the protocol's prefix.
  virtual void append_metrics(Metrics& metrics) const = 0;
};

}  // namespace xbind
