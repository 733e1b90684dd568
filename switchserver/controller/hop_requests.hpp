// What is asked of the switch for one hop, and what its answers mean. The state of the hop and each
// action are rows of HopFsm (ledger/hop_fsm.hpp); this class carries the actions out.
//
// A hop that takes over from an earlier generation (ledger/hop_stacks.hpp) moves the earlier hop's
// cross-connect instead of adding one. Its removal, while the earlier hop exists, moves it back. If
// the switch refuses because there is nothing to move, the earlier hop is put back by an add. A
// removal of the lower hop waits while anything is under way above it, and needs no request if the
// hop turns out to be superseded.
//
// A commit or removal that is unanswered when the session with the switch breaks is answered
// kSwitchUnreachable. Its hop then counts as being removed and is deleted when the switch is back.
// The same applies to a commit that timed out, and to a removal requested while the switch is down.
//
// One thread; no errors.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/hop.hpp"
#include "switchserver/controller/switch_link.hpp"
#include "switchserver/ledger/hop_fsm.hpp"
#include "switchserver/ledger/hop_record.hpp"

namespace xbind::controller {

struct Parts;

class HopRequests {
 public:
  explicit HopRequests(Parts& parts) : parts_(parts) {}

  // ---- requests ----

  void send_add(HopRef ref);
  // Moves the existing cross-connect `from` to this hop's output.
  void send_move(HopRef ref, const CrossConnect& from);
  // A hop that has taken over moves the cross-connect back to the hop below, unless that one is
  // also being removed: then the cross-connect is deleted.
  void send_remove(HopRef ref);
  // The switch has lost the entry.
  void put_back(HopRef ref);
  // The same; or it still has, among `table` (ascending), the entry of a hop below.
  void put_back_or_move(HopRef ref, const std::vector<CrossConnect>& table);
  // The switch has the entry; whether it is as the ledger says is not known.
  void reassert(HopRef ref);

  // ---- removals ----

  // Of a hop for which begin_removal() returned false. The removal follows what is under way above;
  // a request that the switch refused is sent again.
  void request_removal(HopRef ref);
  // Of a hop that goes_at_once(). Whoever waits for answers of the switch to what is open for it is
  // answered now, and nothing is left for the next hop in that record.
  HopResult remove_at_once(HopRef ref);
  // The switch does not have the hop, whose removal is owed.
  void forget(HopRef ref);
  // The result of a removal. It names the label that now rests in the manager's quarantine, unless
  // another hop uses that label.
  HopResult removal_of(HopRef ref, const HopRecord& record) const;

  // ---- answers of the switch ----

  void on_done(const driver::Done& done);
  // Answers what is open for every hop: the switch is gone.
  void switch_down();
  // Prefetches what the answer to this request will need.
  void expect_soon(driver::Cookie cookie) const;

 private:
  using Request = SwitchLink::Request;

  void on_added(HopRef ref, HopRecord& record, Cause cause, std::uint8_t failure_code);
  void on_removed(HopRef ref, HopRecord& record, const driver::Done& done);
  void send_delete(HopRef ref, const HopRecord& record, const HopRecord* to);
  void undo_refused(HopRef ref);
  void finish_removal(HopRef ref, HopRecord& record, HopFsm::Action how);
  void note_end(const HopRecord& gone);
  void advance(std::optional<HopRef> below);
  void refuse_waiting(std::optional<HopRef> below, Cause cause, std::uint8_t failure_code);

  Parts& parts_;
  std::unordered_map<HopRef, CrossConnect> moves_;  // old places of hops whose open add is a move
};

}  // namespace xbind::controller
