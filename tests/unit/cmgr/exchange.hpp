// A ConnectionManager and everybody it talks to, for tests that read like the exchange: the test
// hands on every answer itself, and what the manager says is taken from the wire by name.
//
//     ann ─1[sw1]10══20[sw2]21══30[sw3]2─ bob         three switches with the ports that a call
//     uses
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cmgr/connection_manager.hpp"

namespace xbind::cmgr {

using std::chrono::milliseconds;
using std::chrono::seconds;

inline Label vci(std::uint32_t value) { return atm_label(0, value); }

inline HopResult done(const HopKey& key, HopAction action) {
  HopResult result;
  result.key = key;
  result.action = action;
  return result;
}
// Done, with what the SwitchServer allots: ingress and egress labels, or the one reserved.
inline HopResult done(const HopSetup& setup, Label allotted = {}) {
  HopResult result = done(setup.key, setup.commit ? HopAction::kCommit : HopAction::kReserve);
  if (setup.commit && setup.first()) result.input_label = vci(500);
  if (setup.commit && setup.last()) result.output_label = vci(600);
  if (allotted.present()) result.output_label = allotted;
  return result;
}
inline HopResult refused(const HopSetup& setup, Cause cause, PortId port = {},
                         std::uint64_t asked = 0, std::uint64_t free = 0) {
  HopResult result = done(setup.key, setup.commit ? HopAction::kCommit : HopAction::kReserve);
  result.cause = cause;
  result.port = port;
  result.asked = asked;
  result.free = free;
  return result;
}
// Removed; `resting`: the label that lies in quarantine since.
inline HopResult removed(const HopRemoval& removal, Label resting = {}) {
  HopResult result = done(removal.key, HopAction::kRemove);
  result.output_label = resting;
  return result;
}
inline HopResult not_removed(const HopRemoval& removal) {
  HopResult result = done(removal.key, HopAction::kRemove);
  result.cause = Cause::kSwitchUnreachable;
  return result;
}

class ExchangeTest : public ::testing::Test, public Peers {
 protected:
  using SwitchEnd = session::Session<HopResultBatch, HopBatch>;
  using ClientEnd = session::Session<RequestBatch, OutcomeBatch>;

  struct SwitchSide {
    SessionId session;
    std::unique_ptr<SwitchEnd> link;
    HopBatch heard;     // since the last take
    int batches = 0;    // messages with commands or labels, the same
    bool deaf = false;  // frames to it are lost
  };
  struct ClientSide {
    SessionId session;
    std::unique_ptr<ClientEnd> link;
    std::vector<Outcome> told;  // since the last take
    bool deaf = false;
  };

  ExchangeTest() { config.label_cache_target = 1; }

