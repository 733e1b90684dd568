// Rebuilds the connections of earlier epochs of this manager from what the SwitchServers hold for
// it, after any end of the manager's process. There is no journal: a ledger's hop records owner,
// ends, request, contract and place of the hop.
//
//     SwitchServers ──pages of hops──▶ calls ──whole──▶ connection table; outcomes for repeats
//                                        └───in part──▶ removals, as debts (switch_desk.hpp)
//
// - A call whose hops cells pass from end to end stands. Its client finds it under its id, and gets
//   its outcome when it repeats the request.
// - What is left of a call that was being set up, released or changed is removed. A contract that
//   had not reached every hop is set to the lesser one everywhere, in each component: nothing can
//   refuse that, and the client has no outcome for the change yet.
// - A call of which hops may be at a SwitchServer that has not been read waits for it, and is kept
//   apart. It can be released: what is found of it later is removed. Other requests about it are
//   answered busy. The same holds if one of its hops leads to a port of which no link is known: the
//   topology may lack the switch behind it. And if there are too many ways to join its hops.
// - A hold is restored with what is left of its time, which its hops' ledgers have counted. One
//   whose time is over ends at once.
//
// An id of an earlier epoch that no SwitchServer knows of any more has been released.
//
// Not thread-safe; owned by the connection manager.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "cmgr/parts/calls_to_look_at.hpp"
#include "cmgr/parts/found_call.hpp"
#include "cmgr/parts/found_names.hpp"
#include "cmgr/parts/incomplete_call.hpp"
#include "cmgr/parts/known_network.hpp"
#include "cmgr/parts/ledgers_read.hpp"
#include "cmgr/parts/timers.hpp"
#include "cmgr/procedures/context.hpp"
#include "cmgr/procedures/known_ends.hpp"
#include "cmgr/procedures/lost_ledgers.hpp"
#include "cmgr/procedures/other_links.hpp"
#include "cmgr/procedures/resting_labels.hpp"

namespace xbind::cmgr {

class Recovery {
 public:
  static constexpr std::size_t kReleasesMax = 1U << 20;

  explicit Recovery(Context& context)
      : context_(context),
        lost_(known_ends(context)),
        labels_(context, links_, ledgers_, entries_of_nobody_),
        other_links_(context) {}
  Recovery(const Recovery&) = delete;
  Recovery& operator=(const Recovery&) = delete;

  // The whole network is known, or has changed: its links, and its switches are registered. Nothing
  // is rebuilt before.
  void set_network(const std::vector<NetworkLink>& links, TimePoint now);
  // The manager has attached to that switch for the first time; these are hops that its
  // SwitchServer holds. The last page has `next` 0. Once every registered switch has been read, all
  // calls are rebuilt or removed.
  // `as`: kLost, this ledger has been lost, and may lack hops (HopAttachment.claims_awaited). Such
  // a switch is attached to again when the others have been read, to claim what it lacks, and then
  // read once more.
  enum class ReadAs : std::uint8_t { kWhole, kLost };
  void read(SwitchIndex at, HeldHops page, TimePoint now, ReadAs as = ReadAs::kWhole);
  // The network has that switch no longer: calls need not wait for what it holds.
  void gone(SwitchIndex at, TimePoint now);
  // The client hears of its incomplete calls.
  void client_attached(const std::string& client);
  // The answer to the claims there, before the ledger is read again.
  void claimed(SwitchIndex at, const ClaimsAnswer& answer) { lost_.answered(at, answer); }
  // Visits the hops that the lost ledger of that switch is asked for: visit(Gap).
  template <class Visit>
  void for_each_rebuilt_at(SwitchIndex at, Visit&& visit) const {
    for (const Gap& gap : lost_.asks(at)) visit(gap);
  }
  // Whether this manager knows everything that it may have at that switch.
  bool claims_all(SwitchIndex at) const { return !lost_.is_lost(at); }
  // Labels that the SwitchServer has in quarantine for this manager, and that no connection or debt
  // of this manager uses. Each is returned when all switches have been read, and no call that waits
  // may have a hop with it: a hop at the other end of the link may still be found. While the switch
  // at the other end is not known, the label stays.
  void rest(SwitchIndex at, const std::vector<PortLabels>& quarantined, TimePoint now) {
    labels_.rest(at, quarantined, done(), now);
  }
  // Visits what it knows of that switch and has not passed on: hops of calls that wait for other
  // switches, visit_hop(FoundHop), and labels that rest, visit_label(PortId, Label).
  template <class VisitHop, class VisitLabel>
  void for_each_at(SwitchIndex at, VisitHop&& visit_hop, VisitLabel&& visit_label) const {
    for (const auto& [id, call] : calls_) {
      for (const FoundHop& found : call) {
        if (found.at == at) visit_hop(found);
      }
    }
    labels_.for_each_at(at, visit_label);
  }
  // The manager begins to serve although switches have not been read: rebuilds the calls that are
  // whole without them.
  void serve(TimePoint now);

