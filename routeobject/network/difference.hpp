// The difference between the network and the one that the operator wants, and whether it can be
// made while calls stand.
//
// A switch is the same one as long as it has its name. A link is the same one as long as it has
// the same two ends, in either order. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/path.hpp"
#include "core/result.hpp"
#include "routeobject/topology/topology.hpp"

namespace xbind {

inline constexpr std::size_t kNetworkChangesMax = 2000;  // switches and links of one difference

enum class ElementChange : std::uint8_t { kAdded, kRemoved, kChanged };

// Members _before of an added element and _after of a removed one are 0 or false.
struct SwitchDifference {
  ElementChange change = ElementChange::kChanged;
  std::string name;
  bool endpoint_before = false;
  bool endpoint_after = false;

  friend bool operator==(const SwitchDifference&, const SwitchDifference&) = default;
};

struct LinkDifference {
  ElementChange change = ElementChange::kChanged;
  PathElement first_end;  // as the network before has it, or the added link
  PathElement second_end;
  std::uint64_t cells_per_s_before = 0;
  std::uint64_t cells_per_s_after = 0;
  std::uint32_t delay_us_before = 0;
  std::uint32_t delay_us_after = 0;

  friend bool operator==(const LinkDifference&, const LinkDifference&) = default;
};

// Removed and changed elements in the order of the network before, then the added ones in theirs.
struct TopologyDifference {
  std::vector<SwitchDifference> switches;
  std::vector<LinkDifference> links;
  bool demands = false;  // these differ

  bool empty() const { return switches.empty() && links.empty() && !demands; }
};

// kBadInput: a switch that stays changes its kind, or a line that stays the way of its cells, which
// cannot be changed while cells pass; or more than kNetworkChangesMax elements differ. The text
// names the element and both values.
Result<TopologyDifference> difference(const Topology& before, const Topology& after);

// Finds the link of `in` with the ends that `link` has in `of`, in either order; nullopt: `in` has
// no such link.
std::optional<std::size_t> same_link(const Topology& in, const Topology& of,
                                     const TopologyLink& link);

}  // namespace xbind
