// A ConnectionManager and all its peers, for tests that read like the exchange. The test delivers
// every answer itself, and takes the manager's messages from the wire by the name of the receiver.
//
//     ann ─1[sw1]10══20[sw2]21══30[sw3]2─ bob
//
// These are three switches, with the ports that a call uses. Some tests also attach leaves at sw1
// (dan, port 3), at sw2 (guy, port 23) and beyond:
//
//     sw2 22══40[sw4]2─ eve, 3─ fay
//
// Others use a second path to bob: sw1 11══50[sw5]51══31 sw3.
//
// The clients are bare sessions, not client::Requesters. A test must see every outcome that the
// manager sends, including repeats. It must also be able to act as no Requester does: out of order,
// deaf, with an old epoch, with the number of another request.
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

HopResult done(const HopKey& key, HopAction action);
// The hop is done. `allotted` is the label that the SwitchServer has reserved. A committed first
// hop gets an ingress label, a committed last hop an egress label: the one that it names, if any.
HopResult done(const HopSetup& setup, Label allotted = {});
HopResult refused(const HopSetup& setup, Cause cause, PortId port = {}, std::uint64_t asked = 0,
                  std::uint64_t free = 0);
HopResult done(const HopModify& change);
HopResult refused(const HopModify& change, Cause cause, PortId port = {}, std::uint64_t asked = 0,
                  std::uint64_t free = 0);
// The hop is removed. `resting`: the label that enters quarantine with the removal.
HopResult removed(const HopRemoval& removal, Label resting = {});
HopResult not_removed(const HopRemoval& removal);

class ExchangeTest : public ::testing::Test, public Peers {
 protected:
  using SwitchEnd = session::Session<HopResultBatch, HopBatch>;
  using ClientEnd = session::Session<RequestBatch, OutcomeBatch>;

  struct SwitchSide {
    SessionId session;
    std::unique_ptr<SwitchEnd> link;
    HopBatch heard;     // commands received since the last take()
    int batches = 0;    // messages with commands or labels, since the last take()
    bool deaf = false;  // frames to this switch are lost
  };
  struct ClientSide {
    SessionId session;
    std::unique_ptr<ClientEnd> link;
    std::vector<Outcome> reported;  // since the last reported()
    std::vector<Notice> noticed;    // since the last noticed()
    bool deaf = false;
  };

  ExchangeTest();
  ~ExchangeTest() override;

  // `fresh`: there is no earlier epoch whose hops are to be read.
  void start(bool fresh = true);
  // Starts with these labels (possibly none) in the caches of sw1 and sw2, and ann's route cached.
  void start_with_labels(std::vector<Label> at_sw1, std::vector<Label> at_sw2);
  void attach_all();
  void attach(const std::string& name, const std::vector<PortLabels>& quarantined = {},
              std::uint32_t window = 256);
  SessionId log_in(const std::string& name, std::uint64_t epoch = 1);
  static Path path();
  // From ann to each of the endpoints in the picture.
  static Path path_to(const std::string& end);
  // To bob without sw2.
  static Path detour();
  static RouteReply found(const RouteQuery& query, Path way = path());
  static RouteReply none(const RouteQuery& query, Cause cause, const std::string& element,
                         std::uint64_t free = 0);
  void learn_route(const std::string& to = "bob");
  // RouteObject's answer.
  void route(RouteReply reply);

  // --- messages to the manager
  void ask(const std::string& client, RequestBatch batch);
  static ServiceSpec cells(std::uint64_t cells_per_s, std::uint64_t buffer_cells = 10);
  static ConnectRequest call(std::uint64_t request, std::uint64_t cells_per_s = 100);
  void connect(std::uint64_t request, const std::string& client = "mia");
  void release(std::uint64_t request, ConnectionId connection, const std::string& client = "mia");
  void modify(std::uint64_t request, ConnectionId connection, const ServiceSpec& service,
              const std::optional<ServiceSpec>& reverse = {});
  void add_leaf(std::uint64_t request, ConnectionId connection, const std::string& end);
  void drop_leaf(std::uint64_t request, ConnectionId connection, const std::string& end);
  void hold(std::uint64_t request, std::uint32_t hold_ms);
  void commit(std::uint64_t request, ConnectionId connection);
  void answer(const std::string& name, std::vector<HopResult> results,
              std::vector<PortLabels> granted = {});
  void say(const std::string& name, HopResultBatch batch);
  // Results that report every command as done. A reservation without a
  // label gets the next unused one.
  std::vector<HopResult> all_done(const HopBatch& heard);
  // Answers every pending command of the switch with "done".
  void all_done(const std::string& name);
  // All switches answer until no command is pending.
  void answer_all_switches();
  void lose(const std::string& name);