  // Links that calls of earlier epochs pass, and that the topology does not have.
  using OtherLink = OtherLinks::Link;
  // Visits those whose ports are in use: visit(link, where the topology leads from link.one, or
  // nullopt).
  template <class Visit>
  void for_each_other_link(Visit&& visit) const {
    other_links_.for_each([&](const OtherLink& link) {
      visit(link, links_.topology().far_end(link.one.first, link.one.second));
    });
  }

  // Whether every switch of the network has been read at some time. Switches that are added later
  // are read like the others.
  bool done() const { return done_; }
  // The process has an epoch, and the network is to follow.
  void expect_network() { expected_ = true; }
  // Whether connections of earlier epochs may still come back: the prepared ones among them serve
  // their pools, which need no others then.
  bool rebuilding() const { return (expected_ || network_known_) && !done_ && !serving_; }
  // Switches that have not been read, or that are still to answer what they have lost.
  std::size_t unread() const;
  // Calls that wait for a switch that has not been read, or is not known.
  std::size_t waiting() const { return calls_.size(); }
  // Whether every switch has been read, and no call waits.
  bool knows_all() const { return done() && waiting() == 0; }

  // The call of that id, its own or the one that its owner knows, if it is incomplete.
  std::optional<IncompleteCall> incomplete(ConnectionId id) const;
  // The incomplete call that this request of the client, in that epoch of the client, has set up.
  std::optional<IncompleteCall> incomplete_of(const std::string& client, Epoch epoch,
                                              RequestId request) const;
  // The ids above `after` under which their owners know incomplete calls, ascending, at most
  // `limit`. Takes time in proportion to all incomplete calls.
  std::vector<ConnectionId> incomplete_ids(ConnectionId after, std::size_t limit) const;
  // Visits all of them: visit(IncompleteCall).
  template <class Visit>
  void for_each_incomplete(Visit&& visit) const {
    for (const auto& [id, call] : calls_) visit(described(id, call));
  }

  // How many entries a switch has that no manager has claimed since its SwitchServer lost its
  // ledger: a call of which nothing else is known may be one of them. kEntriesUnknown: some may
  // still be claimed, or the table has not been read. Labels that lead to such a switch rest.
  void note_entries_of_nobody(SwitchIndex at, std::uint64_t entries, TimePoint now);
  // The switches that have such entries, and those of which it is not known.
  struct EntriesOfNobody {
    std::vector<SwitchIndex> known;
    std::vector<SwitchIndex> unknown;
  };
  EntriesOfNobody entries_of_nobody() const;

  // What a request about an id has to expect that is not in the connection table.
  enum class Fate : std::uint8_t {
    kNeverWas,    // this manager has given out no such id, or not in an earlier epoch
    kNotYetRead,  // it may stand at a switch that has not been read
    kUnknown,     // it may be among the entries of nobody
    kReleased,    // nothing of it is left
  };
  Fate fate_of(ConnectionId id) const;
  // Removes what is known of a call that kNotYetRead applies to, and whatever is found of it later.
  // `id`: its own or the one that its owner knows.
  // Returns the switches whose hops are owed. False: kReleasesMax such calls are known already.
  bool release(ConnectionId id, TimePoint now, std::vector<SwitchIndex>& owing);

