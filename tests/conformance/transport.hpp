// How the suite reaches a switch: octets there and back over one connection. In memory or over TCP,
// with an emulated switch or a real one behind it.
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
  // Appends what has come. Waits as long as a switch may take for an answer; false: nothing came, or
  // the connection is gone.
  virtual bool receive(wire::Buffer& into) = 0;
  virtual TimePoint now() const = 0;
  // Where time does not pass by itself: one period of the switch's timer does now.
  virtual void let_a_period_pass() = 0;
  // A second controller's connection to the same switch.
  virtual std::unique_ptr<Transport> another() = 0;
  // Takes a port's line down or up. False: nobody here can do that.
  virtual bool set_line(PortId port, bool up) = 0;
};

}  // namespace xbind::conformance