  void start() {
    manager_ = std::make_unique<ConnectionManager>(config, *this);
    limits_ = config.switch_session;
  }
  // With labels in the caches of sw1 and sw2, or without; ann's route known.
  void start_with_labels(std::vector<Label> at_sw1, std::vector<Label> at_sw2) {
    attach_all();
    answer("sw1", {}, {{PortId{10}, std::move(at_sw1)}});
    answer("sw2", {}, {{PortId{21}, std::move(at_sw2)}});
  }
  void attach_all() {
    if (!manager_) start();
    for (const char* name : {"sw1", "sw2", "sw3"}) attach(name);
    log_in("mia");
    learn_route();
  }
  void attach(const std::string& name, const std::vector<PortLabels>& quarantined = {},
              std::uint32_t window = 256) {
    SwitchSide& side = switches_[name];
    side = {};
    side.session = SessionId{++sessions_};
    session::Limits limits = limits_;
    limits.batches_in_flight = limits.batches_held_back = window;
    side.link = std::make_unique<SwitchEnd>(limits, now);
    manager().switch_attached(name, side.session, window, quarantined, now);
    finish();
  }
  SessionId log_in(const std::string& name, std::uint64_t epoch = 1) {
    const auto attached = manager().attach_client(name, Epoch{epoch}, now);
    EXPECT_TRUE(attached.has_value()) << attached.error().text;
    clients_[name] = {};
    clients_[name].session = attached->session;
    clients_[name].link = std::make_unique<ClientEnd>(session::Limits{}, now);
    finish();
    return attached->session;
  }
  static Path path() {
    return {{{"sw1", PortId{1}, PortId{10}},
             {"sw2", PortId{20}, PortId{21}},
             {"sw3", PortId{30}, PortId{2}}},
            10'000};
  }
  static RouteReply found(const RouteQuery& query) {
    RouteReply reply;
    reply.query = query;
    reply.path = path();
    return reply;
  }
  void learn_route() {
    manager().on_routes({found({"ann", "bob", 1})}, seconds{3600}, now);
    finish();
  }

  // --- what they say to the manager
  void ask(const std::string& client, RequestBatch batch) {
    ClientSide& side = clients_.at(client);
    manager().on_requests(side.session, side.link->send(std::move(batch), 100, now), now);
    finish();
  }
  static ConnectRequest call(std::uint64_t request, std::uint64_t cells_per_s = 100) {
    return {RequestId{request}, "ann", "bob", {ServiceKind::kCells, cells_per_s, 10, 0, 0}};
  }
  void connect(std::uint64_t request, const std::string& client = "mia") {
    ask(client, {{call(request)}, {}});
  }
  void release(std::uint64_t request, ConnectionId connection, const std::string& client = "mia") {
    ask(client, {{}, {{RequestId{request}, connection}}});
  }
  void answer(const std::string& name, std::vector<HopResult> results,
              std::vector<PortLabels> granted = {}) {
    SwitchSide& side = switches_.at(name);
    HopResultBatch batch{std::move(results), std::move(granted)};
    manager().on_results(side.session, side.link->send(std::move(batch), 100, now), now);
    finish();
  }
  // Everything the switch has heard and not answered: done.
  void all_done(const std::string& name) {
    std::vector<HopResult> results;
    const HopBatch heard = take(name);
    for (const HopSetup& setup : heard.setups) results.push_back(done(setup));
    for (const HopRemoval& removal : heard.removals) results.push_back(removed(removal));
    answer(name, std::move(results));
  }
  void lose(const std::string& name) {
    manager().switch_lost(switches_.at(name).session, "the connection broke", now);
    finish();
  }

  // --- what the manager says
  HopBatch take(const std::string& name) {
    switches_.at(name).batches = 0;
    return std::exchange(switches_.at(name).heard, {});
  }
  HopSetup setup(const std::string& name) {
    const HopBatch heard = take(name);
    EXPECT_EQ(heard.setups.size(), 1U) << name;
    EXPECT_TRUE(heard.removals.empty()) << name;
    return heard.setups.empty() ? HopSetup{} : heard.setups.front();
  }
  HopRemoval removal(const std::string& name) {
    const HopBatch heard = take(name);
    EXPECT_EQ(heard.removals.size(), 1U) << name;
    EXPECT_TRUE(heard.setups.empty()) << name;
    return heard.removals.empty() ? HopRemoval{} : heard.removals.front();
  }
  bool silent(const std::string& name) const {
    const HopBatch& heard = switches_.at(name).heard;
    return heard.commands() == 0;
  }
  std::vector<Outcome> told(const std::string& client = "mia") {
    return std::exchange(clients_.at(client).told, {});
  }
  Outcome outcome(const std::string& client = "mia") {
    const auto outcomes = told(client);
    EXPECT_EQ(outcomes.size(), 1U);
    return outcomes.empty() ? Outcome{} : outcomes.front();
  }
  std::vector<RouteQuery> asked_routes() { return std::exchange(asked_, {}); }
  std::vector<std::string> asked_to_attach() { return std::exchange(attaching_, {}); }
  std::vector<std::pair<PortId, Label>> cached(const std::string& name) {
    return manager().view_of(name).cached;
  }

  // A call of mia's that is up; the caches must have labels.
  ConnectionId connected(std::uint64_t request) {
    connect(request);
    for (const char* name : {"sw1", "sw2", "sw3"}) all_done(name);
    const Outcome answer = outcome();
    EXPECT_EQ(answer.kind, OutcomeKind::kConnected) << explain(answer);
    return answer.connection;
  }

  // Time passes; everybody wakes at his deadlines. Frames go through unless somebody is deaf.
  void wait(Duration time) {
    const TimePoint end = now + time;
    for (;;) {
      TimePoint next = manager().next_deadline();
      for (auto& [name, side] : switches_) {
        if (side.link) next = std::min(next, side.link->next_deadline());
      }
      for (auto& [name, side] : clients_) {
        if (side.link) next = std::min(next, side.link->next_deadline());
      }
      if (next > end) break;
      now = std::max(now, next);
      manager().tick(now);
      finish();
      wake_others();
    }
    now = end;
  }

  ConnectionManager& manager() { return *manager_; }
  void finish() {
    manager().finish_step(now);
    carry();
  }

  Config config;
  TimePoint now{seconds{1000}};
  std::map<std::string, SwitchSide> switches_;
  std::map<std::string, ClientSide> clients_;
  std::vector<std::pair<RequestId, Outcome>> local_;

 private:
  void to_switch(SessionId session, const std::string& name,
                 session::Frame<HopBatch> frame) override {
    to_switches_.push_back({session, name, std::move(frame)});
  }
  void to_client(SessionId session, session::Frame<OutcomeBatch> frame) override {
    to_clients_.emplace_back(session, std::move(frame));
  }
  void local_outcome(RequestId token, Outcome outcome) override {
    local_.emplace_back(token, std::move(outcome));
  }
  void ask_routes(std::vector<RouteQuery> queries) override {
    asked_.insert(asked_.end(), queries.begin(), queries.end());
  }
  void attach_switch(const std::string& name) override { attaching_.push_back(name); }

  void carry() {
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
        add(side.heard.setups, batch->setups);
        add(side.heard.removals, batch->removals);
        add(side.heard.returned, batch->returned);
      }
    }
    for (auto& [session, frame] : std::exchange(to_clients_, {})) {
      for (auto& [name, side] : clients_) {
        if (side.session != session || side.deaf || !side.link) continue;
        std::vector<std::shared_ptr<const OutcomeBatch>> batches;
        ASSERT_TRUE(side.link->receive(frame, now, batches).has_value());
        for (const auto& batch : batches) {
          side.told.insert(side.told.end(), batch->outcomes.begin(), batch->outcomes.end());
        }
      }
    }
  }
  void wake_others() {
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

  struct ToSwitch {
    SessionId session;
    std::string name;
    session::Frame<HopBatch> frame;
  };
  std::unique_ptr<ConnectionManager> manager_;
  session::Limits limits_;
  std::uint64_t sessions_ = 100;
  std::vector<ToSwitch> to_switches_;
  std::vector<std::pair<SessionId, session::Frame<OutcomeBatch>>> to_clients_;
  std::vector<RouteQuery> asked_;
  std::vector<std::string> attaching_;
};

}  // namespace xbind::cmgr
