#include "bench/null/null_manager.hpp"

#include <algorithm>
#include <utility>

#include "core/log.hpp"
#include "core/wire_octets.hpp"

namespace xbind::callgen::null {
namespace {

constexpr std::size_t kOutcomesPerBatch = 1024;  // as the real manager
constexpr Resources kDemand{100, 0};
// Stands for an unknown end of a changed connection: only the setup request named it.
constexpr const char* kEndNotKept = "not-kept";
constexpr TrafficContract kContract{
    .category = ServiceCategory::kCbr, .pcr_cells_per_s = 100, .cdvt_us = 250};

HopKey key_of(ConnectionId number, std::size_t at) {
  return {number, Generation{1}, 0, static_cast<std::uint16_t>(at)};
}

// A commit after a label cache hit: both labels are known except at the ends.
HopSetup setup_at(std::size_t at, std::size_t switches, ConnectionId number, RequestId request) {
  const auto label = [&](std::size_t hop) {
    const bool inside = hop > 0 && hop < switches;
    return inside ? Label{LabelKind::kAtm, 32 + static_cast<std::uint32_t>(number.value() % 60'000)}
                  : Label{};
  };
  return {.key = key_of(number, at),
          .commit = true,
          .hop_count = static_cast<std::uint16_t>(switches),
          .input_port = PortId{1},
          .input_label = label(at),
          .output_port = PortId{2},
          .output_label = label(at + 1),
          .demand = kDemand,
          .labels_wanted = 1,
          .request = request,
          .contract = kContract};
}

}  // namespace

NullManager::NullManager(const Gathering& rule, const std::vector<std::uint32_t>& windows,
                         TimePoint now)
    : rule_(rule) {
  for (const std::uint32_t window : windows) {
    switches_.push_back(std::make_unique<Switch>(
        Switch{SwitchSession{session::Limits{}.agreed(window), now}, CommandQueue{rule}}));
  }
}

SessionId NullManager::attach_client(const std::string& name, TimePoint now) {
  client_name_ = name;
  session_ = SessionId{next_session_++};
  client_ = std::make_unique<ClientSession>(kClientLimits, now);
  answers_.clear();
  return session_;
}

void NullManager::detach_client(SessionId session) {
  if (session != session_) return;
  client_.reset();
  session_ = SessionId{};
  answers_.clear();
}

// ===== requests ==================================================================================

std::optional<ConnectionId> NullManager::begin(Outcome outcome) {
  if (under_way_ >= kMostUnderWay) {
    outcome.kind = OutcomeKind::kBusy;
    outcome.cause = Cause::kBusy;
    answer(std::move(outcome));
    return std::nullopt;
  }
  const ConnectionId number{oldest_number_ + pending_.size()};
  if (outcome.kind == OutcomeKind::kConnected && outcome.connection == ConnectionId{}) {
    outcome.connection = number;
  }
  if (outcome.kind == OutcomeKind::kHeld) outcome.connection = number;
  pending_.push_back({session_, std::move(outcome), switches_.size()});
  ++under_way_;
  commands_ += switches_.size();
  if (switches_.empty()) {
    done(pending_.back());
    pending_.pop_front();
    ++oldest_number_;
    return std::nullopt;
  }
  return number;
}

void NullManager::take(const ConnectRequest& request, TimePoint now) {
  Outcome outcome;
  outcome.request = request.request;
  outcome.kind = request.hold_ms > 0 ? OutcomeKind::kHeld : OutcomeKind::kConnected;
  outcome.ingress = outcome.egress = {LabelKind::kAtm, 32};
  const auto number = begin(std::move(outcome));
  if (!number) return;
  set_up(*number, request.request, {client_name_, {}, request.from, request.to}, now);
}

void NullManager::set_up(ConnectionId number, RequestId request, const HopOwner& owner,
                         TimePoint now) {
  for (std::size_t at = 0; at < switches_.size(); ++at) {
    switches_[at]->queue.add(setup_at(at, switches_.size(), number, request), owner, now);
  }
}

void NullManager::on_requests(SessionId session, session::Frame<RequestBatch> frame,
                              TimePoint now) {
  if (session != session_ || !client_) return;
  ++frames_;
  std::vector<std::shared_ptr<const RequestBatch>> batches;
  if (const auto received = client_->receive(std::move(frame), now, batches); !received) {
    log::warn("client {}: {}; its session ends", client_name_, received.error().text);
    detach_client(session);
    return;
  }
  const auto to_all = [&](auto&& command) {
    for (std::size_t at = 0; at < switches_.size(); ++at) {
      switches_[at]->queue.add(command(at), now);
    }
  };
  const auto outcome_of = [](const auto& request, OutcomeKind kind) {
    Outcome outcome;
    outcome.request = request.request;
    outcome.kind = kind;
    outcome.connection = request.connection;
    return outcome;
  };
  for (const auto& batch : batches) {
    for (const ReleaseRequest& request : batch->releases) {
      if (const auto number = begin(outcome_of(request, OutcomeKind::kReleased))) {
        to_all([&](std::size_t at) { return key_of(*number, at); });
      }
    }
    for (const ConnectRequest& request : batch->connects) take(request, now);
    for (const ModifyRequest& request : batch->modifies) {
      if (const auto number = begin(outcome_of(request, OutcomeKind::kModified))) {
        to_all([&](std::size_t at) {
          return HopModify{key_of(*number, at), 1, kDemand, kContract};
        });
      }
    }
    for (const LeafRequest& request : batch->leaves) {
      const auto number = begin(
          outcome_of(request, request.drop ? OutcomeKind::kLeafDropped : OutcomeKind::kLeafAdded));
      if (!number) continue;
      if (request.drop) {
        to_all([&](std::size_t at) { return key_of(*number, at); });
      } else {
        set_up(*number, request.request, {client_name_, {}, kEndNotKept, request.end}, now);
      }
    }
    for (const CommitRequest& request : batch->commits) {
      if (const auto number = begin(outcome_of(request, OutcomeKind::kConnected))) {
        set_up(*number, request.request, {client_name_, {}, kEndNotKept, kEndNotKept}, now);
      }
    }
  }
}

// ===== answers ===================================================================================

Result<void> NullManager::on_results(std::size_t at, session::Frame<HopResultBatch> frame,
                                     TimePoint now) {
  ++frames_;
  std::vector<std::shared_ptr<const HopResultBatch>> batches;
  if (auto received = switches_.at(at)->link.receive(std::move(frame), now, batches); !received) {
    return tl::make_unexpected(received.error());
  }
  for (const auto& batch : batches) {
    for (const HopResult& result : batch->results) {
      const std::uint64_t place = result.key.connection.value() - oldest_number_;  // or huge
      if (place >= pending_.size() || pending_[place].left == 0) {
        return fail(ErrorCode::kProtocol, "an answer to command {}, which does not wait for one",
                    result.key.connection);
      }
      if (--pending_[place].left == 0) done(pending_[place]);
    }
  }
  while (!pending_.empty() && pending_.front().left == 0) {
    pending_.pop_front();
    ++oldest_number_;
  }
  return {};
}

void NullManager::done(Pending& pending) {
  --under_way_;
  if (pending.session == session_) answer(std::move(pending.outcome));
}

void NullManager::answer(Outcome outcome) { answers_.push_back(std::move(outcome)); }

// ===== the end of a step =========================================================================

bool NullManager::send_to_client(TimePoint now, std::vector<ToClient>& out) {
  if (!client_) return true;
  const std::size_t before = out.size();
  if (client_->next_deadline() <= now) {
    if (const auto ticked = client_->tick(now, out); !ticked) return false;
  }
  std::size_t sent = 0;
  while (sent < answers_.size() && client_->has_credit()) {
    const std::size_t count = std::min(answers_.size() - sent, kOutcomesPerBatch);
    const auto first = answers_.begin() + static_cast<std::ptrdiff_t>(sent);
    OutcomeBatch batch;
    if (count == answers_.size()) {
      batch.outcomes = std::exchange(answers_, {});
      sent = 0;
    } else {
      batch.outcomes.assign(std::make_move_iterator(first),
                            std::make_move_iterator(first + static_cast<std::ptrdiff_t>(count)));
      sent += count;
    }
    out.push_back(client_->send(std::move(batch), 64 + count * 64, now));
  }
  answers_.erase(answers_.begin(), answers_.begin() + static_cast<std::ptrdiff_t>(sent));
  frames_ += out.size() - before;
  return true;
}

Result<void> NullManager::finish_step(TimePoint now, std::vector<ToClient>& to_client,
                                      std::vector<ToSwitch>& to_switches) {
  std::vector<session::Frame<HopBatch>> ticks;
  for (std::size_t at = 0; at < switches_.size(); ++at) {
    Switch& one = *switches_[at];
    if (one.link.next_deadline() <= now) {
      ticks.clear();
      if (auto ticked = one.link.tick(now, ticks); !ticked) {
        return tl::make_unexpected(ticked.error());
      }
      for (auto& frame : ticks) to_switches.push_back({at, std::move(frame)});
    }
    while (one.queue.due(now, one.link.unconfirmed()) && one.link.has_credit()) {
      HopBatch batch = one.queue.take();
      const std::size_t octets = wire_octets(batch);
      to_switches.push_back({at, one.link.send(std::move(batch), octets, now)});
    }
  }
  frames_ += to_switches.size();
  if (!send_to_client(now, to_client)) {
    log::warn("client {} is silent; its session ends", client_name_);
    detach_client(session_);
  }
  return {};
}

TimePoint NullManager::next_deadline() const {
  TimePoint due = client_ ? client_->next_deadline() : kNever;
  for (const auto& one : switches_) {
    due = std::min(due, one->link.next_deadline());
    // Without credit a confirmation triggers the sending, not the clock.
    if (one->link.has_credit()) due = std::min(due, one->queue.deadline());
  }
  return due;
}

}  // namespace xbind::callgen::null
