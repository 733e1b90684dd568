// The ports of the fabric: RFC 3292 section 6.
#include <algorithm>
#include <array>
#include <utility>

#include "core/check.hpp"
#include "switchagent/table/fabric.hpp"

namespace xbind::switchagent {

using dataplane::Loopback;
using gsmp::FailureCode;
using gsmp::PortFunction;
using gsmp::PortStatus;

std::vector<gsmp::ServiceRecord> default_services() {
  using gsmp::ServiceId;
  using gsmp::TrafficControl;
  gsmp::CapabilitySet hard;  // for delay-sensitive services
  hard.id = 1;
  hard.policing = TrafficControl::kPerConnection;
  hard.egress_peak_shaping = TrafficControl::kAlways;
  hard.clr = 9;
  hard.ctd_us = 500;
  hard.cdv_us = 100;
  gsmp::CapabilitySet soft = hard;  // for loss-sensitive services
  soft.egress_peak_shaping = TrafficControl::kNo;
  soft.clr = 6;
  soft.ctd_us = soft.cdv_us = 0;
  gsmp::CapabilitySet frames;  // for services that tolerate delay and loss
  frames.id = 1;
  frames.packet_discard = TrafficControl::kAlways;
  frames.vc_merge = TrafficControl::kPerConnection;
  return {{ServiceId::kCbr1, {hard}},
          {ServiceId::kRtVbr1, {hard}},
          {ServiceId::kNrtVbr1, {soft}},
          {ServiceId::kUbr1, {frames}},
          {ServiceId::kGfr1, {frames}}};
}

Fabric::Fabric(FabricOptions options, std::function<std::uint32_t()> random)
    : options_(std::move(options)),
      random_(std::move(random)),
      ports_(options_.ports),
      cells_({.ports = options_.ports,
              .labels = {options_.labels.range()},
              .connections_max = options_.connections_max,
              .branches_max = options_.branches_max,
              .branches_per_connection_max = options_.branches_per_connection_max},
             {.cells_max = options_.buffer_cells,
              .priorities = static_cast<std::uint16_t>(options_.priorities + 1)},
             {.on_unknown_label =
                  [this](PortId port, std::uint16_t vpi, std::uint16_t vci, TimePoint now) {
                    if (on_unknown_label_) on_unknown_label_(port, label_at(port, vpi, vci), now);
                  },
              .on_cells = {}}),
      reservations_(options_.max_reservations),
      region_(options_.ports) {
  XB_CHECK(options_.ports >= 1 && options_.ports <= 0xffff, options_.ports);
  for (std::uint32_t number = 1; number <= options_.ports; ++number) {
    const PortId id(number);
    Port& port = at(id);
    port.session = new_session(0);
    const auto own_rate = options_.port_cells_per_s.find(id);
    port.rate_default =
        own_rate == options_.port_cells_per_s.end() ? options_.link_cells_per_s : own_rate->second;
    port.rate = port.rate_default;
    const auto own_labels = options_.port_labels.find(id);
    const bool own = own_labels != options_.port_labels.end();
    port.kind = own ? own_labels->second.at(0).kind : LabelKind::kAtm;
    set_labels(id, own ? own_labels->second : LabelRanges{options_.labels.range()});
    cells_.set_rate(id, port.rate);
  }
}

// Never returns 0 or the old number. Terminates even if the random source repeats itself.
std::uint32_t Fabric::new_session(std::uint32_t old) {
  std::uint32_t session = std::max(random_(), std::uint32_t{1});
  if (session == old) session = session == 0xffffffff ? 1 : session + 1;
  return session;
}

std::uint32_t Fabric::installed_ports() const {
  return static_cast<std::uint32_t>(std::ranges::count_if(ports_, &Port::installed));
}

gsmp::PortRecord Fabric::port_record(PortId id) const {
  const Port& port = at(id);
  gsmp::PortRecord record;
  record.port = id;
  record.port_session = port.session;
  record.event_sequence = port.events.sequence;
  record.event_flags = port.events.flags;
  record.attribute_flags = port.replace ? 0x8000 : 0;
  const bool mpls = label_kind(id) == LabelKind::kMpls;
  record.port_type = mpls ? gsmp::kPortTypeMpls : gsmp::kPortTypeAtm;
  record.line_type = mpls ? gsmp::kLineTypeMpls : gsmp::kLineTypeAtm;
  record.vp_switching = options_.vp_switching && !mpls;
  record.multicast_labels = true;
  record.logical_multicast = true;
  record.label_range_message = true;
  for (const LabelRange& range : port.labels_default) {
    record.label_ranges.push_back({gsmp::label_field({range.kind, range.first}),
                                   gsmp::label_field({range.kind, range.last})});
  }
  record.transmit_cells_per_s = port.rate;
  record.receive_cells_per_s = port.rate_default;
  record.port_status = port.status;
  record.line_status = port.line_up ? gsmp::LineStatus::kUp : gsmp::LineStatus::kDown;
  record.priorities = options_.priorities;
  record.physical_slot = 0;
  record.physical_port = static_cast<std::uint16_t>(id.value());
  if (!options_.services.empty()) {
    auto& specs = record.services.emplace();
    for (const gsmp::ServiceRecord& service : options_.services) {
      for (const gsmp::CapabilitySet& set : service.sets)
        specs.push_back({static_cast<std::uint16_t>(service.service), set.id});
    }
  }
  return record;
}

void Fabric::apply_line(PortId id) {
  const Port& port = at(id);
  cells_.set_line(id, port.installed && port.line_up && port.status != PortStatus::kUnavailable);
}

bool Fabric::set_line(PortId id, bool up) {
  Port& port = at(id);
  if (port.line_up == up) return false;
  port.line_up = up;
  if (up) port.session = new_session(port.session);
  apply_line(id);
  return true;
}

bool Fabric::set_installed(PortId id, bool installed) {
  Port& port = at(id);
  if (port.installed == installed) return false;
  delete_all_input(id);
  delete_all_output(id);
  port.installed = installed;
  if (installed) {  // a new card without the old one's state
    port.session = new_session(port.session);
    port.line_up = true;
    port.replace = false;
    port.status = PortStatus::kAvailable;
    port.rate = port.rate_default;
    port.events = {};
    cells_.set_rate(id, port.rate);
    set_labels(id, port.labels_default);
  }
  port.loopback_end = kNever;
  cells_.set_loopback(id, Loopback::kNone);
  apply_line(id);
  return true;
}

// ----- Port Management ------------------------------------------------------------------------

void Fabric::bring_up(PortId id) {
  Port& port = at(id);
  delete_all_input(id);
  port.session = new_session(port.session);
  port.status = PortStatus::kAvailable;
  port.loopback_end = kNever;
  cells_.set_loopback(id, Loopback::kNone);
  apply_line(id);
}

FailureCode Fabric::manage(const gsmp::PortManagement& request, TimePoint now) {
  const PortId id = request.port;
  Port& port = at(id);
  const auto enter = [&](PortStatus status, Loopback loopback) {
    port.status = status;
    port.loopback_end = loopback == Loopback::kNone || request.duration_s == 0
                            ? kNever
                            : now + std::chrono::seconds{request.duration_s};
    cells_.set_loopback(id, loopback);
    apply_line(id);
  };
  switch (request.function) {
    case PortFunction::kBringUp:
      if (request.replace && !options_.connection_replace) return FailureCode::kReplaceUnsupported;
      bring_up(id);
      port.replace = request.replace;
      return FailureCode::kNone;
    case PortFunction::kTakeDown:
      if (port.status == PortStatus::kUnavailable) return FailureCode::kPortDown;
      enter(PortStatus::kUnavailable, Loopback::kNone);
      return FailureCode::kNone;
    case PortFunction::kInternalLoopback:
      enter(PortStatus::kInternalLoopback, Loopback::kInternal);
      return FailureCode::kNone;
    case PortFunction::kExternalLoopback:
      enter(PortStatus::kExternalLoopback, Loopback::kExternal);
      return FailureCode::kNone;
    case PortFunction::kBothwayLoopback:
      enter(PortStatus::kBothwayLoopback, Loopback::kBothway);
      return FailureCode::kNone;
    case PortFunction::kResetInputPort:
      delete_all_input(id);
      set_labels(id, port.labels_default);
      port.rate = port.rate_default;
      cells_.set_rate(id, port.rate);
      region_.rate_changed(id, port.rate);
      enter(PortStatus::kUnavailable, Loopback::kNone);
      return FailureCode::kNone;
    case PortFunction::kSetTransmitRate: {
      if (request.header.version == 1) break;  // not in version 1.1
      if (!options_.rate_settable) return FailureCode::kRateFixed;
      const bool fastest = request.transmit_cells_per_s == gsmp::kTransmitRateFastest;
      const std::uint32_t rate = fastest ? port.rate_default : request.transmit_cells_per_s;
      if (rate == 0 || rate > port.rate_default) return FailureCode::kRateOutOfRange;
      port.rate = rate;
      cells_.set_rate(id, rate);
      region_.rate_changed(id, rate);
      return FailureCode::kNone;
    }
    case PortFunction::kResetFlags:
      return FailureCode::kNone;  // handled by the agent, which has the events
  }
  return FailureCode::kInvalidMessage;
}

// An expired loopback returns the port to service, as after Bring Up.
void Fabric::tick(TimePoint now) {
  for (std::uint32_t number = 1; number <= options_.ports; ++number) {
    if (at(PortId(number)).loopback_end <= now) bring_up(PortId(number));
  }
}

TimePoint Fabric::next_deadline() const {
  TimePoint due = kNever;
  for (const Port& port : ports_) due = std::min(due, port.loopback_end);
  return due;
}

}  // namespace xbind::switchagent
