#include "switchserver/drivers/switch_ports.hpp"

#include <optional>
#include <utility>

#include "core/log.hpp"
#include "core/planted.hpp"
#include "gsmp/messages/event.hpp"

namespace xbind {

// ----- coming up ------------------------------------------------------------------------------

void SwitchPorts::adjacency_up(bool kept) {
  kept_ = kept;
  if (auto sent = link_.session.switch_configuration(0, 0, link_.now); !sent)
    link_.drop_reason = sent.error().text;
}

void SwitchPorts::on_switch_configuration(const gsmp::Response& response) {
  if (!response.success) {
    link_.drop_reason = "the switch refused Switch Configuration: " + to_string(response.code);
    return;
  }
  if (auto sent = link_.session.all_ports_configuration(0, link_.now); !sent)
    link_.drop_reason = sent.error().text;
}

void SwitchPorts::on_all_ports(const gsmp::Response& response) {
  const auto* const part = body_of<gsmp::AllPortsPart>(response);
  if (!response.success || part == nullptr) {
    const std::string why =
        "the switch refused All Ports Configuration: " + to_string(response.code);
    if (link_.up) {
      log::gsmp.warn("{}", why);
    } else {
      link_.drop_reason = why;
    }
    return;
  }
  for (const gsmp::PortRecord& record : part->records) know(record);
  if (response.more) return;
  if (link_.up) return report_changes();
  table_.set_tc_flags({});
  if (!table_.any_services() ||
      !link_.session.request(gsmp::ServiceConfigurationRequest{}, 0, link_.now))
    come_up();
}

void SwitchPorts::on_services(const gsmp::Response& response) {
  const auto* const body = body_of<gsmp::ServiceConfiguration>(response);
  if (response.success && body != nullptr) table_.set_tc_flags(tc_flags_of(*body));
  come_up();
}

void SwitchPorts::come_up() {
  link_.up = true;
  link_.events.push_back(driver::Up{table_.report_all(), std::exchange(kept_, true)});
}

void SwitchPorts::adjacency_down() {
  table_.clear();
  queries_.clear();
  for (const Stale& stale : std::exchange(stale_, {}))
    link_.finish(driver::Done{stale.done.cookie, Cause::kSwitchUnreachable, 0});
}

// ----- one port -------------------------------------------------------------------------------

void SwitchPorts::know(const gsmp::PortRecord& record) {
  const std::optional<std::uint32_t> before = table_.know(record);
  if (link_.up && before && *before != record.port_session) {
    ++link_.counters.ports_taken;
    log::gsmp.warn(
        "port {} began session {} (was {}) without an event: another controller has brought it up; "
        "its cross-connects are put back",
        record.port, record.port_session, *before);
  }
  // A flag that nobody resets holds back every later event of its type. An earlier reset may have
  // timed out, or was lost with an earlier adjacency.
  if (planted(Bug::kFlagsNotReset)) return;
  if (const std::uint16_t flags = record.event_flags & ~gsmp::kEventInvalidLabel; flags != 0)
    queries_.reset(record.port, flags);
  if ((record.event_flags & gsmp::kEventInvalidLabel) != 0)
    queries_.reset_invalid_label(record.port);
}

void SwitchPorts::on_port(const gsmp::Response& response) {
  const PortId id{static_cast<std::uint32_t>(response.cookie)};
  const auto* const body = body_of<gsmp::PortConfiguration>(response);
  if (response.success && body != nullptr) {
    know(body->record);
  } else if (response.code == gsmp::FailureCode::kNoSuchPort) {
    table_.forget(id);
  } else {
    log::gsmp.warn("port {}: the switch refused to report its configuration: {}", id,
                   to_string(response.code));
  }
  port_read(id);
}

void SwitchPorts::port_read(PortId id) {
  if (!queries_.was_read(id)) return;
  std::erase_if(stale_, [&](Stale& stale) {
    if (stale.port != id) return false;
    stale.done.again = session(id) != stale.session;
    link_.finish(stale.done);
    return true;
  });
  report_changes();
}

void SwitchPorts::report_changes() {
  if (!link_.up) return;
  if (auto news = table_.report_changes()) link_.events.push_back(*std::move(news));
}

void SwitchPorts::refused(driver::Done done, PortId port, std::uint32_t of_session) {
  if (done.failure_code != static_cast<std::uint8_t>(gsmp::FailureCode::kInvalidPortSession))
    return link_.finish(done);
  ++link_.counters.old_port_session;
  if (session(port) != of_session) {
    done.again = true;
    return link_.finish(done);
  }
  stale_.push_back({done, port, of_session});
  queries_.read(port);
}

}  // namespace xbind