  struct Counters {
    std::uint64_t restored = 0;     // calls
    std::uint64_t rolled_back = 0;  // calls of which hops were removed
    std::uint64_t hops_removed = 0;
    std::uint64_t contracts_settled = 0;  // hops that were sent the call's contract

    friend bool operator==(const Counters&, const Counters&) = default;
  };
  const Counters& counters() const { return counters_; }
  // How often it has looked at the hops of a call.
  std::uint64_t looks() const { return news_.looks(); }
  const RestingLabels& labels() const { return labels_; }
  const OtherLinks& other_links() const { return other_links_; }

 private:
  using Call = std::vector<FoundHop>;
  using Calls = CallsToLookAt::Calls;

  void look(TimePoint now);
  void drop_hops_at(SwitchIndex at);
  void ask_lost();
  bool let_go_of_lost();
  std::size_t never_read() const;
  // Decides about the calls that what is new may have changed.
  void settle(TimePoint now);
  Calls::node_type forget(Calls::iterator call);
  // Each: whether the call is done with. Of the first, that it stands; of the second, that all of
  // it or a part is removed.
  bool settle_standing(ConnectionId id, const Call& call, TimePoint now);
  bool settle_rest(ConnectionId id, const Call& call, TimePoint now);
  // Where hops of the call may be that are not known, and why; nullopt: there are no others.
  using Lack = std::pair<SwitchIndex, Missing>;
  std::optional<Lack> lack_of(const Call& call) const;
  // A switch that has not been read: one that a hop of the call leads to, or any.
  SwitchIndex unread_beside(const Call& call) const;
  // The call is listed as incomplete: its owner and the operator hear of it, once for each reason.
  void note_incomplete(ConnectionId id, const Call& call, const Lack& lack);
  void note_whole(ConnectionId id, const Connection& made);
  void tell(const IncompleteCall& call, const std::string& client);
  void note_links(ConnectionId id, const Call& call, const FoundTree& tree);
  void restore(ConnectionId id, const Call& call, const FoundTree& tree, TimePoint now);
  void restore_hold(ConnectionId id, const Call& call, TimePoint now);
  Connection& enter(ConnectionId id, const Call& call, const FoundTree& tree, Stage stage);
  Contract contract_of(const Call& call, const FoundTree& tree) const;
  void settle_contract(Connection& connection, const Call& call, const FoundTree& tree,
                       TimePoint now);
  IncompleteCall described(ConnectionId id, const Call& call) const;
  // Whether every ledger has been read, and no lost one is still to answer.
  bool knows_ledgers() const { return done_ && unread() == 0; }
  // Owes the removal of the hops of the call that `connection` does not have; null: of all.
  void remove(Connection* connection, ConnectionId id, const Call& call, TimePoint now);
  static bool has(Connection& connection, const FoundHop& found);
  // What visitors of lost_.ask() see of a call.
  Call shown_of(ConnectionId id, const Call& call) const;
  void keep_going(ConnectionId id, const Call& call);
  void note_end(ConnectionId id, const Call& call);

  Context& context_;
  KnownLinks links_;
  bool expected_ = false;
  bool network_known_ = false;
  bool done_ = false;
  bool serving_ = false;
  LedgersRead ledgers_;
  LostLedgers lost_;
  std::set<SwitchIndex> reading_again_;  // the pages so far have replaced what was known
  std::unordered_map<ConnectionId, Lack> incomplete_;  // what has been told
  Calls calls_;
  CallsToLookAt news_;
  std::unordered_set<ConnectionId> released_;  // by clients, until knows_ledgers()
  Calls going_;       // of those, the hops whose removal is owed: they show what lost ledgers had
  FoundNames names_;  // of calls_
  std::map<SwitchIndex, std::uint64_t> entries_of_nobody_;  // above 0, or kEntriesUnknown
  RestingLabels labels_;
  OtherLinks other_links_;
  Counters counters_;
};

}  // namespace xbind::cmgr
