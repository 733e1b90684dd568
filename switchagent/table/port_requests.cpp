#include "switchagent/table/port_requests.hpp"

#include <chrono>
#include <cstdint>

namespace xbind::switchagent {

using dataplane::Loopback;
using gsmp::FailureCode;
using gsmp::PortFunction;
using gsmp::PortStatus;

FailureCode PortRequests::manage(const gsmp::PortManagement& request, TimePoint now) {
  const PortId port = request.port;
  const auto loop = [&](PortStatus status, Loopback loopback) {
    const TimePoint until =
        request.duration_s == 0 ? kNever : now + std::chrono::seconds{request.duration_s};
    ports_.enter(port, status, loopback, until);
    return FailureCode::kNone;
  };
  switch (request.function) {
    case PortFunction::kBringUp:
      if (request.replace && !options_.connection_replace) return FailureCode::kReplaceUnsupported;
      bring_up(port);
      ports_.set_replace(port, request.replace);
      return FailureCode::kNone;
    case PortFunction::kTakeDown:
      if (ports_.status(port) == PortStatus::kUnavailable) return FailureCode::kPortDown;
      ports_.enter(port, PortStatus::kUnavailable, Loopback::kNone, kNever);
      return FailureCode::kNone;
    case PortFunction::kInternalLoopback:
      return loop(PortStatus::kInternalLoopback, Loopback::kInternal);
    case PortFunction::kExternalLoopback:
      return loop(PortStatus::kExternalLoopback, Loopback::kExternal);
    case PortFunction::kBothwayLoopback:
      return loop(PortStatus::kBothwayLoopback, Loopback::kBothway);
    case PortFunction::kResetInputPort: reset_input(port); return FailureCode::kNone;
    case PortFunction::kSetTransmitRate: return set_transmit_rate(request);
    case PortFunction::kResetFlags:
      return FailureCode::kNone;  // handled by the agent, which has the events
  }
  return FailureCode::kInvalidMessage;
}

void PortRequests::bring_up(PortId port) {
  branches_.delete_all_input(port);
  ports_.bring_up(port);
}

void PortRequests::reset_input(PortId port) {
  branches_.delete_all_input(port);
  labels_.restore(port);
  ports_.set_rate(port, ports_.rate_of_line(port));
  region_.rate_changed(port, ports_.rate(port));
  ports_.enter(port, PortStatus::kUnavailable, Loopback::kNone, kNever);
}

FailureCode PortRequests::set_transmit_rate(const gsmp::PortManagement& request) {
  if (request.header.version == 1) return FailureCode::kInvalidMessage;  // not in version 1.1
  if (!options_.rate_settable) return FailureCode::kRateFixed;
  const std::uint32_t most = ports_.rate_of_line(request.port);
  const bool fastest = request.transmit_cells_per_s == gsmp::kTransmitRateFastest;
  const std::uint32_t rate = fastest ? most : request.transmit_cells_per_s;
  if (rate == 0 || rate > most) return FailureCode::kRateOutOfRange;
  ports_.set_rate(request.port, rate);
  region_.rate_changed(request.port, rate);
  return FailureCode::kNone;
}

bool PortRequests::set_installed(PortId port, bool installed) {
  if (ports_.installed(port) == installed) return false;
  branches_.delete_all_input(port);
  branches_.delete_all_output(port);
  if (installed) {
    labels_.restore(port);
    ports_.insert(port);
  } else {
    ports_.remove(port);
  }
  return true;
}

void PortRequests::tick(TimePoint now) {
  for (std::uint32_t number = 1; number <= ports_.count(); ++number) {
    if (ports_.loopback_over(PortId(number), now)) bring_up(PortId(number));
  }
}

}  // namespace xbind::switchagent
