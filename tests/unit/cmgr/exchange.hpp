// A ConnectionManager and everybody it talks to, for tests that read like the exchange: the test
// hands on every answer itself, and what the manager says is taken from the wire by name.
//
//     ann ─1[sw1]10══20[sw2]21══30[sw3]2─ bob      three switches, with the ports that a call uses
//
// and what some tests attach besides: leaves at sw1 (dan, port 3), at sw2 (guy, port 23) and beyond
//
//     sw2 22══40[sw4]2─ eve, 3─ fay
//
// and another way to bob: sw1 11══50[sw5]51══31 sw3.
//
// Its clients are bare sessions, not client::Requesters: a test must see every outcome that the
// manager sends, repeats too, and must be able to be a client that no Requester is (out of order,
// deaf, with an old epoch, with the number of another request).
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
// Done, with what the SwitchServer allots: ingress and egress labels, or the one reserved.
HopResult done(const HopSetup& setup, Label allotted = {});
HopResult refused(const HopSetup& setup, Cause cause, PortId port = {}, std::uint64_t asked = 0,
                  std::uint64_t free = 0);
HopResult done(const HopModify& change);
HopResult refused(const HopModify& change, Cause cause, PortId port = {}, std::uint64_t asked = 0,
                  std::uint64_t free = 0);
// Removed; `resting`: the label that lies in quarantine since.
HopResult removed(const HopRemoval& removal, Label resting = {});
HopResult not_removed(const HopRemoval& removal);

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
    std::vector<Outcome> told;    // since the last take
    std::vector<Notice> noticed;  // the same
    bool deaf = false;
  };

  ExchangeTest();
  ~ExchangeTest() override;

  void start();
  // With labels in the caches of sw1 and sw2, or without; ann's route known.
  void start_with_labels(std::vector<Label> at_sw1, std::vector<Label> at_sw2);
  void attach_all();
  void attach(const std::string& name, const std::vector<PortLabels>& quarantined = {},
              std::uint32_t window = 256);
  SessionId log_in(const std::string& name, std::uint64_t epoch = 1);
  static Path path();
  // From ann to each of the ends in the picture.
  static Path path_to(const std::string& end);
  // To bob without sw2.
  static Path detour();
  static RouteReply found(const RouteQuery& query, Path way = path());
  static RouteReply none(const RouteQuery& query, Cause cause, const std::string& element,
                         std::uint64_t free = 0);
  void learn_route(const std::string& to = "bob");
  // RouteObject answers.
  void route(RouteReply reply);

  // --- what they say to the manager
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
  // Everything in it: done. A reservation without a label gets the next one.
  std::vector<HopResult> all_done(const HopBatch& heard);
  // Everything the switch has heard and not answered: done.
  void all_done(const std::string& name);
  // Everybody answers until nobody has anything to answer.
  void everybody_does();
  void lose(const std::string& name);

  // --- what the manager says
  HopBatch take(const std::string& name);
  HopSetup setup(const std::string& name);
  // Whose that setup is; of the commands that were taken last.
  HopOwner owner(const HopSetup& setup) const;
  HopRemoval removal(const std::string& name);
  bool silent(const std::string& name) const;
  std::vector<Outcome> told(const std::string& client = "mia");
  Outcome outcome(const std::string& client = "mia");
  std::vector<Notice> noticed(const std::string& client = "mia");
  HopModify change(const std::string& name);
  std::vector<ServiceSpec> asked_services();
  // Two-way invocations that wait for their answer, oldest first.
  struct Invocation {
    SessionId session;
    std::string name;
    HopBatch batch;
  };
  // The answer to it, or none: the invocation failed.
  void reply(const Invocation& asked, Result<HopResultBatch> results);
  void reply(const Invocation& asked);
  std::vector<Invocation> invocations();
  std::vector<RouteQuery> asked_routes();
  std::vector<std::string> asked_to_attach();
  std::vector<std::pair<PortId, Label>> cached(const std::string& name);

  // A call of mia's that is up; the caches must have labels.
  ConnectionId connected(std::uint64_t request);

  // What a call that ended must leave behind: nothing but labels in caches. Waits for what is on its
  // way back.
  void expect_nothing_left();
  // Whether the client may go and leave no trace: nothing is held in its name. Ends its session.
  bool leaves_no_trace(const std::string& client = "mia");

  // Time passes; everybody wakes at his deadlines. Frames go through unless somebody is deaf.
  void wait(Duration time);

  ConnectionManager& manager() { return *manager_; }
  void finish();

  Config config;
  TimePoint now{seconds{1000}};
  std::map<std::string, SwitchSide> switches_;
  std::vector<HopOwner> owners_;  // of the commands that were taken last
  std::map<std::string, ClientSide> clients_;
  std::vector<std::pair<RequestId, Outcome>> local_;
  // Sessions that the manager has said to be over.
  std::vector<SessionId> switches_over_;
  std::vector<SessionId> clients_over_;
  SessionEnding last_ending_;  // of the last of them

 private:
  void to_switch(SessionId session, const std::string& name,
                 session::Frame<HopBatch> frame) override;
  void to_client(SessionId session, session::Frame<OutcomeBatch> frame) override;
  void local_outcome(RequestId token, Outcome outcome) override;
  void ask_routes(std::vector<RouteQuery> queries) override;
  void ask_services(std::vector<ServiceSpec> services) override;
  void invoke(SessionId session, const std::string& name, HopBatch batch) override;
  void attach_switch(const std::string& name) override;
  void switch_session_over(SessionId session) override { switches_over_.push_back(session); }
  void client_session_over(SessionId session, const SessionEnding& ending) override {
    clients_over_.push_back(session);
    last_ending_ = ending;
  }

  void carry();
  void wake_others();

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
  std::vector<ServiceSpec> services_;
  std::vector<Invocation> invoked_;
};

}  // namespace xbind::cmgr
