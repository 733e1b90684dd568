// Requests the rates that the operator has set for ports: Port Management, Set Transmit Rate.
//
// Bounded by the ports that the owner passes. Not thread-safe.
#pragma once

#include <cstdint>
#include <vector>

#include "core/path.hpp"
#include "switchserver/drivers/gsmp_link.hpp"
#include "switchserver/drivers/set_rates.hpp"
#include "switchserver/drivers/switch_ports.hpp"

namespace xbind {

class RateRequests {
 public:
  // Distinguishes the cookies of Port Management: of a port's rate, or of its event flags.
  static constexpr std::uint64_t kCookie = std::uint64_t{1} << 32;

  // Both must outlive this object.
  RateRequests(GsmpLink& link, SwitchPorts& ports) : link_(link), ports_(ports) {}

  // As RunningDriver::set_rates().
  void set(const std::vector<PortRate>& rates);
  // The switch is met anew: every rate is due again.
  void adjacency_up() { rates_.forget_asked(); }
  // Sends as many as the session accepts; the rest waits for the next call.
  void send();
  void on_answer(const gsmp::Response& response);

 private:
  GsmpLink& link_;
  SwitchPorts& ports_;
  SetRates rates_;
};

}  // namespace xbind
