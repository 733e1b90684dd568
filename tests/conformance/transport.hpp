// How the suite reaches a switch: octets both ways over one connection. In memory or over TCP, with
// an emulated or a real switch.
#pragma once

#include <memory>
#include <span>

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "core/wire/writer.hpp"

namespace xbind::conformance {

class Transport {
 public:
  virtual ~Transport() = default;

  virtual void send(std::span<const std::byte> octets) = 0;
  // Appends the octets that have arrived. Waits as long as a switch may take to answer. Returns
  // false when nothing arrived or the connection is gone.
  virtual bool receive(wire::Buffer& into) = 0;
  virtual TimePoint now() const = 0;
  // In memory, where time does not pass by itself: advances it by one period of the switch's timer.
  virtual void advance_one_period() = 0;
  // A second controller's connection to the same switch.
  virtual std::unique_ptr<Transport> another() = 0;
  // Whether set_line() works. A real switch has no message for it.
  virtual bool has_lines() const = 0;
  // Takes a port's line down or up. Returns false without effect when !has_lines().
  virtual bool set_line(PortId port, bool up) = 0;
};

}  // namespace xbind::conformance
