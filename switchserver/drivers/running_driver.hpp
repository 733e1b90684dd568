// A driver in operation: everything that a SwitchServer's daemon owns of its switch. The controller
// sees requests() only; protocol, transport, their threads and their counters stay behind this
// interface. make_driver.hpp chooses the driver; tests/conformance/driver holds any of them to it.
//
//   transport's thread ──wake(items)──▶ owner's serial ──▶ on_wake(now)  ─┐
//                                       owner's timer  ──▶ tick(now)     ─┼─▶ take_events()
//                                       the controller ──▶ requests()    ─┘
//                                       end of a step  ──▶ transmit()     ──▶ one write
//
// Threads: start() and stop() from the thread that owns the driver. All else, requests() included, on
// the owner's serial: one call at a time. `wake` is called from a thread of the driver or within a
// call of start() or stop(), with no lock held.
//
// Time comes in by on_wake() and tick(); requests use the time of the last of these calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/clock.hpp"
#include "core/metrics/metric_table.hpp"
#include "switchserver/drivers/switch_driver.hpp"

namespace xbind {

class RunningDriver {
 public:
  // Asks for one on_wake() on the owner's serial. `items`: the work that waits, in answers, for the
  // owner's choice when a step ends; an estimate.
  using Wake = std::function<void(std::size_t items)>;
  using Metrics = xbind::Metrics;

  virtual ~RunningDriver() = default;  // stop()

  // Once. From now on the driver tries to reach the switch, for ever.
  virtual void start(Wake wake) = 0;
  // Ends the driver's threads. No wake after the return; calls on the serial are harmless and do
  // nothing. Idempotent.
  virtual void stop() = 0;

  // What the controller asks of the switch. Lives as long as the driver.
  virtual SwitchDriver& requests() = 0;

  // Handles one thing that has arrived, for one wake. Returns how many answers to requests it was; 0
  // for the control channel's own messages, and for a wake that finds nothing.
  virtual std::size_t on_wake(TimePoint now) = 0;
  // Does what is due at `now`: timeouts, keepalives.
  virtual void tick(TimePoint now) = 0;
  // When tick() has something to do; kNever: nothing waits for time.
  virtual TimePoint next_deadline() const = 0;

  // What has happened, in order. Swaps: `into` is emptied, its memory serves the next events.
  virtual void take_events(std::vector<driver::Event>& into) = 0;

  // Ends a step. unsent_requests(): requests that transmit() will send and that were not counted
  // before; call it once a step, before transmit(). transmit(): everything flushed in the step leaves
  // in one write. A control channel that is of no use any more is closed here.
  virtual std::size_t unsent_requests() = 0;
  virtual void transmit() = 0;

  // The switch for log lines, "127.0.0.1:6068".
  virtual std::string peer() const = 0;
  // Why the connection was lost, or the last attempt to set one up failed. Empty: no attempt has ended
  // yet, or there is a connection.
  virtual std::string why_away() const = 0;
  // The driver's counters as the status lists them, names with the protocol's prefix.
  virtual void append_metrics(Metrics& metrics) const = 0;
};

}  // namespace xbind
