#include "tests/sim/client.hpp"

#include <fmt/format.h>

#include <type_traits>

namespace xbind::sim {

// ===== sessions =====

void Client::attach_anew() {
  if (gone_) return;
  epoch_ = Epoch{epoch_.value() + 1};
  hooks_.attach(epoch_);
  // Should the answer get lost: ask again.
  world_.after(seconds{5}, [this, of = epoch_] {
    if (of == epoch_ && !link_) attach_anew();
  });
}

void Client::on_attached(Epoch epoch, SessionId session, std::uint32_t window) {
  if (epoch != epoch_ || gone_) return;
  session_ = session;
  link_ = std::make_unique<Link>(session::Limits{}.agreed(window), world_.now);
  waiting_ = {};
  for (const auto& [request, asked] : asked_) {
    if (asked.outcome) continue;
    enqueue(asked.body);
    ++world_.tally["requests repeated"];
  }
  finish_step();
}

void Client::die(Duration for_how_long) {
  if (!link_) return;
  ++world_.tally["client sessions lost"];
  link_.reset();
  session_ = SessionId{};
  has_lost_sessions_ = true;
  for (auto& [request, call] : calls_) call.deaf = true;
  epoch_ = Epoch{epoch_.value() + 1};  // whatever was under way is of yesterday
  world_.after(for_how_long, [this, of = epoch_] {
    if (of == epoch_) attach_anew();
  });
}

void Client::orphaned(bool for_good, bool contracts_known) {
  for (auto& [request, call] : calls_) {
    if (call.state == Call::State::kAsked) continue;
    // What was under way may or may not be done; a hold nobody can commit any more.
    if (!call.quiet() || call.state == Call::State::kHeld) call.state = Call::State::kGone;
    call.orphan = true;
    call.contract_known = call.contract_known && contracts_known;
  }
  die(world_.chance.up_to(seconds{3}));
  gone_ = for_good;
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
  if (waiting_ == RequestBatch{}) return;
  hooks_.transmit(session_, link_->send(std::exchange(waiting_, {}), 200, world_.now));
}

// ===== requests =====

void Client::enqueue(const cmgr::RequestBody& body) {
  std::visit(
      [&](const auto& request) {
        using Body = std::decay_t<decltype(request)>;
        if constexpr (std::is_same_v<Body, ConnectRequest>) waiting_.connects.push_back(request);
        if constexpr (std::is_same_v<Body, ReleaseRequest>) waiting_.releases.push_back(request);
        if constexpr (std::is_same_v<Body, ModifyRequest>) waiting_.modifies.push_back(request);
        if constexpr (std::is_same_v<Body, LeafRequest>) waiting_.leaves.push_back(request);
        if constexpr (std::is_same_v<Body, CommitRequest>) waiting_.commits.push_back(request);
      },
      body);
}

RequestId Client::ask(cmgr::RequestBody body, Call* call) {
  const RequestId request{next_request_++};
  std::visit([&](auto& it) { it.request = request; }, body);
  enqueue(body);
  if (world_.chance.percent(3)) {
    ++world_.tally["requests said twice"];
    enqueue(body);
  }
  Asked& asked = asked_[request];
  asked.body = std::move(body);
  if (call != nullptr) {
    asked.call = call->setup.request;
    asked.contested = !call->quiet();
    for (const RequestId other : call->open) asked_.at(other).contested = true;
    call->open.insert(request);
  }
  return request;
}

void Client::connect(ConnectRequest wanted) {
  if (world_.planted == Planted::kClientReusesRequest && world_.chance.percent(20) &&
      !asked_.empty()) {
    wanted.request = asked_.begin()->first;
    waiting_.connects.push_back(wanted);
    finish_step();
    return;
  }
  const RequestId request = ask(wanted, nullptr);
  asked_[request].call = request;
  Call& call = calls_[request];
  call.setup = std::get<ConnectRequest>(asked_[request].body);
  call.open.insert(request);
  finish_step();
}

void Client::release(Call& call) {
  ask(ReleaseRequest{{}, call.id}, &call);
  ++call.releases;
  finish_step();
}

void Client::modify(Call& call, const ServiceSpec& service,
                    const std::optional<ServiceSpec>& reverse) {
  ask(ModifyRequest{{}, call.id, service, reverse}, &call);
  finish_step();
}

void Client::leaf(Call& call, const std::string& end, bool drop) {
  const RequestId request = ask(LeafRequest{{}, call.id, end, drop}, &call);
  call.had_leaves = true;
  if (const auto there = call.ends.find(end); drop && there != call.ends.end()) {
    asked_[request].dropped = there->second;
    call.ends.erase(there);
  }
  finish_step();
}

void Client::commit(Call& call) {
  ask(CommitRequest{{}, call.id}, &call);
  finish_step();
}

void Client::ask_nonsense(cmgr::RequestBody body) {
  ask(std::move(body), nullptr);
  finish_step();
}

std::size_t Client::unanswered() const {
  std::size_t count = 0;
  for (const auto& [request, asked] : asked_) count += !asked.outcome;
  return gone_ ? 0 : count;
}

}  // namespace xbind::sim
