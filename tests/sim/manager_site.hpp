// One ConnectionManager in the world, from its start to its end. Its peers are the other parts of
// the world. Its two-way calls (attach, look up routes and services, invoke) take time and may
// fail.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cmgr/connection_manager.hpp"
#include "cmgr/parts/attach_policy.hpp"
#include "core/attach_table.hpp"
#include "tests/sim/parts.hpp"
#include "tests/sim/route_site.hpp"

namespace xbind::sim {

class ManagerSite : public cmgr::Peers {
 public:
  struct Attached {
    SessionId session;
    std::uint32_t window = 0;
    std::uint64_t books = 0;
    std::vector<PortLabels> quarantined;
    bool claims_awaited = false;
    bool table_kept = false;
    std::uint64_t unclaimed_entries = kEntriesUnknown;
  };
  struct Hooks {
    std::function<void(const std::string&, SessionId, session::Frame<HopBatch>)> to_switch;
    std::function<void(SessionId, session::Frame<OutcomeBatch>)> to_client;
    std::function<void(SessionId, const SessionEnding&)> client_session_over;
    // Returns nothing when the SwitchServer cannot be reached.
    std::function<std::optional<Attached>(const std::string& switch_name, Epoch epoch)> attach;
    // A page of the hops that the SwitchServer holds; nothing when it cannot be reached.
    std::function<std::optional<HeldHops>(const std::string& switch_name, SessionId, std::uint64_t)>
        held_hops;
    // The answer to a page of claims; nothing when the SwitchServer cannot be reached.
    std::function<std::optional<ClaimsTaken>(const std::string& switch_name, SessionId,
                                             const HopClaims&)>
        claim;
    std::function<void(const std::string& switch_name, SessionId)> detach;
    std::function<void(const std::string&, SessionId, HopBatch)> invoke;  // invoked() follows
    // Returns nothing when RouteObject cannot be reached.
    std::function<std::optional<cmgr::RouteReply>(const cmgr::RouteQuery&)> route;
    std::function<std::optional<RouteSite::Watched>()> watch;
    std::function<void()> stepped;  // after every step of the manager
  };

  ManagerSite(Surroundings& world, std::string name, const cmgr::Config& config, Hooks hooks)
      : world_(world),
        name_(std::move(name)),
        epoch_(config.epoch),
        hooks_(std::move(hooks)),
        manager_(config, *this) {}

  const std::string& name() const { return name_; }
  Epoch epoch() const { return epoch_; }
  cmgr::ConnectionManager& manager() { return manager_; }
  const cmgr::ConnectionManager& manager() const { return manager_; }

  // The whole network: registers the switches.
  void learn_network(const std::vector<std::string>& switches,
                     const std::vector<cmgr::NetworkLink>& links,
                     const std::vector<cmgr::NetworkEnd>& ends);
  // The manager lets clients attach although some switches have not been read.
  void serve_with_switches_missing();
  bool serves() const { return serves_ || manager_.recovery().done(); }
  // Whether it has read the hops that the SwitchServer of that switch held.
  bool has_read(const std::string& switch_name) const { return read_.contains(switch_name); }

  // The process is killed: nothing happens here from now on. What it has sent is still in flight.
  void kill() { dead_ = true; }
  bool dead() const { return dead_; }
  TimePoint next_deadline() const { return dead_ ? kNever : manager_.next_deadline(); }

  // Makes one step: runs `job`, then sends what the job produced.
  void step(const std::function<void(cmgr::ConnectionManager&)>& job);
  // The answer to an invocation.
  void invoked(SessionId session, const HopBatch& asked, const Result<HopResultBatch>& answer);
  // Starts to watch RouteObject's topology, as the daemon's thread does (cmgr/remote_topology.cpp).
  void watch_topology();
  // A topology state arrives, as the answer to a watch or as a notice.
  void learn(const TopologyState& state, bool restarted);

  // The manager's view of its session with that switch; 0: none.
  SessionId session_with(const std::string& switch_name) const;

