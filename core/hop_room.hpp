// The question how many hops of a kind a ledger would take, and its answer. Values only.
//
// The answer is what Ledger::set_up() does at this moment: it admits that number of reservations,
// each followed by its commit, and refuses the next one with that cause. The manager uses the
// labels of its own cache and quarantine before others are allotted. The answer promises nothing:
// it is older than any setup that follows.
#pragma once

#include <cstdint>

#include "core/cause.hpp"
#include "core/ids.hpp"
#include "core/resources.hpp"
#include "core/traffic_contract.hpp"

namespace xbind {

struct HopQuestion {
  PortId input_port{};
  PortId output_port{};
  // As the first hop of a path: an ingress label is allotted, and the demand counts on the receive
  // side of the input port. Any other hop has the label of the hop before it, which is taken as
  // free.
  bool enters = false;
  bool leaves = false;  // as the last hop: an egress label is allotted
  Resources demand{};
  TrafficContract contract{};
  // This number, or all that would be taken if that is less, counts as taken for the questions that
  // follow.
  std::uint64_t copies = 0;
};

struct HopRoom {
  std::uint64_t copies = 0;  // would be taken, one after the other
  // Why the next one would be refused.
  Cause cause = Cause::kNone;
  PortId port{};            // that would refuse, or none
  std::uint64_t asked = 0;  // see Cause
  std::uint64_t free = 0;
  // The highest rate of a CBR hop on these ports, with the buffer of `demand`, that would be taken;
  // 0: none would.
  std::uint64_t most_cells_per_s = 0;
};

}  // namespace xbind
