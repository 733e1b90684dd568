#include "switchserver/drivers/gsmp_driver.hpp"

#include <algorithm>
#include <utility>

#include "core/check.hpp"
#include "core/log.hpp"
#include "core/planted.hpp"

namespace xbind {
namespace {

constexpr std::uint64_t kNoCookie = 0;  // of requests that their message type identifies

std::uint64_t label_key(PortId port, Label label, bool output) {
  // 28 bits of label, 31 of port, one for the direction: a switch's GSMP port numbers are small.
  return std::uint64_t{label.value & 0xfff'ffff} | std::uint64_t{port.value()} << 28 |
         std::uint64_t{output} << 63;
}

}  // namespace

GsmpDriver::GsmpDriver(const gsmp::SessionOptions& options, std::function<std::uint32_t()> random)
    : session_(options, std::move(random)) {}

// --- requests ------------------------------------------------------------------------------------

void GsmpDriver::add(const CrossConnect& cross_connect, const TrafficContract& contract,
                     driver::Cookie cookie) {
  if (!deletes_.empty() && (delete_labels_.contains(label_key(cross_connect.input_port,
                                                              cross_connect.input_label, false)) ||
                            delete_labels_.contains(label_key(cross_connect.output_port,
                                                              cross_connect.output_label, true)))) {
    send_deletes();
  }
  const Port& in = port_at(cross_connect.input_port);
  gsmp::AddBranch message;
  message.port_session = in.session;
  message.input_port = cross_connect.input_port;
  message.output_port = cross_connect.output_port;
  message.input_label = gsmp::label_field(cross_connect.input_label);
  message.output_label = gsmp::label_field(cross_connect.output_label);
  set_quality(message, contract, cross_connect.input_port, in, cross_connect.output_port);
  note_wanted(cookie, {}, cross_connect);
  if (auto sent = session_.add_branch(message, cookie, now_); !sent) {
    finish(driver::Done{cookie, cause_of(sent.error()), code_of(sent.error())});
  }
}

void GsmpDriver::move(const CrossConnect& cross_connect, PortId new_output_port,
                      Label new_output_label, const TrafficContract& contract,
                      driver::Cookie cookie) {
  send_deletes();  // one of them may free the new label
  const Port& in = port_at(cross_connect.input_port);
  gsmp::MoveOutputBranch message;
  message.port_session = in.session;
  message.input_port = cross_connect.input_port;
  message.old_output_port = cross_connect.output_port;
  message.new_output_port = new_output_port;
  message.input_label = gsmp::label_field(cross_connect.input_label);
  message.old_output_label = gsmp::label_field(cross_connect.output_label);
  message.new_output_label = gsmp::label_field(new_output_label);
  set_quality(message, contract, cross_connect.input_port, in, new_output_port);
  CrossConnect there = cross_connect;
  there.output_port = new_output_port;
  there.output_label = new_output_label;
  note_wanted(cookie, cross_connect, there);
  if (auto sent = session_.request(message, cookie, now_); !sent) {
    finish(driver::Done{cookie, cause_of(sent.error()), code_of(sent.error())});
  }
}

const GsmpDriver::Port& GsmpDriver::port_at(PortId port) const {
  static const Port kUnknown;
  const auto found = ports_.find(port);
  return found == ports_.end() ? kUnknown : found->second;
}

void GsmpDriver::set_quality(gsmp::QosFields& fields, const TrafficContract& contract, PortId input,
                             const Port& in, PortId output) {
  if (!contract.present()) return;  // priority 0
  const Port& out = port_at(output);
  if ((in.services & out.services & service_bit(contract.category)) != 0) {
    ++counters_.by_service;
    set_service(fields, contract, tc_flags_);
    return;
  }
  ++counters_.by_priority;
  // Version 1.1 has one priority for both sides.
  const std::uint8_t least = std::min(in.priorities, out.priorities);
  const bool one = session_.version() != gsmp::kVersion;
  set_priorities(fields, contract.category, one ? least : in.priorities,
                 one ? least : out.priorities);
  for (const auto& [port, about] : {std::pair{input, &in}, {output, &out}}) {
    if ((about->services & service_bit(contract.category)) != 0) continue;
    if (!by_priority_.insert(port).second) continue;
    log::gsmp.warn(
        "port {} does not offer {}: connections of services that it does not offer are mapped to a "
        "priority",
        port, to_string(contract.category));
  }
}

void GsmpDriver::remove(const CrossConnect& cross_connect, driver::Cookie cookie) {
  gsmp::DeleteElement element;
  element.port_session = port_session(cross_connect.input_port);
  element.input_port = cross_connect.input_port;
  element.output_port = cross_connect.output_port;
  element.input_label = gsmp::label_field(cross_connect.input_label);
  element.output_label = gsmp::label_field(cross_connect.output_label);
  note_wanted(cookie, cross_connect, {});
  deletes_.push_back(element);
  delete_cookies_.push_back(cookie);
  delete_labels_.insert(label_key(cross_connect.input_port, cross_connect.input_label, false));
  delete_labels_.insert(label_key(cross_connect.output_port, cross_connect.output_label, true));
  if (deletes_.size() == session_.delete_elements_max()) send_deletes();
}

void GsmpDriver::read_statistics(PortId port, Label label, driver::Cookie cookie) {
  gsmp::StatisticsRequest request;
  request.header.type = label.present() ? gsmp::MessageType::kConnectionStatistics
                                        : gsmp::MessageType::kPortStatistics;
  request.port = port;
  if (label.present()) request.label = gsmp::label_field(label);
  if (auto sent = session_.request(request, cookie, now_); !sent) {
    events_.push_back(
        driver::Statistics{cookie, cause_of(sent.error()), code_of(sent.error()), false, {}});
  }
}

void GsmpDriver::flush() { send_deletes(); }

std::uint64_t GsmpDriver::open_group() {
  const std::uint64_t group = next_group_++;
  spare_cookies_.clear();
  delete_groups_.emplace(group, std::exchange(delete_cookies_, std::move(spare_cookies_)));
  return group;
}

void GsmpDriver::send_deletes() {
  if (deletes_.empty()) return;
  const std::uint64_t group = open_group();
  const auto sent = session_.delete_branches(deletes_, group, now_);
  deletes_.clear();
  delete_labels_.clear();
  if (sent) return;
  // A connection that this version cannot express was never added: its delete succeeds.
  const bool nowhere = sent.error().code == ErrorCode::kVersion;
  end_deletes(group, nowhere ? Cause::kNone : cause_of(sent.error()));
}

// --- transport -----------------------------------------------------------------------------------

void GsmpDriver::connected(TimePoint now) {
  now_ = now;
  session_.connected(now);
  drain();
}

void GsmpDriver::closed(TimePoint now) {
  now_ = now;
  session_.closed(now);
  drain();
}

void GsmpDriver::receive(std::span<const std::byte> octets, TimePoint now) {
  now_ = now;
  session_.receive(octets, now);
  drain();
}

void GsmpDriver::tick(TimePoint now) {
  now_ = now;
  session_.tick(now);
  drain();
}

TimePoint GsmpDriver::next_deadline() const {
  TimePoint due = session_.next_deadline();
  // Work that is already due waits for room in the session, not for time.
  if (up_ && look_at_ > now_) due = std::min(due, look_at_);
  for (const auto& [port, reset] : resets_) {
    if (up_ && reset.due > now_) due = std::min(due, reset.due);
  }
  return due;
}

std::vector<driver::Event> GsmpDriver::take_events() { return std::exchange(events_, {}); }

void GsmpDriver::take_events(std::vector<driver::Event>& into) {
  into.clear();
  std::swap(into, events_);
}

std::string GsmpDriver::take_drop_reason() { return std::exchange(drop_reason_, {}); }

// --- news of the session -------------------------------------------------------------------------

void GsmpDriver::drain() {
  const driver::Down* down = nullptr;
  driver::Down reason;
  // Handling an event may make a request whose refusal is the next event: bounded, since a refused
  // request is not repeated.
  for (;;) {
    send_wanted();
    session_.take_events(session_events_);
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
  if (down != nullptr) events_.push_back(reason);
}

void GsmpDriver::on(const gsmp::SessionUp& up) {
  kept_ = up.effective_flag == gsmp::kRecoveredAdjacency;
  ++adjacency_;
  if (!kept_) added_.clear();
  log::gsmp.info("adjacency with the switch is up in GSMP version {}, its connections are {}",
                 up.version, kept_ ? "kept" : "gone");
  if (auto sent = session_.switch_configuration(0, kNoCookie, now_); !sent) {
    drop_reason_ = sent.error().text;
  }
}

void GsmpDriver::on(const gsmp::SessionDown& down) {
  log::gsmp.warn("adjacency with the switch is lost: {}", to_string(down.reason));
  up_ = false;
  ports_.clear();
  reported_ports_.clear();
  wanted_ports_.clear();
  reading_.clear();
  resets_.clear();
  next_label_reset_.clear();
  for (const Stale& stale : std::exchange(stale_, {})) {
    finish(driver::Done{stale.done.cookie, Cause::kSwitchUnreachable, 0});
  }
  // Deletes that were never sent: the adjacency was lost before flush().
  const std::uint64_t group = open_group();
  deletes_.clear();
  delete_labels_.clear();
  end_deletes(group, Cause::kSwitchUnreachable);
}

void GsmpDriver::on(const gsmp::DropTransport& drop) { drop_reason_ = drop.reason; }

void GsmpDriver::on(const gsmp::Response& response) {
  switch (response.type) {
    case gsmp::MessageType::kAddBranch:
    case gsmp::MessageType::kMoveOutputBranch: on_branch(response); return;
    case gsmp::MessageType::kDeleteBranches: on_deleted(response); return;
    case gsmp::MessageType::kReportConnectionState: on_report(response); return;
    case gsmp::MessageType::kConnectionActivity: on_activity(response); return;
    case gsmp::MessageType::kAllPortsConfiguration: on_all_ports(response); return;
    case gsmp::MessageType::kPortConfiguration: on_port(response); return;
    case gsmp::MessageType::kServiceConfiguration: on_services(response); return;
    case gsmp::MessageType::kPortManagement:
      if ((response.cookie & kRateCookie) != 0) return on_rate(response);
      return on_reset(response);
    case gsmp::MessageType::kPortStatistics:
    case gsmp::MessageType::kConnectionStatistics: on_statistics(response); return;
    case gsmp::MessageType::kSwitchConfiguration:
      if (response.success) {
        read_all_ports();
      } else {
        drop_reason_ = "the switch refused Switch Configuration: " + to_string(response.code);
      }
      return;
    default: log::gsmp.warn("an answer of an unexpected type is ignored"); return;
  }
}

void GsmpDriver::on_branch(const gsmp::Response& response) {
  if (response.success) {
    finish(driver::Done{response.cookie, Cause::kNone, 0});
    return;
  }
  if (planted(Bug::kRefusalTakenForDone))
    return finish(driver::Done{response.cookie, Cause::kNone, 0});
  const driver::Done refused{response.cookie, Cause::kSwitchRefused,
                             static_cast<std::uint8_t>(response.code)};
  if (const auto* added =
          response.body ? std::get_if<gsmp::AddBranch>(response.body.get()) : nullptr) {
    refuse(refused, added->input_port, added->port_session);
  } else if (const auto* moved = response.body
                                     ? std::get_if<gsmp::MoveOutputBranch>(response.body.get())
                                     : nullptr) {
    driver::Done not_moved = refused;
    not_moved.absent = response.code == gsmp::FailureCode::kNoSuchConnection ||
                       response.code == gsmp::FailureCode::kNoSuchBranch;
    refuse(not_moved, moved->input_port, moved->port_session);
  } else {
    finish(refused);
  }
}

void GsmpDriver::refuse(driver::Done done, PortId port, std::uint32_t session) {
  if (done.failure_code != static_cast<std::uint8_t>(gsmp::FailureCode::kInvalidPortSession)) {
    finish(done);
    return;
  }
  ++counters_.old_port_session;
  if (port_session(port) != session) {
    done.again = true;
    finish(done);
    return;
  }
  stale_.push_back({done, port, session});
  want_port(port);
}

void GsmpDriver::on_statistics(const gsmp::Response& response) {
  driver::Statistics counted{response.cookie, Cause::kNone, 0, false, {}};
  const auto* body = response.body ? std::get_if<gsmp::Statistics>(response.body.get()) : nullptr;
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
  events_.push_back(counted);
}

void GsmpDriver::on_deleted(const gsmp::Response& response) {
  const auto group = delete_groups_.find(response.cookie);
  XB_CHECK(group != delete_groups_.end(), response.cookie);
  const auto* body =
      response.body ? std::get_if<gsmp::DeleteBranches>(response.body.get()) : nullptr;
  spare_cookies_ = std::move(group->second);
  const std::vector<driver::Cookie>& cookies = spare_cookies_;
  delete_groups_.erase(group);
  if (response.success || body == nullptr || body->elements.size() != cookies.size()) {
    for (const driver::Cookie cookie : cookies) {
      finish(driver::Done{
          cookie, response.success ? Cause::kNone : Cause::kSwitchRefused,
          response.success ? std::uint8_t{0} : static_cast<std::uint8_t>(response.code)});
    }
    return;
  }
  for (std::size_t i = 0; i < cookies.size(); ++i) {
    const gsmp::DeleteElement& element = body->elements[i];
    // A delete of a missing branch succeeds: a repeated delete did its work the first time.
    const bool gone = element.error == gsmp::FailureCode::kNone ||
                      element.error == gsmp::FailureCode::kNoSuchConnection ||
                      element.error == gsmp::FailureCode::kNoSuchBranch;
    if (gone || planted(Bug::kDeleteErrorIgnored)) {
      finish(driver::Done{cookies[i], Cause::kNone, 0});
    } else {
      refuse({cookies[i], Cause::kSwitchRefused, static_cast<std::uint8_t>(element.error)},
             element.input_port, element.port_session);
    }
  }
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
    case gsmp::MessageType::kMoveOutputBranch: finish(driver::Done{cookie, cause, 0}); return;
    case gsmp::MessageType::kPortStatistics:
    case gsmp::MessageType::kConnectionStatistics:
      events_.push_back(driver::Statistics{cookie, cause, 0, false, {}});
      return;
    case gsmp::MessageType::kPortConfiguration:
      port_read(PortId{static_cast<std::uint32_t>(cookie)});
      return;
    case gsmp::MessageType::kPortManagement:
      if (cause != Cause::kTimeout) return;
      // Reading the port shows whether a flag is still set, and its rate.
      log::gsmp.warn(
          "port {}: the switch does not answer {}", static_cast<std::uint32_t>(cookie),
          (cookie & kRateCookie) != 0 ? "the operator's rate" : "the reset of its event flags");
      want_port(PortId{static_cast<std::uint32_t>(cookie)});
      return;
    case gsmp::MessageType::kServiceConfiguration:
      if (cause == Cause::kTimeout) come_up();
      return;
    case gsmp::MessageType::kDeleteBranches: end_deletes(cookie, cause); return;
    case gsmp::MessageType::kReportConnectionState:
    case gsmp::MessageType::kConnectionActivity: end_report(cookie, cause); return;
    default:
      if (cause == Cause::kTimeout)
        drop_reason_ = "the switch did not answer the request for its configuration";
      return;
  }
}

void GsmpDriver::end_deletes(std::uint64_t group, Cause cause) {
  const auto found = delete_groups_.find(group);
  XB_CHECK(found != delete_groups_.end(), group);
  for (const driver::Cookie cookie : found->second) {
    finish(driver::Done{cookie, cause, 0});
  }
  delete_groups_.erase(found);
}

// Why the session refused a request. A request that this version cannot express counts as refused
// by the switch, which would not understand it.
Cause GsmpDriver::cause_of(const Error& error) {
  switch (error.code) {
    case ErrorCode::kExhausted: return Cause::kBusy;
    case ErrorCode::kVersion: return Cause::kSwitchRefused;
    default: return Cause::kSwitchUnreachable;
  }
}

std::uint8_t GsmpDriver::code_of(const Error& error) {
  return error.code == ErrorCode::kVersion
             ? static_cast<std::uint8_t>(gsmp::FailureCode::kNotImplemented)
             : std::uint8_t{0};
}

}  // namespace xbind
