#include "tests/conformance/driver/mpls_driver.hpp"

#include <algorithm>
#include <utility>

namespace xbind::driver_kit {

void MplsDriver::start(Wake wake) {
  wake_ = std::move(wake);
  wire_->arrived = [this](MplsArrival arrival) {
    inbox_.push_back(std::move(arrival));
    wake_(1);
  };
}

void MplsDriver::stop() {
  wire_->arrived = {};
  wire_->connected = false;
}

// ----- requests -------------------------------------------------------------------------------

void MplsDriver::ask(MplsRequest request, driver::Cookie cookie) {
  const Open open{cookie, request.kind, kNever};
  if (!up_) {
    end(open, Cause::kSwitchUnreachable, {});
    return;
  }
  request.id = ++last_;
  open_.emplace(request.id, open);
  queue_.push_back(std::move(request));
}

void MplsDriver::add(const CrossConnect& at, const TrafficContract& contract,
                     driver::Cookie cookie) {
  ask({.kind = MplsRequest::Kind::kAdd, .at = at, .contract = contract}, cookie);
}

void MplsDriver::remove(const CrossConnect& at, driver::Cookie cookie) {
  ask({.kind = MplsRequest::Kind::kRemove, .at = at}, cookie);
}

void MplsDriver::move(const CrossConnect& at, PortId port, Label label,
                      const TrafficContract& contract, driver::Cookie cookie) {
  ask({.kind = MplsRequest::Kind::kMove,
       .at = at,
       .to_port = port,
       .to_label = label,
       .contract = contract},
      cookie);
}

void MplsDriver::read_table(driver::Cookie cookie) {
  ask({.kind = MplsRequest::Kind::kTable, .at = {}}, cookie);
}

void MplsDriver::read_statistics(PortId port, Label label, driver::Cookie cookie) {
  ask({.kind = MplsRequest::Kind::kCounters, .at = {port, label, {}, {}}}, cookie);
}

void MplsDriver::flush() {
  for (MplsRequest& request : queue_) {
    open_.at(request.id).deadline = now_ + kTimeout;
    outbox_.push_back(std::move(request));
  }
  queue_.clear();
}

void MplsDriver::transmit() {
  if (outbox_.empty() || !wire_->connected) return;
  sent_ += outbox_.size();
  ++wire_->writes;
  wire_->requests.push_back(std::exchange(outbox_, {}));
}

// ----- what arrives ---------------------------------------------------------------------------

std::size_t MplsDriver::on_wake(TimePoint now) {
  now_ = now;
  if (inbox_.empty()) return 0;
  const MplsArrival arrival = std::move(inbox_.front());
  inbox_.pop_front();
  std::visit([this](const auto& one) { on(one); }, arrival);
  return std::holds_alternative<MplsAnswer>(arrival) ? 1 : 0;
}

void MplsDriver::on(const MplsHello& hello) {
  up_ = true;
  why_away_.clear();
  events_.push_back(driver::Up{hello.ports, std::exchange(boot_, hello.boot) == hello.boot});
}

void MplsDriver::on(const MplsAnswer& answer) {
  const auto open = open_.extract(answer.id);
  if (open.empty()) return;  // it has timed out
  end(open.mapped(), answer.failure == MplsFailure::kNone ? Cause::kNone : Cause::kSwitchRefused,
      answer);
}

void MplsDriver::on(const MplsPorts& ports) {
  events_.push_back(driver::Ports{ports.ports, ports.renewed});
}

void MplsDriver::on(const MplsClosed& closed) {
  why_away_ = closed.reason;
  queue_.clear();
  outbox_.clear();
  for (const auto& [id, open] : std::exchange(open_, {})) {
    end(open, Cause::kSwitchUnreachable, {});
  }
  if (std::exchange(up_, false)) events_.push_back(driver::Down{closed.reason});
}

void MplsDriver::end(const Open& open, Cause cause, const MplsAnswer& answer) {
  const auto code = static_cast<std::uint8_t>(answer.failure);
  const bool absent = answer.failure == MplsFailure::kNothingThere;
  switch (open.kind) {
    case MplsRequest::Kind::kRemove:
      // An element that the switch cannot have is absent, so its removal is done.
      if (cause == Cause::kSwitchRefused && absent) {
        events_.push_back(driver::Done{open.cookie, Cause::kNone});
        return;
      }
      [[fallthrough]];
    case MplsRequest::Kind::kAdd:
    case MplsRequest::Kind::kMove:
      events_.push_back(driver::Done{open.cookie, cause, code, false, absent});
      return;
    case MplsRequest::Kind::kTable:
      events_.push_back(driver::Table{open.cookie, cause, answer.table});
      return;
    case MplsRequest::Kind::kCounters:
      events_.push_back(driver::Statistics{open.cookie, cause, code, absent, answer.counters});
      return;
  }
}

void MplsDriver::tick(TimePoint now) {
  now_ = now;
  for (auto open = open_.begin(); open != open_.end();) {
    if (open->second.deadline > now) {
      ++open;
      continue;
    }
    end(open->second, Cause::kTimeout, {});
    open = open_.erase(open);
  }
}

TimePoint MplsDriver::next_deadline() const {
  TimePoint due = kNever;
  for (const auto& [id, open] : open_) due = std::min(due, open.deadline);
  return due;
}

void MplsDriver::take_events(std::vector<driver::Event>& into) {
  into.clear();
  std::swap(into, events_);
}

void MplsDriver::append_metrics(Metrics& metrics) const {
  metrics.emplace_back("mpls_requests", sent_);
}

}  // namespace xbind::driver_kit
