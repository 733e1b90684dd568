// A whole network in one process, on virtual time, from a seed: one or two ConnectionManagers, a
// line of SwitchServers with the production ledger and controller, label switches that are not
// there, clients, and a network that delays, drops, repeats and reorders.
//
//     h0-1 ─┐            ┌─ h1-1          h2-1 ─┐       ports of every switch: 1 and 2 for
//     endpoints,
//        [switch-0]══[switch-1]══ ... ══[switch-n]      3 to the switch before, 4 to the one after
//     h0-2 ─┘            └─ h1-2          h2-2 ─┘
//
// After every step the invariants are checked (checks.cpp); the first violation ends the run. A run
// goes through load with accidents, calm with calls held, release of everything, and two audits.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "switchserver/switch_server.hpp"
#include "tests/sim/client.hpp"
#include "tests/sim/label_switch.hpp"
#include "tests/sim/manager_site.hpp"
#include "tests/sim/parts.hpp"

namespace xbind::sim {

struct Plan {
  std::uint64_t seed = 1;
  bool fair = false;  // no loss, no accident, nothing refused by a switch
  Planted planted = Planted::kNothing;
};

class World : public ManagerOutlet {
 public:
  explicit World(const Plan& plan);
  ~World() override;

  // The first violation with the time it was seen, or nothing.
  std::string run();
  const Tally& tally() const { return world_.tally; }

 private:
  struct SwitchSite {
    std::string name;
    std::unique_ptr<LabelSwitch> device;
    std::unique_ptr<SwitchServer> server;
    TimePoint broken_until;
  };
  struct ClientSite {
    std::unique_ptr<Client> client;
    std::size_t manager = 0;
    std::map<RequestId, std::vector<PathHop>> up;  // calls that were promised to the client
  };

  // building
  std::unique_ptr<ManagerSite> make_manager(std::size_t index);
  SwitchSite make_switch(std::size_t index);
  ClientSite make_client(std::size_t index);
  std::vector<PathHop> path(const std::string& from, const std::string& to) const;
  cmgr::RouteReply route(const cmgr::RouteQuery& query) const;

  // the network
  void carry_to_switch(std::size_t manager, std::size_t at, SessionId session,
                       session::Frame<HopBatch> frame);
  void to_manager(SessionId session, session::Frame<HopResultBatch> frame) override;
  void carry_to_client(std::size_t manager, SessionId session, session::Frame<OutcomeBatch> frame);
  void carry_to_inbox(std::size_t client, SessionId session, session::Frame<RequestBatch> frame);
  std::optional<ManagerSite::Attached> attach(std::size_t manager, const std::string& switch_name);
  void attach_client(std::size_t client, Epoch epoch);
  session::Frame<HopBatch> tampered(session::Frame<HopBatch> frame);
  session::Frame<HopResultBatch> tampered(session::Frame<HopResultBatch> frame);
  session::Frame<OutcomeBatch> tampered(session::Frame<OutcomeBatch> frame);
  Leg& leg(char kind, std::size_t from, std::size_t to) { return legs_[{kind, from, to}]; }

  // what happens
  void make_a_call(std::size_t client);
  void plan_release(std::size_t client, RequestId call);
  void release_now(std::size_t client, RequestId call);
  void accident();
  void switch_stepped(std::size_t at);
  void run_until(TimePoint end);
  bool wake_due();

  // checks.cpp
  void check_switch(std::size_t at);
  void check_caches(std::size_t manager);
  void check_promised();
  void check_tables();
  void check_fair();
  void audit_all();
  void audited(std::uint64_t token, LedgerReport report) override;
  void check_empty();
  bool session_alive(std::size_t manager, std::size_t at) const;
  std::size_t index_of(const std::string& switch_name) const;

  Plan plan_;
  Surroundings world_;
  std::map<std::tuple<char, std::size_t, std::size_t>, Leg> legs_;
  std::vector<SwitchSite> switches_;
  std::vector<std::unique_ptr<ManagerSite>> managers_;
  std::vector<ClientSite> clients_;
  std::map<SessionId, std::size_t> manager_of_session_;  // of SwitchServer sessions
  std::map<SessionId, std::size_t> client_of_session_;
  std::map<std::uint64_t, LedgerReport> reports_;
  bool loading_ = true;
};

}  // namespace xbind::sim
