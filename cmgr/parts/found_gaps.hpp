// Hops of a call that its SwitchServers have lost, as the hops beside them show them.
//
//     hop a, port 10, label 40 ══▶ (switch b, ledger lost) ══▶ hop c, port 30, label 41
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
#include <string>
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
  // The call may enter the network there: that is known when the network says where its caller is.
  // It is not to be claimed before.
  bool waits_for_caller = false;

  SwitchIndex at() const { return in ? in->at : out->at; }
};

// The switch to which an endpoint is connected; nullopt: not known.
using EndsAt = std::function<std::optional<SwitchIndex>(const std::string& endpoint)>;

// The lost hops of one call: at switches for which `lost` is true, where a known hop leads in or
// comes out and no known hop follows. Contract, request and owner are those of the hop beside it.
// A lost hop gets the number and generation that it had where these are known: its two neighbours
// stand on both sides of it by their numbers, or the path of its leg has never changed. Elsewhere
// it gets a new generation above all of the call and above `asked`, so that no two hops have one
// key; `asked`: the newest one that ledgers have been asked for and have not answered.
// Numbers alone do not say where a call enters or leaves the network, because a call that has moved
// has hops that are numbered by a path of another length. So a lost hop that no known one leads to
// is the first of its leg if it is at the switch of the endpoint where the leg begins, and only
// there; one that leads to no known hop is the last one at the switch of the other endpoint. By the
// numbers where `ends` does not know that switch.
std::vector<Gap> gaps_of(const std::vector<FoundHop>& call, const KnownLinks& links,
                         const std::function<bool(SwitchIndex)>& lost, Generation asked = {},
                         const EndsAt& ends = {});

// The hop whose ledger names the owner of the call. The manager tells the owner of a prepared
// connection to two of its hops (prepared_desk.hpp), and may have ended between the two: then the
// hop with the higher revision has heard of the last owner. nullptr: no hop has an owner.
const FoundHop* owned_hop(const std::vector<FoundHop>& call);

}  // namespace xbind::cmgr
