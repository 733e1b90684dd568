#include "switchserver/drivers/gsmp_driver.hpp"

#include <algorithm>
#include <utility>

#include "core/log.hpp"
#include "core/planted.hpp"

namespace xbind {

GsmpDriver::GsmpDriver(const gsmp::SessionOptions& options, std::function<std::uint32_t()> random)
    : link_(options, std::move(random)) {}

// --- requests ------------------------------------------------------------------------------------

void GsmpDriver::add(const CrossConnect& cross_connect, const TrafficContract& contract,
                     driver::Cookie cookie) {
  if (deletes_.uses_label_of(cross_connect)) deletes_.send();
  const PortTable::Port& in = ports_.table().at(cross_connect.input_port);
  gsmp::AddBranch message;
  message.port_session = in.session;
  message.input_port = cross_connect.input_port;
  message.output_port = cross_connect.output_port;
  message.input_label = gsmp::label_field(cross_connect.input_label);
  message.output_label = gsmp::label_field(cross_connect.output_label);
  quality_.set(message, contract, cross_connect.input_port, in, cross_connect.output_port);
  note_change(cookie, {}, cross_connect);
  if (auto sent = link_.session.add_branch(message, cookie, link_.now); !sent) {
    link_.finish(driver::Done{cookie, cause_of(sent.error()), code_of(sent.error())});
  }
}

void GsmpDriver::move(const CrossConnect& cross_connect, PortId new_output_port,
                      Label new_output_label, const TrafficContract& contract,
                      driver::Cookie cookie) {
  deletes_.send();  // one of them may free the new label
  const PortTable::Port& in = ports_.table().at(cross_connect.input_port);
  gsmp::MoveOutputBranch message;
  message.port_session = in.session;
  message.input_port = cross_connect.input_port;
  message.old_output_port = cross_connect.output_port;
  message.new_output_port = new_output_port;
  message.input_label = gsmp::label_field(cross_connect.input_label);
  message.old_output_label = gsmp::label_field(cross_connect.output_label);
  message.new_output_label = gsmp::label_field(new_output_label);
  quality_.set(message, contract, cross_connect.input_port, in, new_output_port);
  CrossConnect there = cross_connect;
  there.output_port = new_output_port;
  there.output_label = new_output_label;
  note_change(cookie, cross_connect, there);
  if (auto sent = link_.session.request(message, cookie, link_.now); !sent) {
    link_.finish(driver::Done{cookie, cause_of(sent.error()), code_of(sent.error())});
  }
}

void GsmpDriver::note_change(driver::Cookie cookie, const CrossConnect& gone,
                             const CrossConnect& there) {
  if (!link_.lists_its_table()) link_.added.open(cookie, gone, there);
}

void GsmpDriver::remove(const CrossConnect& cross_connect, driver::Cookie cookie) {
  note_change(cookie, cross_connect, {});
  deletes_.add(cross_connect, cookie);
}

void GsmpDriver::flush() { deletes_.send(); }

void GsmpDriver::read_table(driver::Cookie cookie) { table_reads_.read_table(cookie); }

void GsmpDriver::read_port(PortId port, driver::Cookie cookie) {
  table_reads_.read_port(port, cookie);
}

void GsmpDriver::read_inputs(const std::vector<driver::Input>& inputs, driver::Cookie cookie) {
  table_reads_.read_inputs(inputs, cookie);
}

void GsmpDriver::read_statistics(PortId port, Label label, driver::Cookie cookie) {
  gsmp::StatisticsRequest request;
  request.header.type = label.present() ? gsmp::MessageType::kConnectionStatistics
                                        : gsmp::MessageType::kPortStatistics;
  request.port = port;
  if (label.present()) request.label = gsmp::label_field(label);
  if (auto sent = link_.session.request(request, cookie, link_.now); !sent) {
    link_.events.push_back(
        driver::Statistics{cookie, cause_of(sent.error()), code_of(sent.error()), false, {}});
  }
}

void GsmpDriver::set_rates(const std::vector<PortRate>& rates) { rates_.set(rates); }

// --- transport -----------------------------------------------------------------------------------

void GsmpDriver::connected(TimePoint now) {
  link_.now = now;
  link_.session.connected(now);
  drain();
}

void GsmpDriver::closed(TimePoint now) {
  link_.now = now;
  link_.session.closed(now);
  drain();
}

void GsmpDriver::receive(std::span<const std::byte> octets, TimePoint now) {
  link_.now = now;
  link_.session.receive(octets, now);
  drain();
}

void GsmpDriver::tick(TimePoint now) {
  link_.now = now;
  link_.session.tick(now);
  drain();
}

TimePoint GsmpDriver::next_deadline() const {
  const TimePoint due = link_.session.next_deadline();
  return link_.up ? std::min(due, ports_.next_deadline()) : due;
}

std::vector<driver::Event> GsmpDriver::take_events() { return std::exchange(link_.events, {}); }

void GsmpDriver::take_events(std::vector<driver::Event>& into) {
  into.clear();
  std::swap(into, link_.events);
}

std::string GsmpDriver::take_drop_reason() { return std::exchange(link_.drop_reason, {}); }

// --- news of the session -------------------------------------------------------------------------

void GsmpDriver::drain() {
  const driver::Down* down = nullptr;
  driver::Down reason;
  // Handling an event may make a request whose refusal is the next event: bounded, since a refused
  // request is not repeated.
  for (;;) {
    send_queries();
    link_.session.take_events(session_events_);
    if (session_events_.empty()) break;
    for (const gsmp::SessionEvent& event : session_events_) {
      if (const auto* lost = std::get_if<gsmp::SessionDown>(&event)) {
        on(*lost);
        reason.reason = std::string{to_string(lost->reason)};
        down = &reason;
        continue;
      }
      std::visit([this](const auto& news) { on(news); }, event);
    }
  }
  // Requests that were open have been answered above: Down comes last.
  if (down != nullptr) link_.events.push_back(reason);
}

void GsmpDriver::send_queries() {
  if (link_.up && ports_.send()) rates_.send();
}

void GsmpDriver::on(const gsmp::SessionUp& up) {
  const bool kept = up.effective_flag == gsmp::kRecoveredAdjacency;
  log::gsmp.info("adjacency with the switch is up in GSMP version {}, its connections are {}",
                 up.version, kept ? "kept" : "gone");
  link_.added.adjacency_up(kept);
  rates_.adjacency_up();
  ports_.adjacency_up(kept);
}

void GsmpDriver::on(const gsmp::SessionDown& down) {
  log::gsmp.warn("adjacency with the switch is lost: {}", to_string(down.reason));
  link_.up = false;
  ports_.adjacency_down();
  deletes_.adjacency_down();
}

void GsmpDriver::on(const gsmp::DropTransport& drop) { link_.drop_reason = drop.reason; }

void GsmpDriver::on(const gsmp::SwitchEvent& event) { ports_.on(event.event); }

void GsmpDriver::on(const gsmp::Response& response) {
  switch (response.type) {
    case gsmp::MessageType::kAddBranch:
    case gsmp::MessageType::kMoveOutputBranch: on_branch(response); return;
    case gsmp::MessageType::kDeleteBranches: deletes_.on_answer(response); return;
    case gsmp::MessageType::kReportConnectionState: table_reads_.on_report(response); return;
    case gsmp::MessageType::kConnectionActivity: table_reads_.on_activity(response); return;
    case gsmp::MessageType::kAllPortsConfiguration: ports_.on_all_ports(response); return;
    case gsmp::MessageType::kPortConfiguration: ports_.on_port(response); return;
    case gsmp::MessageType::kServiceConfiguration: ports_.on_services(response); return;
    case gsmp::MessageType::kPortManagement:
      if ((response.cookie & RateRequests::kCookie) != 0) return rates_.on_answer(response);
      return ports_.on_reset(response);
    case gsmp::MessageType::kPortStatistics:
    case gsmp::MessageType::kConnectionStatistics: on_statistics(response); return;
    case gsmp::MessageType::kSwitchConfiguration: return ports_.on_switch_configuration(response);
    default: log::gsmp.warn("an answer of an unexpected type is ignored"); return;
  }
}

void GsmpDriver::on_branch(const gsmp::Response& response) {
  if (response.success) {
    link_.finish(driver::Done{response.cookie, Cause::kNone, 0});
    return;
  }
  if (planted(Bug::kRefusalTakenForDone))
    return link_.finish(driver::Done{response.cookie, Cause::kNone, 0});
  const driver::Done refused{response.cookie, Cause::kSwitchRefused,
                             static_cast<std::uint8_t>(response.code)};
  if (const auto* const added = body_of<gsmp::AddBranch>(response)) {
    ports_.refused(refused, added->input_port, added->port_session);
  } else if (const auto* const moved = body_of<gsmp::MoveOutputBranch>(response)) {
    driver::Done not_moved = refused;
    not_moved.absent = response.code == gsmp::FailureCode::kNoSuchConnection ||
                       response.code == gsmp::FailureCode::kNoSuchBranch;
    ports_.refused(not_moved, moved->input_port, moved->port_session);
  } else {
    link_.finish(refused);
  }
}

void GsmpDriver::on_statistics(const gsmp::Response& response) {
  driver::Statistics counted{response.cookie, Cause::kNone, 0, false, {}};
  const auto* const body = body_of<gsmp::Statistics>(response);
  if (!response.success || body == nullptr) {
    counted.cause = Cause::kSwitchRefused;
    counted.failure_code = static_cast<std::uint8_t>(response.code);
    counted.absent = response.code == gsmp::FailureCode::kNoSuchConnection;
  } else {
    const gsmp::Counters& c = body->counters;
    counted.counters = {c.input_cells,          c.input_frames,  c.input_cell_discards,
                        c.input_frame_discards, c.hec_errors,    c.invalid_labels,
                        c.output_cells,         c.output_frames, c.output_cell_discards,
                        c.output_frame_discards};
  }
  link_.events.push_back(counted);
}

void GsmpDriver::on(const gsmp::RequestTimeout& timeout) {
  fail_request(timeout.type, timeout.cookie,
               planted(Bug::kTimeoutTakenForDone) ? Cause::kNone : Cause::kTimeout);
}

void GsmpDriver::on(const gsmp::RequestLost& lost) {
  fail_request(lost.type, lost.cookie,
               planted(Bug::kLossTakenForDone) ? Cause::kNone : Cause::kSwitchUnreachable);
}

void GsmpDriver::fail_request(gsmp::MessageType type, std::uint64_t cookie, Cause cause) {
  switch (type) {
    case gsmp::MessageType::kAddBranch:
    case gsmp::MessageType::kMoveOutputBranch: link_.finish(driver::Done{cookie, cause, 0}); return;
    case gsmp::MessageType::kPortStatistics:
    case gsmp::MessageType::kConnectionStatistics:
      link_.events.push_back(driver::Statistics{cookie, cause, 0, false, {}});
      return;
    case gsmp::MessageType::kPortConfiguration:
      ports_.port_not_read(PortId{static_cast<std::uint32_t>(cookie)});
      return;
    case gsmp::MessageType::kPortManagement:
      if (cause != Cause::kTimeout) return;
      // Reading the port shows whether a flag is still set, and its rate.
      log::gsmp.warn("port {}: the switch does not answer {}", static_cast<std::uint32_t>(cookie),
                     (cookie & RateRequests::kCookie) != 0 ? "the operator's rate"
                                                           : "the reset of its event flags");
      ports_.read(PortId{static_cast<std::uint32_t>(cookie)});
      return;
    case gsmp::MessageType::kServiceConfiguration:
      if (cause == Cause::kTimeout) ports_.services_not_read();
      return;
    case gsmp::MessageType::kDeleteBranches: deletes_.end(cookie, cause); return;
    case gsmp::MessageType::kReportConnectionState:
    case gsmp::MessageType::kConnectionActivity: table_reads_.end(cookie, cause); return;
    default:
      if (cause == Cause::kTimeout)
        link_.drop_reason = "the switch did not answer the request for its configuration";
      return;
  }
}

}  // namespace xbind
