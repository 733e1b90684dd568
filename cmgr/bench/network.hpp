// All peers of a manager, in memory: a hundred SwitchServers in a ring, RouteObject and one client.
// They answer at once, like a network without faults.
//
// A call of pair p leads over the switches p, p + 1 and p + 2 of the ring. When that path touches
// an unusable element, RouteObject answers with switch p + 37 in the middle.
//
// Not thread-safe.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cmgr/bench/step_times.hpp"
#include "cmgr/connection_manager.hpp"

namespace xbind::cmgr {

class Network : public Peers {
 public:
  static constexpr std::uint32_t kSwitches = 100;

  Network(const Config& config, std::size_t pairs, std::uint64_t seed, StepTimes::Clock clock);

  ConnectionManager& manager() { return manager_; }
  StepTimes& times() { return times_; }
  // Names the kind of the following steps: "setup" counts as "setup: results", "setup: requests",
  // ...
  void begin(std::string what) { what_ = std::move(what); }
  // Times one call into the manager, including the end of its step.
  template <class Call>
  void step(const std::string& event, Call&& call) {
    times_.time(what_ + ": " + event, [&] {
      call();
      manager_.finish_step(now_);
    });
  }

  static std::string switch_name(std::uint32_t number) {
    return "switch-" + std::to_string(number % kSwitches);
  }
  void attach(std::uint32_t number, const std::vector<PortLabels>& quarantined);
  void lose(std::uint32_t number);
  // `unusable` lists every unusable element; it is sent under the next version.
  void topology(std::vector<UnusableElement> unusable);

  // A request for a random pair.
  ConnectRequest call(std::uint32_t hold_ms = 0);
  RequestId next_request() { return RequestId{++requests_}; }
  // Sends one batch of the client.
  void ask(RequestBatch batch);
  // Delivers answers until no peer has anything to send.
  void carry();
  // Advances the time by `time` and runs what is due. Answers are not delivered.
  void wait(Duration time);
  // Advances the time by `time`, delivering answers at every step.
  void settle(Duration time);
  // Holds the results of SwitchServers back, or delivers them again.
  void hold_results(bool hold) { results_held_ = hold; }

  // Connections that are up or held, in the order of their outcomes.
  std::vector<ConnectionId> up;
  std::uint64_t refused = 0;
  std::uint64_t released = 0;
  std::uint64_t modified = 0;
  std::uint64_t notices = 0;
  TimePoint now() const { return now_; }

 private:
  using SwitchEnd = session::Session<HopResultBatch, HopBatch>;
  using ClientEnd = session::Session<RequestBatch, OutcomeBatch>;
  struct SwitchSide {
    SessionId session;
    std::unique_ptr<SwitchEnd> link;
    std::deque<session::Frame<HopBatch>> frames;
    std::uint32_t next_label = 32;
  };
  struct KeyHash {
    std::size_t operator()(const HopKey& key) const {
      const std::uint64_t hop = key.generation.value() * 8 + key.hop;
      return (key.connection.value() * 64 + hop) * 0x9e37'79b9'7f4a'7c15U;
    }
  };

  void to_switch(SessionId session, const std::string& name,
                 session::Frame<HopBatch> frame) override;
  void to_client(SessionId session, session::Frame<OutcomeBatch> frame) override;
  void local_outcome(RequestId, Outcome) override {}
  void ask_routes(std::vector<RouteQuery> queries) override;
  void ask_services(std::vector<ServiceSpec>) override {}
  void invoke(SessionId, const std::string&, HopBatch) override {}
  void attach_switch(const std::string&, AttachTable::Lost) override {}
  void claim_lost(const std::string&) override {}
  void finish_claims(SessionId, const std::string&) override {}
  void switch_session_over(SessionId) override {}
  void client_session_over(SessionId, const SessionEnding&) override {}

  static Label next_label(SwitchSide& side);
  HopResult answer(SwitchSide& side, const HopSetup& setup, HopResultBatch& batch);
  void answer(SwitchSide& side, const HopBatch& heard, HopResultBatch& batch);
  bool answer_switches();
  bool answer_routes();
  void hear_outcomes();
  RouteReply route(RouteQuery query) const;
  bool usable(const Path& path, const RouteQuery& query) const;
  void wake();

  StepTimes times_;
  std::string what_ = "attach";
  TimePoint now_{std::chrono::seconds{1000}};
  std::mt19937_64 random_;
  std::size_t pairs_;
  session::Limits limits_;
  std::vector<SwitchSide> switches_;
  std::unordered_map<std::string, std::uint32_t> numbers_;  // of switches, by name
  std::unordered_map<HopKey, Label, KeyHash> labels_;       // the label at each hop's output
  std::vector<RouteQuery> queries_;
  std::deque<session::Frame<OutcomeBatch>> outcomes_;
  std::unique_ptr<ClientEnd> client_;
  SessionId client_session_;
  std::uint64_t sessions_ = 1'000'000;
  std::uint64_t requests_ = 0;
  std::uint64_t version_ = 0;
  std::set<PathElement> unusable_;
  bool results_held_ = false;
  ConnectionManager manager_;
};

}  // namespace xbind::cmgr
