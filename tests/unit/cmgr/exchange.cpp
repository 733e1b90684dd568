#include "exchange.hpp"

#include <algorithm>
#include <utility>

namespace xbind::cmgr {
namespace {

HopResult with_refusal(HopResult result, Cause cause, PortId port, std::uint64_t asked,
                       std::uint64_t free) {
  result.cause = cause;
  result.port = port;
  result.asked = asked;
  result.free = free;
  return result;
}

HopAction action_of(const HopSetup& setup) {
  return setup.commit ? HopAction::kCommit : HopAction::kReserve;
}

}  // namespace

HopResult done(const HopKey& key, HopAction action) {
  HopResult result;
  result.key = key;
  result.action = action;
  return result;
}

HopResult done(const HopSetup& setup, Label allotted) {
  HopResult result = done(setup.key, action_of(setup));
  const std::uint32_t leg = setup.key.leg;
  const auto at_end = [](Label named, Label allotted_there) {
    return named.present() ? named : allotted_there;
  };
  if (setup.commit && setup.first()) result.input_label = at_end(setup.input_label, vci(500 + leg));
  if (setup.commit && setup.last())
    result.output_label = at_end(setup.output_label, vci(600 + leg));
  if (allotted.present()) result.output_label = allotted;
  return result;
}

HopResult refused(const HopSetup& setup, Cause cause, PortId port, std::uint64_t asked,
                  std::uint64_t free) {
  return with_refusal(done(setup.key, action_of(setup)), cause, port, asked, free);
}

HopResult done(const HopModify& change) {
  HopResult result = done(change.key, HopAction::kModify);
  result.revision = change.revision;
  return result;
}

HopResult refused(const HopModify& change, Cause cause, PortId port, std::uint64_t asked,
                  std::uint64_t free) {
  return with_refusal(done(change), cause, port, asked, free);
}

HopResult removed(const HopRemoval& removal, Label resting) {
  HopResult result = done(removal.key, HopAction::kRemove);
  result.output_label = resting;
  return result;
}

HopResult not_removed(const HopRemoval& removal) {
  HopResult result = done(removal.key, HopAction::kRemove);
  result.cause = Cause::kSwitchUnreachable;
  return result;
}

ExchangeTest::ExchangeTest() { config.label_cache_target = 1; }

ExchangeTest::~ExchangeTest() = default;

void ExchangeTest::start(bool fresh) {
  manager_ = std::make_unique<ConnectionManager>(config, *this);
  if (fresh) manager_->set_network({}, {}, now);
  limits_ = config.switch_session;
}

void ExchangeTest::start_with_labels(std::vector<Label> at_sw1, std::vector<Label> at_sw2) {
  attach_all();
  answer("sw1", {}, {{PortId{10}, std::move(at_sw1)}});
  answer("sw2", {}, {{PortId{21}, std::move(at_sw2)}});
}

void ExchangeTest::attach_all() {
  if (!manager_) start();
  for (const char* name : {"sw1", "sw2", "sw3"}) attach(name);
  log_in("mia");
  learn_route();
}

void ExchangeTest::attach(const std::string& name, const std::vector<PortLabels>& quarantined,
                          std::uint32_t window) {
  SwitchSide& side = switches_[name];
  side = {};
  side.session = SessionId{++sessions_};
  session::Limits limits = limits_;
  limits.batches_in_flight = limits.batches_held_back = window;
  side.link = std::make_unique<SwitchEnd>(limits, now);
  manager().switch_attached(name, side.session, window, quarantined, now);
  finish();
}

SessionId ExchangeTest::log_in(const std::string& name, std::uint64_t epoch) {
  const auto attached = manager().attach_client(name, Epoch{epoch}, now);
  EXPECT_TRUE(attached.has_value()) << attached.error().text;
  clients_[name] = {};
  clients_[name].session = attached.value().session;
  clients_[name].link = std::make_unique<ClientEnd>(session::Limits{}, now);
  finish();
  return attached.value().session;
}

Path ExchangeTest::path() {
  return {{{"sw1", PortId{1}, PortId{10}},
           {"sw2", PortId{20}, PortId{21}},
           {"sw3", PortId{30}, PortId{2}}},
          10'000};
}

Path ExchangeTest::path_to(const std::string& end) {
  const PathHop one{"sw1", PortId{1}, PortId{10}};
  const PathHop two{"sw2", PortId{20}, PortId{22}};
  if (end == "dan") return {{{"sw1", PortId{1}, PortId{3}}}, 10'000};
  if (end == "guy") return {{one, {"sw2", PortId{20}, PortId{23}}}, 10'000};
  if (end == "eve") return {{one, two, {"sw4", PortId{40}, PortId{2}}}, 10'000};
  if (end == "fay") return {{one, two, {"sw4", PortId{40}, PortId{3}}}, 10'000};
  return path();
}

Path ExchangeTest::detour() {
  return {{{"sw1", PortId{1}, PortId{11}},
           {"sw5", PortId{50}, PortId{51}},
           {"sw3", PortId{31}, PortId{2}}},
          10'000};
}

RouteReply ExchangeTest::found(const RouteQuery& query, Path way) {
  RouteReply reply;
  reply.query = query;
  reply.path = std::move(way);
  return reply;
}

RouteReply ExchangeTest::none(const RouteQuery& query, Cause cause, const std::string& element,
                              std::uint64_t free) {
  RouteReply reply;
  reply.query = query;
  reply.cause = cause;
  reply.element = element;
  reply.free = free;
  return reply;
}

void ExchangeTest::learn_route(const std::string& to) { route(found({"ann", to, 1}, path_to(to))); }

void ExchangeTest::route(RouteReply reply) {
  manager().on_routes({std::move(reply)}, seconds{3600}, now);
  finish();
}

void ExchangeTest::ask(const std::string& client, RequestBatch batch) {
  ClientSide& side = clients_.at(client);
  manager().on_requests(side.session, side.link->send(std::move(batch), 100, now), now);
  finish();
}

ServiceSpec ExchangeTest::cells(std::uint64_t cells_per_s, std::uint64_t buffer_cells) {
  return {ServiceKind::kCells, cells_per_s, buffer_cells, 0, 0};
}

ConnectRequest ExchangeTest::call(std::uint64_t request, std::uint64_t cells_per_s) {
  return {RequestId{request}, "ann", "bob", cells(cells_per_s)};
}

void ExchangeTest::connect(std::uint64_t request, const std::string& client) {
  ask(client, {{call(request)}, {}});
}

void ExchangeTest::release(std::uint64_t request, ConnectionId connection,
                           const std::string& client) {
  ask(client, {{}, {{RequestId{request}, connection}}});
}

void ExchangeTest::modify(std::uint64_t request, ConnectionId connection,
                          const ServiceSpec& service, const std::optional<ServiceSpec>& reverse) {
  ask("mia", {{}, {}, {{RequestId{request}, connection, service, reverse}}});
}

void ExchangeTest::add_leaf(std::uint64_t request, ConnectionId connection,
                            const std::string& end) {
  ask("mia", {{}, {}, {}, {{RequestId{request}, connection, end, false}}});
}

void ExchangeTest::drop_leaf(std::uint64_t request, ConnectionId connection,
                             const std::string& end) {
  ask("mia", {{}, {}, {}, {{RequestId{request}, connection, end, true}}});
}

void ExchangeTest::hold(std::uint64_t request, std::uint32_t hold_ms) {
  ConnectRequest held = call(request);
  held.hold_ms = hold_ms;
  ask("mia", {{held}, {}});
}

void ExchangeTest::commit(std::uint64_t request, ConnectionId connection) {
  ask("mia", {{}, {}, {}, {}, {{RequestId{request}, connection}}});
}

void ExchangeTest::answer(const std::string& name, std::vector<HopResult> results,
                          std::vector<PortLabels> granted) {
  say(name, {std::move(results), std::move(granted)});
}

void ExchangeTest::say(const std::string& name, HopResultBatch batch) {
  SwitchSide& side = switches_.at(name);
  manager().on_results(side.session, side.link->send(std::move(batch), 100, now), now);
  finish();
}

std::vector<HopResult> ExchangeTest::all_done(const HopBatch& heard) {
  std::vector<HopResult> results;
  for (const HopModify& change : heard.modifies) results.push_back(done(change));
  for (const HopSetup& setup : heard.setups) {
    const bool allot = !setup.commit && !setup.last() && !setup.output_label.present();
    const Label reserved = allot ? vci(next_label_++) : setup.output_label;
    results.push_back(done(setup, setup.commit ? Label{} : reserved));
  }
  for (const HopRemoval& removal : heard.removals) results.push_back(removed(removal));
  return results;
}

void ExchangeTest::all_done(const std::string& name) { answer(name, all_done(take(name))); }

void ExchangeTest::answer_all_switches() {
  for (bool again = true; again;) {
    again = false;
    for (const auto& [name, side] : switches_) {
      if (silent(name)) continue;
      all_done(name);
      again = true;
    }
  }
}

void ExchangeTest::lose(const std::string& name) {
  manager().switch_lost(switches_.at(name).session, "the connection broke", now);
  finish();
}

HopBatch ExchangeTest::take(const std::string& name) {
  switches_.at(name).batches = 0;
  HopBatch heard = std::exchange(switches_.at(name).heard, {});
  owners_ = heard.owners;
  return heard;
}

HopSetup ExchangeTest::setup(const std::string& name) {
  const HopBatch heard = take(name);
  EXPECT_EQ(heard.setups.size(), 1U) << name;
  EXPECT_TRUE(heard.removals.empty()) << name;
  return heard.setups.empty() ? HopSetup{} : heard.setups.front();
}

HopRemoval ExchangeTest::removal(const std::string& name) {
  const HopBatch heard = take(name);
  EXPECT_EQ(heard.removals.size(), 1U) << name;
  EXPECT_TRUE(heard.setups.empty()) << name;
  return heard.removals.empty() ? HopRemoval{} : heard.removals.front();
}

HopOwner ExchangeTest::owner(const HopSetup& setup) const { return owners_.at(setup.owner); }

bool ExchangeTest::silent(const std::string& name) const {
  const HopBatch& heard = switches_.at(name).heard;
  return heard.commands() == 0;
}

std::vector<Outcome> ExchangeTest::reported(const std::string& client) {
  return std::exchange(clients_.at(client).reported, {});
}

Outcome ExchangeTest::outcome(const std::string& client) {
  const auto outcomes = reported(client);
  EXPECT_EQ(outcomes.size(), 1U);
  return outcomes.empty() ? Outcome{} : outcomes.front();
}

std::vector<Notice> ExchangeTest::noticed(const std::string& client) {
  return std::exchange(clients_.at(client).noticed, {});
}

HopModify ExchangeTest::change(const std::string& name) {
  const HopBatch heard = take(name);
  EXPECT_EQ(heard.modifies.size(), 1U) << name;
  EXPECT_EQ(heard.commands(), heard.modifies.size()) << name;
  return heard.modifies.empty() ? HopModify{} : heard.modifies.front();
}

std::vector<ServiceSpec> ExchangeTest::take_service_queries() {
  return std::exchange(services_, {});
}

void ExchangeTest::reply(const Invocation& asked, Result<HopResultBatch> results) {
  manager().on_invoked(asked.session, asked.batch, results, now);
  finish();
}

void ExchangeTest::reply(const Invocation& asked) {
  reply(asked, HopResultBatch{all_done(asked.batch), {}});
}

std::vector<ExchangeTest::Invocation> ExchangeTest::invocations() {
  return std::exchange(invoked_, {});
}

std::vector<RouteQuery> ExchangeTest::take_route_queries() { return std::exchange(asked_, {}); }

std::vector<std::string> ExchangeTest::take_attach_requests() {
  return std::exchange(attaching_, {});
}

std::vector<std::pair<PortId, Label>> ExchangeTest::cached(const std::string& name) {
  return manager().view_of(name).cached;
}

ConnectionId ExchangeTest::connected(std::uint64_t request) {
  connect(request);
  for (const char* name : {"sw1", "sw2", "sw3"}) all_done(name);
  const Outcome answer = outcome();
  EXPECT_EQ(answer.kind, OutcomeKind::kConnected) << explain(answer);
  return answer.connection;
}

void ExchangeTest::expect_nothing_left() {
  EXPECT_EQ(manager().gauges().connections, 0U);
  EXPECT_EQ(manager().gauges().owed, 0U);
  EXPECT_EQ(manager().gauges().under_way, 0U) << "a slot of the gate";
  EXPECT_EQ(manager().call_times().size(), 0U) << "times of a call";
  wait(Aggregator::kReturnDelay);
  for (const std::string& name : manager().switch_names()) {
    const ManagerView view = manager().view_of(name);
    EXPECT_TRUE(view.hops.empty()) << name;
    EXPECT_EQ(view.labels, view.cached) << name << ": a label outside the caches is lost";
  }
  for (const CacheState& cache : manager().caches(100, now)) {
    const bool quota = cache.kind == CacheKind::kQuota;
    EXPECT_EQ(quota ? cache.wanted : 0U, 0U) << cache.element << ": booked";
  }
}

bool ExchangeTest::leaves_no_trace(const std::string& client) {
  wait(milliseconds{50});  // its confirmations
  manager().detach_client(clients_.at(client).session);
  clients_.erase(client);
  // If the manager remembers the client, it fences off an epoch below the last one.
  return manager().attach_client(client, Epoch{0}, now).has_value();
}

void ExchangeTest::wait(Duration time) {
  const TimePoint end = now + time;
  for (int steps = 0;;) {
    TimePoint next = manager().next_deadline();
    for (auto& [name, side] : switches_) {
      if (side.link) next = std::min(next, side.link->next_deadline());
    }
    for (auto& [name, side] : clients_) {
      if (side.link) next = std::min(next, side.link->next_deadline());
    }
    if (next > end) break;
    steps = next > now ? 0 : steps + 1;
    ASSERT_LT(steps, kStepsAtOnce) << "somebody spins: a deadline stays in the past";
    now = std::max(now, next);
    manager().tick(now);
    finish();
    wake_others();
  }
  now = end;
}

void ExchangeTest::finish() {
  manager().finish_step(now);
  carry();
  settle();
}

void ExchangeTest::settle() {
  for (int steps = 0; manager().next_deadline() <= now; ++steps) {
    if (steps == kStepsAtOnce) {
      ADD_FAILURE() << "the manager spins: after " << steps
                    << " steps at one moment its next deadline is still not in the future";
      return;
    }
    manager().tick(now);
    manager().finish_step(now);
    carry();
  }
}

void ExchangeTest::to_switch(SessionId session, const std::string& name,
                             session::Frame<HopBatch> frame) {
  to_switches_.push_back({session, name, std::move(frame)});
}

void ExchangeTest::to_client(SessionId session, session::Frame<OutcomeBatch> frame) {
  to_clients_.emplace_back(session, std::move(frame));
}

void ExchangeTest::local_outcome(RequestId token, Outcome outcome) {
  local_.emplace_back(token, std::move(outcome));
}

void ExchangeTest::ask_routes(std::vector<RouteQuery> queries) {
  asked_.insert(asked_.end(), queries.begin(), queries.end());
}

void ExchangeTest::ask_services(std::vector<ServiceSpec> services) {
  services_.insert(services_.end(), services.begin(), services.end());
}

void ExchangeTest::invoke(SessionId session, const std::string& name, HopBatch batch) {
  invoked_.push_back({session, name, std::move(batch)});
}

void ExchangeTest::attach_switch(const std::string& name, AttachTable::Lost lost) {
  attaching_.push_back(name);
  lost_by_[name] = lost;
}

void ExchangeTest::carry() {
  for (auto& [session, name, frame] : std::exchange(to_switches_, {})) {
    SwitchSide& side = switches_[name];
    if (side.deaf || side.session != session) continue;
    std::vector<std::shared_ptr<const HopBatch>> batches;
    ASSERT_TRUE(side.link->receive(frame, now, batches).has_value());
    for (const auto& batch : batches) {
      ++side.batches;
      const auto add = [](auto& to, const auto& from) {
        to.insert(to.end(), from.begin(), from.end());
      };
      const auto owners_before = static_cast<std::uint32_t>(side.heard.owners.size());
      add(side.heard.owners, batch->owners);
      const std::size_t setups_before = side.heard.setups.size();
      add(side.heard.setups, batch->setups);
      for (std::size_t i = setups_before; i < side.heard.setups.size(); ++i) {
        side.heard.setups[i].owner += owners_before;
      }
      add(side.heard.removals, batch->removals);
      add(side.heard.returned, batch->returned);
      add(side.heard.modifies, batch->modifies);
      add(side.heard.quota_returned, batch->quota_returned);
      add(side.heard.declared, batch->declared);
      add(side.heard.traced, batch->traced);
    }
  }
  for (auto& [session, frame] : std::exchange(to_clients_, {})) {
    for (auto& [name, side] : clients_) {
      if (side.session != session || side.deaf || !side.link) continue;
      std::vector<std::shared_ptr<const OutcomeBatch>> batches;
      ASSERT_TRUE(side.link->receive(frame, now, batches).has_value());
      for (const auto& batch : batches) {
        side.reported.insert(side.reported.end(), batch->outcomes.begin(), batch->outcomes.end());
        side.noticed.insert(side.noticed.end(), batch->notices.begin(), batch->notices.end());
      }
    }
  }
}

void ExchangeTest::wake_others() {
  for (auto& [name, side] : switches_) {
    if (!side.link || side.link->next_deadline() > now) continue;
    std::vector<session::Frame<HopResultBatch>> frames;
    if (!side.link->tick(now, frames)) side.link.reset();
    for (auto& frame : frames) {
      if (!side.deaf) manager().on_results(side.session, frame, now);
    }
    finish();
  }
  for (auto& [name, side] : clients_) {
    if (!side.link || side.link->next_deadline() > now) continue;
    std::vector<session::Frame<RequestBatch>> frames;
    if (!side.link->tick(now, frames)) side.link.reset();
    for (auto& frame : frames) {
      if (!side.deaf) manager().on_requests(side.session, frame, now);
    }
    finish();
  }
}

}  // namespace xbind::cmgr
