#include "cmgr/bench/network.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "core/check.hpp"

namespace xbind::cmgr {
namespace {

using std::chrono::microseconds;

constexpr std::uint32_t kWindow = 256;
constexpr std::size_t kOctets = 100;          // wire size that each batch claims
constexpr std::size_t kRoutesAtOnce = 1'024;  // in one reply of RouteObject
constexpr Duration kRouteValidity = std::chrono::hours{1};

// The port that leads to the switch of that number.
PortId port_to(std::uint32_t number) { return PortId{10 + number % Network::kSwitches}; }

Path path_over(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  return {{{Network::switch_name(a), PortId{1}, port_to(b)},
           {Network::switch_name(b), port_to(a), port_to(c)},
           {Network::switch_name(c), port_to(b), PortId{1}}},
          1'000'000'000};
}

std::uint32_t number_of_pair(std::string_view end) {
  std::uint32_t number = 0;
  std::from_chars(end.data() + 1, end.data() + end.size(), number);
  return number;
}

}  // namespace

Network::Network(const Config& config, std::size_t pairs, std::uint64_t seed,
                 StepTimes::Clock clock)
    : times_(clock),
      random_(seed),
      pairs_(pairs),
      limits_(config.switch_session),
      switches_(kSwitches),
      manager_(config, *this) {
  limits_.batches_in_flight = limits_.batches_held_back = kWindow;
  for (std::uint32_t number = 0; number < kSwitches; ++number) {
    numbers_.emplace(switch_name(number), number);
    attach(number, {});
  }
  const auto attached = manager_.attach_client("bench", Epoch{1}, now_);
  XB_CHECK(attached.has_value());
  client_session_ = attached->session;
  client_ = std::make_unique<ClientEnd>(session::Limits{}, now_);
}

// ===== what happens to the network =====

void Network::attach(std::uint32_t number, const std::vector<PortLabels>& quarantined) {
  SwitchSide& side = switches_[number];
  side.session = SessionId{++sessions_};
  side.link = std::make_unique<SwitchEnd>(limits_, now_);
  side.frames.clear();
  step("attached", [&] {
    manager_.switch_attached(switch_name(number), side.session, kWindow, quarantined, now_);
  });
}

void Network::lose(std::uint32_t number) {
  SwitchSide& side = switches_[number];
  side.link.reset();
  step("lost", [&] { manager_.switch_lost(side.session, "the connection broke", now_); });
}

void Network::topology(std::vector<UnusableElement> unusable) {
  unusable_.clear();
  for (const UnusableElement& it : unusable) unusable_.insert(it.element);
  step("news", [&] { manager_.on_topology({++version_, std::move(unusable)}); });
}

// ===== the client =====

ConnectRequest Network::call(std::uint32_t hold_ms) {
  const auto pair = std::to_string(random_() % pairs_);
  ConnectRequest request{next_request(), "a" + pair, "b" + pair,
                         ServiceSpec{ServiceKind::kCells, 100, 10, 0, 0}};
  request.hold_ms = hold_ms;
  return request;
}

void Network::ask(RequestBatch batch) {
  while (!client_->has_credit()) wait(std::chrono::milliseconds{1});
  auto frame = client_->send(std::move(batch), kOctets, now_);
  step("requests", [&] { manager_.on_requests(client_session_, std::move(frame), now_); });
}

void Network::hear_outcomes() {
  while (!outcomes_.empty()) {
    std::vector<std::shared_ptr<const OutcomeBatch>> batches;
    const auto heard = client_->receive(std::move(outcomes_.front()), now_, batches);
    XB_CHECK(heard.has_value());
    outcomes_.pop_front();
    for (const auto& batch : batches) {
      notices += batch->notices.size();
      for (const Outcome& outcome : batch->outcomes) {
        switch (outcome.kind) {
          case OutcomeKind::kConnected:
          case OutcomeKind::kHeld: up.push_back(outcome.connection); break;
          case OutcomeKind::kReleased: ++released; break;
          case OutcomeKind::kModified: ++modified; break;
          default: ++refused;
        }
      }
    }
  }
}

// ===== SwitchServers =====

Label Network::next_label(SwitchSide& side) {
  const std::uint32_t number = side.next_label++;
  return atm_label(number >> 16 & 0xfff, number & 0xffff);
}

HopResult Network::answer(SwitchSide& side, const HopSetup& setup, HopResultBatch& batch) {
  HopResult result;
  result.key = setup.key;
  result.action = setup.commit ? HopAction::kCommit : HopAction::kReserve;
  Label output = setup.output_label;
  if (!output.present() && (!setup.commit || setup.last())) output = next_label(side);
  if (!setup.commit || setup.last()) result.output_label = output;
  if (setup.commit && setup.first()) {
    result.input_label = setup.input_label.present() ? setup.input_label : next_label(side);
  }
  if (!setup.last()) labels_[setup.key] = output;
  if (setup.labels_wanted > 0) {
    PortLabels granted{setup.output_port, {}};
    for (std::uint16_t i = 0; i < setup.labels_wanted; ++i) {
      granted.labels.push_back(next_label(side));
    }
    batch.granted.push_back(std::move(granted));
  }
  return result;
}

void Network::answer(SwitchSide& side, const HopBatch& heard, HopResultBatch& batch) {
  for (const HopModify& change : heard.modifies) {
    HopResult result;
    result.key = change.key;
    result.action = HopAction::kModify;
    result.revision = change.revision;
    batch.results.push_back(result);
  }
  for (const HopSetup& setup : heard.setups) {
    batch.results.push_back(answer(side, setup, batch));
  }
  for (const HopRemoval& removal : heard.removals) {
    HopResult result;
    result.key = removal.key;
    result.action = HopAction::kRemove;
    if (const auto had = labels_.find(removal.key); had != labels_.end()) {
      result.output_label = had->second;
      labels_.erase(had);
    }
    batch.results.push_back(result);
  }
}

bool Network::answer_switches() {
  if (results_held_) return false;
  bool any = false;
  for (SwitchSide& side : switches_) {
    if (!side.link || side.frames.empty() || !side.link->has_credit()) continue;
    HopResultBatch batch;
    while (!side.frames.empty()) {
      std::vector<std::shared_ptr<const HopBatch>> batches;
      const auto heard = side.link->receive(std::move(side.frames.front()), now_, batches);
      XB_CHECK(heard.has_value());
      side.frames.pop_front();
      for (const auto& each : batches) answer(side, *each, batch);
    }
    if (batch.results.empty()) continue;
    any = true;
    auto frame = side.link->send(std::move(batch), kOctets, now_);
    step("results", [&] { manager_.on_results(side.session, std::move(frame), now_); });
  }
  return any;
}

void Network::to_switch(SessionId session, const std::string& name,
                        session::Frame<HopBatch> frame) {
  SwitchSide& side = switches_[numbers_.at(name)];
  if (side.link && side.session == session) side.frames.push_back(std::move(frame));
}

void Network::to_client(SessionId, session::Frame<OutcomeBatch> frame) {
  outcomes_.push_back(std::move(frame));
}

// ===== RouteObject =====

void Network::ask_routes(std::vector<RouteQuery> queries) {
  queries_.insert(queries_.end(), queries.begin(), queries.end());
}

bool Network::usable(const Path& path, const RouteQuery& query) const {
  const auto among = [&](const PathHop& hop, const auto& elements) {
    return std::any_of(elements.begin(), elements.end(), [&](const PathElement& it) {
      return it.switch_name == hop.switch_name &&
             (it.output_port == PortId{} || it.output_port == hop.output_port);
    });
  };
  return std::none_of(path.hops.begin(), path.hops.end(), [&](const PathHop& hop) {
    return among(hop, unusable_) || among(hop, query.avoid);
  });
}

RouteReply Network::route(RouteQuery query) const {
  constexpr std::uint32_t kDetour = 37;
  const std::uint32_t first = number_of_pair(query.from);
  RouteReply reply;
  for (const std::uint32_t middle : {first + 1, first + kDetour}) {
    reply.path = path_over(first, middle, first + 2);
    if (!usable(reply.path, query)) continue;
    reply.query = std::move(query);
    return reply;
  }
  reply.path = {};
  reply.cause = Cause::kLinkDown;
  reply.element = query.from + " -> " + query.to;
  reply.query = std::move(query);
  return reply;
}

bool Network::answer_routes() {
  if (queries_.empty()) return false;
  const std::size_t count = std::min(queries_.size(), kRoutesAtOnce);
  std::vector<RouteReply> replies;
  for (std::size_t i = 0; i < count; ++i) replies.push_back(route(std::move(queries_[i])));
  queries_.erase(queries_.begin(), queries_.begin() + static_cast<std::ptrdiff_t>(count));
  step("routes", [&] { manager_.on_routes(std::move(replies), kRouteValidity, now_); });
  return true;
}

// ===== time =====

void Network::carry() {
  for (bool again = true; again;) {
    again = answer_routes();
    if (answer_switches()) again = true;
    hear_outcomes();
  }
}

void Network::wake() {
  if (manager_.next_deadline() <= now_) step("timers", [&] { manager_.tick(now_); });
  for (SwitchSide& side : switches_) {
    if (!side.link || side.link->next_deadline() > now_) continue;
    std::vector<session::Frame<HopResultBatch>> frames;
    XB_CHECK(side.link->tick(now_, frames).has_value());
    for (auto& frame : frames) {
      step("confirmations", [&] { manager_.on_results(side.session, std::move(frame), now_); });
    }
  }
  if (client_->next_deadline() > now_) return;
  std::vector<session::Frame<RequestBatch>> frames;
  XB_CHECK(client_->tick(now_, frames).has_value());
  for (auto& frame : frames) {
    step("confirmations", [&] { manager_.on_requests(client_session_, std::move(frame), now_); });
  }
}

void Network::wait(Duration time) {
  now_ += time;
  wake();
  hear_outcomes();
}

void Network::settle(Duration time) {
  const TimePoint end = now_ + time;
  while (now_ < end) {
    carry();
    wait(microseconds{200});
  }
  carry();
}

}  // namespace xbind::cmgr
