// The SwitchServer without CORBA and without sockets: batches of hop commands in, requests to the
// switch, one batch of results per batch of commands out.
//
//     manager ──apply(batch, token)──▶ ┌────────────┐ ──add, remove, flush──▶ ┌────────┐
//                                      │ controller │                         │ driver │
//     manager ◀──take_outputs()─────── └────────────┘ ◀──on_driver(event)──── └────────┘
//                                        │ ledger │
//
// A step machine: each call does all it can at once and returns; the results wait in
// take_outputs(). The owner makes all calls from one thread, and calls take_outputs() after every
// other call. It passes driver events after the call that caused them has returned, never from
// within it. Each step ends in at most one driver flush, however many requests it queued.
//
// Sessions are outside this class: batches arrive here once and in order.
//
// The switch seen from here:
//
//            Up (kept)            its table has been read
//     down ───────────▶ reading ─────────────────────────▶ up
//      ▲ │                 │                               ▲ │
//      │ └─────────────────┼────── Up (not kept) ──────────┘ │
//      └───────────────────┴───────────── Down ──────────────┘
//
// Hops are set up, and labels and quotas granted, only while the switch is up. Otherwise every
// request that needs the switch is refused kSwitchUnreachable; a modify that lowers its demand is
// still done. When the switch comes up, the controller restores it from the ledger. It puts back
// committed cross-connects that are missing and deletes those being removed. Entries that the
// ledger does not know stay, and their labels are blocked (unclaimed).
//
// The laws of each matter stand with its procedure (controller/parts.hpp lists them):
//
//     controller/switch_life.hpp       the switch comes, renews ports, goes
//     controller/table_match.hpp       its table against the ledger
//     controller/commands.hpp          batches of commands
//     controller/hop_requests.hpp      commits and removals, hops that take over from one another
//     controller/contract_changes.hpp  modifies that the switch has to confirm
//     controller/label_exchange.hpp    grants, returns and recalls of labels and quotas
//     controller/sessions.hpp          managers, their epochs, their names
//     controller/claims.hpp            what managers claim after the ledger was lost
//     controller/audits.hpp            audits and repairs; call_looks.hpp: of one connection
//     controller/table_check.hpp       the comparison in the background
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/audit.hpp"
#include "core/clock.hpp"
#include "core/hop.hpp"
#include "core/hop_room.hpp"
#include "core/manager_epochs.hpp"
#include "core/result.hpp"
#include "switchserver/controller/hop_traces.hpp"
#include "switchserver/controller/options.hpp"
#include "switchserver/controller/settling.hpp"
#include "switchserver/controller/switch_counters.hpp"
#include "switchserver/controller/table_rounds.hpp"
#include "switchserver/controller/values.hpp"
#include "switchserver/drivers/switch_driver.hpp"
#include "switchserver/ledger/ledger.hpp"

namespace xbind {
namespace controller {
struct Parts;
}

class SwitchController {
 public:
  using Token = controller::Token;
  using Attachment = controller::Attachment;
  using Grant = controller::Grant;
  using BatchTimes = controller::BatchTimes;
  using Results = controller::Results;
  using Audited = controller::Audited;
  using Unasked = controller::Unasked;
  using Recalled = controller::Recalled;
  using Counted = controller::Counted;
  using CallLooked = controller::CallLooked;
  using Outputs = controller::Outputs;
  using ClearedCall = controller::ClearedCall;
  using ManagerHoldings = controller::ManagerHoldings;

  // `driver` must outlive the controller.
  SwitchController(SwitchControllerOptions options, SwitchDriver& driver);
  ~SwitchController();

  void on_driver(const driver::Event& event, TimePoint now);
  // Prefetches what the event will need when it is handled soon, in two steps (core/ahead.hpp).
  void expect_later(const driver::Event& event) const;
  void expect_soon(const driver::Event& event) const;
  // When on_time() is to be called, or kNever.
  TimePoint wake_at() const;
  void on_time(TimePoint now);

