#include "tests/sim/client.hpp"

#include <fmt/format.h>

namespace xbind::sim {

void Client::attach_anew() {
  epoch_ = Epoch{epoch_.value() + 1};
  hooks_.attach(epoch_);
  // Should the answer get lost: ask again.
  world_.after(seconds{5}, [this, of = epoch_] {
    if (of == epoch_ && !link_) attach_anew();
  });
}

void Client::on_attached(Epoch epoch, SessionId session, std::uint32_t window) {
  if (epoch != epoch_) return;
  session_ = session;
  link_ = std::make_unique<Link>(session::Limits{}.agreed(window), world_.now);
  waiting_ = {};
  for (const auto& [request, asked] : asked_) {
    if (asked.outcome) continue;
    if (asked.connect) waiting_.connects.push_back(*asked.connect);
    if (asked.release) waiting_.releases.push_back(*asked.release);
    ++world_.tally["requests repeated"];
  }
  finish_step();
}

void Client::die(Duration for_how_long) {
  if (!link_) return;
  ++world_.tally["client sessions lost"];
  link_.reset();
  session_ = SessionId{};
  epoch_ = Epoch{epoch_.value() + 1};  // whatever was under way is of yesterday
  world_.after(for_how_long, [this, of = epoch_] {
    if (of == epoch_) attach_anew();
  });
}

void Client::connect(const std::string& from, const std::string& to, std::uint64_t cells_per_s) {
  RequestId request{next_request_++};
  const bool reuse = world_.planted == Planted::kClientReusesRequest && world_.chance.percent(20);
  if (reuse && !asked_.empty()) request = asked_.begin()->first;
  ConnectRequest wanted{request, from, to, {ServiceKind::kCells, cells_per_s, 10, 0, 0}};
  waiting_.connects.push_back(wanted);
  if (!reuse) asked_[request].connect = wanted;
  finish_step();
}

void Client::release(RequestId call) {
  const ReleaseRequest wanted{RequestId{next_request_++}, connection_of(call)};
  hooks_.release_asked(asked_.at(call));
  waiting_.releases.push_back(wanted);
  asked_[wanted.request].release = wanted;
  finish_step();
}

void Client::release_twice(RequestId call) {
  release(call);
  const ReleaseRequest again{RequestId{next_request_++}, connection_of(call)};
  waiting_.releases.push_back(again);
  asked_[again.request].release = again;
  asked_[again.request].second_release = true;
  finish_step();
}

void Client::release_unknown() {
  const ReleaseRequest wanted{RequestId{next_request_++}, ConnectionId{world_.chance.below(1000)}};
  waiting_.releases.push_back(wanted);
  asked_[wanted.request].release = wanted;
  asked_[wanted.request].second_release = true;
  finish_step();
}

void Client::on_outcomes(SessionId session, const session::Frame<OutcomeBatch>& frame) {
  if (!link_ || session != session_) return;
  std::vector<std::shared_ptr<const OutcomeBatch>> batches;
  if (const auto received = link_->receive(frame, world_.now, batches); !received) {
    world_.violated(fmt::format("client {}: {}", name_, received.error().text));
    return;
  }
  for (const auto& batch : batches) {
    for (const Outcome& outcome : batch->outcomes) judge(outcome);
  }
  finish_step();
}

// Exactly one outcome of each request; repeated perhaps, but never another.
void Client::judge(const Outcome& outcome) {
  const auto found = asked_.find(outcome.request);
  if (found == asked_.end()) {
    world_.violated(fmt::format("client {}: request {} was answered {} and never made", name_,
                                outcome.request, explain(outcome)));
    return;
  }
  Asked& asked = found->second;
  if (asked.outcome) {
    ++world_.tally["outcomes repeated"];
    if (!(*asked.outcome == outcome)) {
      world_.violated(fmt::format("client {}: request {} has two outcomes: {} ({}) and {} ({})",
                                  name_, outcome.request, explain(*asked.outcome),
                                  asked.outcome->connection, explain(outcome), outcome.connection));
    }
    return;
  }
  asked.outcome = outcome;
  ++world_.tally[std::string{to_string(outcome.kind)}];
  if (outcome.cause != Cause::kNone) {
    ++world_.tally["cause: " + std::string{to_string(outcome.cause)}];
  }
  judge_first(asked, outcome);
}

void Client::judge_first(Asked& asked, const Outcome& outcome) {
  const bool wrong_kind = asked.connect ? outcome.kind == OutcomeKind::kReleased
                                        : outcome.kind == OutcomeKind::kConnected;
  if (wrong_kind) {
    world_.violated(fmt::format("client {}: request {} was answered {}", name_, outcome.request,
                                to_string(outcome.kind)));
  }
  if (asked.release && !asked.second_release && outcome.kind != OutcomeKind::kReleased) {
    world_.violated(fmt::format("client {}: the release of connection {} was refused: {}", name_,
                                asked.release->connection, explain(outcome)));
  }
  if (asked.second_release && outcome.kind == OutcomeKind::kReleased) {
    world_.violated(
        fmt::format("client {}: connection {} was released twice", name_, outcome.connection));
  }
  if (outcome.kind == OutcomeKind::kConnected) hooks_.connected(asked);
}

void Client::tick() {
  if (!link_) return;
  std::vector<session::Frame<RequestBatch>> frames;
  if (const auto ticked = link_->tick(world_.now, frames); !ticked) {
    die(Duration::zero());
    return;
  }
  for (auto& frame : frames) hooks_.transmit(session_, std::move(frame));
}

void Client::finish_step() {
  if (!link_ || !link_->has_credit()) return;
  if (waiting_.connects.empty() && waiting_.releases.empty()) return;
  hooks_.transmit(session_, link_->send(std::exchange(waiting_, {}), 200, world_.now));
}

std::size_t Client::unanswered() const {
  std::size_t count = 0;
  for (const auto& [request, asked] : asked_) count += !asked.outcome;
  return count;
}

}  // namespace xbind::sim
