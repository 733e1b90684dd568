// Path queries, and the reasons for refusing them.
//
// A path is loopless: it visits no switch twice. Of all paths that meet the query the answer is the
// one of least cost, then with the fewest links, then the one whose first link is first in the
// topology, then whose second is, and so on. So the same query always has the same answer.
//
// Bounds apply to the direction of the query. An avoided link is used in neither direction.
// Elements of `avoid` and `disjoint_from` that the topology does not know exclude nothing, since
// the querier's knowledge may be older. Required elements must be known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "core/path.hpp"
#include "routeobject/load_cost.hpp"

namespace xbind {

// Enough for both ends of every link that one change of the network may remove
// (kNetworkChangesMax).
inline constexpr std::size_t kPathAvoidMax = 4096;
inline constexpr std::size_t kPathRequiredMax = 8;
// Partial paths that a search holds at most, of 64 octets each. Only two kinds of queries hold any:
// those with a bound on delay or links that the best path exceeds, and those with required
// elements. Least cost within a delay is NP-hard, and so are loopless paths through required
// elements. The search is exact; if it would need more partial paths, or 128 comparisons for each
// of them, it refuses instead of guessing.
inline constexpr std::size_t kPathLabelsMax = 400'000;

enum class Disjoint : std::uint8_t {
  kNo,
  kLinks,     // shares no link with the other path, in either direction
  kSwitches,  // nor a switch, apart from the query's own ends
};

struct PathQuery {
  std::string from;  // endpoint names
  std::string to;
  std::uint64_t cells_per_s = 0;  // free on every link of the path; 0: any link that is up
  PathMetric metric = PathMetric::kHops;
  std::optional<std::uint64_t> delay_us_max{};  // on the sum of the links' delays
  std::optional<std::uint32_t> links_max{};     // one less than switches
  std::vector<PathElement> avoid{};
  // Switches and links that the path must use, in any order; a link in either direction.
  std::vector<PathElement> require{};
  Disjoint disjoint = Disjoint::kNo;
  std::vector<PathHop> disjoint_from{};
  std::size_t labels_max = kPathLabelsMax;

  friend bool operator==(const PathQuery&, const PathQuery&) = default;
};

struct FoundPath {
  Path path;                     // free_cells_per_s: the least of its links
  std::uint64_t cost = 0;        // in the query's metric
  std::uint64_t delay_us = 0;    // sum over its links
  std::vector<ArcIndex> arcs{};  // the same path in the queried graph

  friend bool operator==(const FoundPath&, const FoundPath&) = default;
};

// A fault has a value of its own if some caller would act differently on it.
enum class PathFault : std::uint8_t {
  kUnknownEnd,       // no switch of that name, or it is no endpoint
  kUnknownElement,   // a required switch or link that the topology does not have
  kContradiction,    // no network could meet the query
  kTooManyElements,  // more in `avoid` or `require` than the bounds above; asked, free = the bound
  kDisconnected,     // nothing usable joins the ends
  kNoBandwidth,      // the ends are joined, but at a lower rate; asked, free = of the widest path
  kTooManyLinks,     // asked = the bound, free = the fewest possible
  kTooSlow,          // asked = the bound, free = the least delay possible
  kNoneMeetsAll,     // each bound could be met alone, but not all together
  kTooHard,          // the search would need more than `labels_max`; asked = labels_max
};

// "unknown end", "contradiction", ...
std::string_view to_string(PathFault fault);

struct PathRefusal {
  PathFault fault = PathFault::kDisconnected;
  std::string text;  // one sentence that names the value at fault
  std::uint64_t asked = 0;
  std::uint64_t free = 0;
  std::string element;  // the obstacle: a name, "sw port 2", or "host-a -> host-b"

  friend bool operator==(const PathRefusal&, const PathRefusal&) = default;
};

using PathAnswer = tl::expected<FoundPath, PathRefusal>;

}  // namespace xbind