  // --- messages from the manager
  HopBatch take(const std::string& name);
  HopSetup setup(const std::string& name);
  // The owner of that setup; searched in the commands that were taken last.
  HopOwner owner(const HopSetup& setup) const;
  HopRemoval removal(const std::string& name);
  bool silent(const std::string& name) const;
  std::vector<Outcome> reported(const std::string& client = "mia");
  Outcome outcome(const std::string& client = "mia");
  std::vector<Notice> noticed(const std::string& client = "mia");
  HopModify change(const std::string& name);
  std::vector<ServiceSpec> take_service_queries();
  // Two-way invocations that wait for their answer, oldest first.
  struct Invocation {
    SessionId session;
    std::string name;
    HopBatch batch;
  };
  // Answers the invocation; an error as `results` means that the invocation failed.
  void reply(const Invocation& asked, Result<HopResultBatch> results);
  void reply(const Invocation& asked);
  std::vector<Invocation> invocations();
  std::vector<RouteQuery> take_route_queries();
  std::vector<std::string> take_attach_requests();
  // Why the manager requested its latest attachment to this switch.
  AttachTable::Lost how_lost(const std::string& name) const { return lost_by_.at(name); }
  std::vector<std::pair<PortId, Label>> cached(const std::string& name);

  // Sets up a call of mia; the caches must have labels.
  ConnectionId connected(std::uint64_t request);

  // Expects that an ended call has left nothing but labels in caches. Waits
  // for messages that are in flight.
  void expect_nothing_left();
  // Ends the client's session; true if the manager then remembers nothing about the client.
  bool leaves_no_trace(const std::string& client = "mia");

  // Advances the clock; every party runs at its deadlines. Frames
  // arrive unless the receiver is deaf.
  void wait(Duration time);

  ConnectionManager& manager() { return *manager_; }
  void finish();

  Config config;
  TimePoint now{seconds{1000}};
  std::map<std::string, SwitchSide> switches_;
  std::vector<HopOwner> owners_;  // of the commands that were taken last
  std::map<std::string, ClientSide> clients_;
  std::vector<std::pair<RequestId, Outcome>> local_;
  // Sessions that the manager has reported as over.
  std::vector<SessionId> ended_switch_sessions_;
  std::vector<std::string> let_go;       // switches
  std::vector<std::string> asked_lost;   // switches, claim_lost()
  std::vector<std::string> claims_done;  // switches, finish_claims()
  SessionId claims_done_in;              // the last time
  std::vector<SessionId> ended_client_sessions_;
  SessionEnding last_ending_;  // the ending of the last session that is over

 private:
  void to_switch(SessionId session, const std::string& name,
                 session::Frame<HopBatch> frame) override;
  void to_client(SessionId session, session::Frame<OutcomeBatch> frame) override;
  void local_outcome(RequestId token, Outcome outcome) override;
  void ask_routes(std::vector<RouteQuery> queries) override;
  void ask_services(std::vector<ServiceSpec> services) override;
  void invoke(SessionId session, const std::string& name, HopBatch batch) override;
  void attach_switch(const std::string& name, AttachTable::Lost lost) override;
  void claim_lost(const std::string& name) override { asked_lost.push_back(name); }
  void finish_claims(SessionId session, const std::string& name) override {
    claims_done.push_back(name);
    claims_done_in = session;
  }
  void let_go_of_switch(const std::string& name) override { let_go.push_back(name); }
  void switch_session_over(SessionId session) override {
    ended_switch_sessions_.push_back(session);
  }
  void client_session_over(SessionId session, const SessionEnding& ending) override {
    ended_client_sessions_.push_back(session);
    last_ending_ = ending;
  }

  void carry();
  // As the daemon, runs the manager until its next deadline is in the future. Fails the test if
  // that takes more steps than any work of a test needs: such a daemon would take a whole core.
  void settle();
  void wake_others();

  static constexpr int kStepsAtOnce = 200;

  struct ToSwitch {
    SessionId session;
    std::string name;
    session::Frame<HopBatch> frame;
  };
  std::unique_ptr<ConnectionManager> manager_;
  session::Limits limits_;
  std::uint64_t sessions_ = 100;
  std::uint32_t next_label_ = 1000;
  std::vector<ToSwitch> to_switches_;
  std::vector<std::pair<SessionId, session::Frame<OutcomeBatch>>> to_clients_;
  std::vector<RouteQuery> asked_;
  std::vector<std::string> attaching_;
  std::map<std::string, AttachTable::Lost> lost_by_;  // as the manager said it last
  std::vector<ServiceSpec> services_;
  std::vector<Invocation> invoked_;
};

}  // namespace xbind::cmgr
