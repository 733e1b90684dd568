// Hops of a call that its SwitchServers have lost, as the hops beside them show them.
//
//     hop a, output port 10, label 40 ══▶ (switch b, ledger lost) ══▶ hop c, input 30, label 41
//
// Cells of hop a enter switch b with label 40, and cells with label 41 come from its port at the
// other end of hop c's link: so b has a hop between the two. Where only one of them is known, the
// switch's table has the rest: the SwitchServer completes the claim (idl/switch_server.idl,
// claim_hops).
//
// Pure; no function keeps a reference to its arguments.
#pragma once

#include <compare>
#include <functional>
#include <optional>
#include <vector>

#include "cmgr/parts/found_call.hpp"

namespace xbind::cmgr {

// One end of a lost hop: a place at its switch that a known hop leads to, or comes from.
struct GapEnd {
  SwitchIndex at;
  bool enters = false;  // cells come in there; else they leave there
  PortId port;
  Label label;

  friend auto operator<=>(const GapEnd&, const GapEnd&) = default;
};

// A lost hop, as it is to be claimed.
struct Gap {
  LedgerHop claim;  // ports and labels that are not known are none
  HopOwner owner;
  std::optional<GapEnd> in;  // at least one of them is known
  std::optional<GapEnd> out;

  SwitchIndex at() const { return in ? in->at : out->at; }
};

// The lost hops of one call: at switches for which `lost` is true, where a known hop leads in or
// comes out and no known hop follows. Contract, request and owner are those of the hop beside it.
// Number and generation are those that it had if the numbers of its neighbours say it, or if the
// path of its leg has never changed; else it has a generation of its own above all of the call, so
// that no two hops have one key.
std::vector<Gap> gaps_of(const std::vector<FoundHop>& call, const KnownLinks& links,
                         const std::function<bool(SwitchIndex)>& lost);

// The hop whose ledger knows who has the call. Who has one that was prepared is told to two hops
// (prepared_desk.hpp), and the manager may have ended before both had heard of its last owner: the
// higher revision is the newer word. nullptr: no hop has an owner.
const FoundHop* owned_hop(const std::vector<FoundHop>& call);

}  // namespace xbind::cmgr