  // Until then RouteObject does not answer (or reports that it cannot); the same for the QOSMapper.
  TimePoint routes_away_until;
  TimePoint services_away_until;
  bool away_means_silent = false;

  void to_switch(SessionId session, const std::string& switch_name,
                 session::Frame<HopBatch> frame) override {
    hooks_.to_switch(switch_name, session, std::move(frame));
  }
  void to_client(SessionId session, session::Frame<OutcomeBatch> frame) override {
    hooks_.to_client(session, std::move(frame));
  }
  void local_outcome(RequestId token, Outcome outcome) override;
  // The connections of which an operator's release was answered busy, since the last call.
  std::set<ConnectionId> take_busy_releases() { return std::exchange(busy_releases_, {}); }
  void ask_routes(std::vector<cmgr::RouteQuery> queries) override;
  void ask_services(std::vector<ServiceSpec> services) override;
  void invoke(SessionId session, const std::string& switch_name, HopBatch batch) override {
    hooks_.invoke(switch_name, session, std::move(batch));
  }
  void attach_switch(const std::string& switch_name, AttachTable::Lost lost) override;
  void claim_lost(const std::string& switch_name) override;
  void finish_claims(SessionId session, const std::string& switch_name) override;
  void switch_session_over(SessionId /*session*/) override {}  // addresses never change here
  void client_session_over(SessionId session, const SessionEnding& ending) override {
    hooks_.client_session_over(session, ending);
  }

 private:
  // Makes the attempts to attach that are due and schedules the next ones, as the daemon's threads
  // do (cmgr/remote_peers.cpp).
  void attach_due();
  void attempt(const AttachTable::Due& due);
  // Reads the hops that the SwitchServer holds, page by page, before the attachment counts.
  // `answer`: to the claims that were made before.
  void read(const AttachTable::Due& due, const Attached& attached, std::uint64_t from,
            std::vector<HeldHops> pages,
            const std::optional<cmgr::ClaimsAnswer>& answer = std::nullopt);
  // Claims what the manager has there if the SwitchServer's ledger is a new one.
  void claim_or_answer(const AttachTable::Due& due, const Attached& attached,
                       const std::vector<HeldHops>& held);
  void claim(const AttachTable::Due& due, const Attached& attached,
             const std::vector<HeldHops>& held, const std::vector<HopClaims>& pages,
             std::size_t next, const std::vector<HopResult>& refused = {});
  // Ends the session again; the attachment follows when the manager knows what to claim.
  void leave(const AttachTable::Due& due, const Attached& attached,
             const std::vector<HeldHops>& held);
  void answered(const AttachTable::Due& due, const std::optional<Attached>& attached,
                const std::vector<HeldHops>& held = {},
                const std::optional<cmgr::ClaimsAnswer>& answer = std::nullopt);

  void watch_due();
  void watched(Attaching::Attempt attempt, const std::optional<RouteSite::Watched>& answer);

  Surroundings& world_;
  std::string name_;
  Epoch epoch_;
  Hooks hooks_;
  bool dead_ = false;
  AttachTable attachments_{cmgr::kSwitchAttaching, cmgr::kSwitchAttachLimits};
  TimePoint attach_at_ = kNever;  // when attach_due() is on the agenda
  std::map<std::string, SessionId> sessions_;
  std::set<std::string> read_;   // switches
  std::set<std::string> asked_;  // switches whose lost ledgers the manager asks for
  std::map<std::string, std::uint64_t> books_;
  bool serves_ = false;
  std::set<ConnectionId> busy_releases_;  // see take_busy_releases()
  Attaching watch_{cmgr::kTopologyWatching};
  std::uint64_t newest_ = 0;         // newest topology version that it has received
  TimePoint watch_at_ = kNever;      // when watch_due() is on the agenda
  std::uint64_t watched_life_ = 0;   // life of RouteObject; 0: it has never been reached
  cmgr::ConnectionManager manager_;  // last: its constructor may call the others
};

}  // namespace xbind::sim