  // Opens a session; an older one of that name lapses first. Works while the switch is down.
  // kFenced: a higher epoch has attached. kBadInput: the epoch is above kManagerEpochMax.
  // kExhausted: too many names are known, and each is attached or has something here.
  Result<Attachment> attach(std::string_view manager, Epoch epoch);
  // Ends the session, if any: see Ledger::lapse(). Drops the results of its open batches.
  void detach(std::string_view manager);
  // What is known of the epochs of the name. Reads all hops.
  ManagerEpochs epochs_of(std::string_view manager) const;
  // Sets the newest epoch of the name, and counts the renewal; nothing if the name is not known.
  // kBadInput: the manager is attached, or no manager can have the epoch.
  Result<void> renew_epoch(std::string_view manager, Epoch newest);
  // One page of at most `most` of the manager's hops: those in its ledger, then those claimed for
  // removal that wait for the claims of other managers. `from`: 0 for the first page, then
  // HeldHops::next. `places`, if given, receives for each hop the `from` of a page that begins
  // after it (0: it is the last one in the ledger). Reads at most kLookedAtPerPage records.
  HeldHops held_hops(std::string_view manager, std::uint64_t from, std::size_t most, TimePoint now,
                     std::vector<std::uint64_t>* places = nullptr) const;
  // Enters hops and labels that the manager has here (core/audit.hpp, idl/switch_server.idl). Its
  // last page also compares its hops with the switch's table, and restores or removes what differs.
  // kNotFound: no session; kUnreachable: the switch's table has not been read.
  Result<ClaimsTaken> claim(std::string_view manager, const HopClaims& page, TimePoint now);
  // Entries of the switch that no hop claims. kEntriesUnknown: claims are awaited, or it is not up.
  std::uint64_t entries_of_nobody() const;
  std::size_t removals_waiting() const;  // for others' claims
  // Whether hops may still be claimed, and by which known managers: see above.
  const Settling& settling() const;
  // The comparison of the switch's table with the ledger in the background.
  const TableRounds& rounds() const;
  HopTraces& traces();                               // what is recorded of commands
  std::vector<KnownManager> known_managers() const;  // for the next start
  // See Ledger::forget_manager(); the epoch is forgotten with the name. Returns the number of hops
  // left. kNotFound: unknown; kBadInput: attached.
  Result<std::uint64_t> forget(std::string_view manager);

  // Removes the hops of a manager without a session that belong to the connection (by its own id or
  // the one that clients know; 0: all). Their labels rest in the manager's quarantine. Returns how
  // many are left: the switch has not confirmed their removal. A name that is not known has none.
  // kBadInput: the manager is attached. Appends to `calls` those whose first hop goes: they end.
  Result<std::uint64_t> clear_hops(std::string_view manager, ConnectionId connection, TimePoint now,
                                   std::vector<ClearedCall>* calls = nullptr);
  // What is known of each manager, and what it has here.
  std::vector<ManagerHoldings> holdings() const;

  // See Ledger::would_take(). kSwitchUnreachable where nothing new is admitted now.
  std::vector<HopRoom> would_take(std::string_view manager,
                                  std::span<const HopQuestion> hops) const;

  // Applies modifies first, then setups and removals in their order. Then takes back labels and
  // quota, and grants those that the accepted setups want. When every command has been answered,
  // one HopResultBatch with `token` has the results. kNotFound: the manager has no session, and
  // nothing was done.
  Result<void> apply(std::string_view manager, const HopBatch& batch, Token token, TimePoint now);
  // The same for a batch of a two-way call, which is counted separately.
  Result<void> execute(std::string_view manager, const HopBatch& batch, Token token, TimePoint now);
  // kNotFound: no session, or no such port. kUnreachable: the switch is not up.
  Result<Grant> grant(std::string_view manager, PortId port, std::size_t labels, Resources quota,
                      TimePoint now);
  // Takes back labels and quota. Ignores and counts what the manager does not hold. kNotFound: no
  // session.
  Result<void> give_back(std::string_view manager, const PortLabels& labels, Resources quota);

  // Reads the switch's table and compares it with the ledger. The report comes with `token`. While
  // the switch is not up, it comes at once and has kUnreadable for it. Fails with kNotFound or
  // kExhausted.
  Result<void> audit(std::string_view manager, Token token);

  // Looks again, and repairs what is among `seen`, the findings of an earlier audit, and is found
  // again: removes strays from the switch, puts back what it lacks, and has the ledger rebuild its
  // books. The report with `token` has the findings of this look. kUnreachable: the switch is not
  // up; kExhausted.
  Result<void> repair(std::vector<Finding> seen, Token token, TimePoint now);

  // Reads what ledger and switch have of one connection of the manager. The answer comes with
  // `token`. A manager that is not known has nothing. While the switch is not up, its entries are
  // unreadable. kBadInput: too many legs or inputs; kExhausted: too many looks are open.
  Result<void> look_at_call(std::string_view manager, CallQuestion question, Token token);
  // Looks again, and repairs what is among `seen` and is found again, on inputs that hops of this
  // connection alone have. The answer comes with `token`. Errors as above, and kUnreachable: the
  // switch is not up.
  Result<void> mend_call(std::string_view manager, ConnectionId connection,
                         std::vector<EntryDifference> seen, Token token, TimePoint now);

  // Reads the switch's counters of a port; with a label, of the connection that enters there with
  // that label. The result comes with `token`. kUnreachable: the switch is not up. kNotFound: no
  // such port. kExhausted: too many reads are open.
  Result<void> read_statistics(PortId port, Label label, Token token);

  // Ends the step at `now`. Overwrites `outputs` and reuses its memory.
  void take_outputs(TimePoint now, Outputs& outputs);
  Outputs take_outputs();

  bool up() const;
  const Ledger& ledger() const;
  // See Ledger::change_capacities(). Nothing is sent to the switch.
  void change_capacities(const LedgerOptions& options);
  const SwitchCounters& counters() const;
  std::size_t open_batches() const;

 private:
  friend class LedgerTamper;

  std::unique_ptr<controller::Parts> parts_;  // at one address, because they refer to one another
};

}  // namespace xbind
