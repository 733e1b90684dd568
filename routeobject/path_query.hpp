// What may be asked of a path, and why there is none.
//
// A path is loopless: it passes no switch twice. Of all paths that meet the query the answer is the
// one that costs least, then the one of fewest links, then the one whose first link stands first in
// the topology, then whose second does, and so on: the same question always has the same answer.
//
// Bounds hold for the direction asked about. An avoided link is used in neither direction. What the
// topology does not know excludes nothing, in `avoid` and in `disjoint_from`: the asker's knowledge
// may be older. What is required must be known.
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

inline constexpr std::size_t kPathAvoidMax = 4096;
inline constexpr std::size_t kPathRequiredMax = 8;
// Partial paths that a search holds at most, with 64 octets each. Only queries with a bound on delay
// or links that the best path breaks, or with required elements, hold any. Least cost within a delay
// is NP-hard, loopless ways through required elements are too: the search is exact, and where it would
// need more it refuses instead of guessing. So it does after 128 comparisons of labels for each.
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
  std::optional<std::uint64_t> delay_us_max{};  // the links' delays together
  std::optional<std::uint32_t> links_max{};     // one less than switches
  std::vector<PathElement> avoid{};
  // Switches and links that the path goes through, in any order; a link in either direction.
  std::vector<PathElement> require{};
  Disjoint disjoint = Disjoint::kNo;
  std::vector<PathHop> disjoint_from{};
  std::size_t labels_max = kPathLabelsMax;

  friend bool operator==(const PathQuery&, const PathQuery&) = default;
};

struct FoundPath {
  Path path;                     // free_cells_per_s: the least of its links
  std::uint64_t cost = 0;        // in the query's metric
  std::uint64_t delay_us = 0;    // of its links together
  std::vector<ArcIndex> arcs{};  // the same path in the graph asked

  friend bool operator==(const FoundPath&, const FoundPath&) = default;
};

// A new one exists when some caller would act differently on it.
enum class PathFault : std::uint8_t {
  kUnknownEnd,       // no switch of that name, or it is no endpoint
  kUnknownElement,   // a required switch or link that the topology does not have
  kContradiction,    // no network whatever could meet it
  kTooManyElements,  // more in `avoid` or `require` than the bounds above; asked, free = the bound
  kDisconnected,     // nothing that may be used joins the ends
  kNoBandwidth,      // something does, at a lower rate; asked, free = of the widest path
  kTooManyLinks,     // asked = the bound, free = the fewest there are
  kTooSlow,          // asked = the bound, free = the least delay there is
  kNoneMeetsAll,     // each bound could be met, all together cannot
  kTooHard,          // the search would need more than `labels_max`; asked = labels_max
};

// "unknown end", "contradiction", ...
std::string_view to_string(PathFault fault);

struct PathRefusal {
  PathFault fault = PathFault::kDisconnected;
  std::string text;  // one sentence that names the value that earned it
  std::uint64_t asked = 0;
  std::uint64_t free = 0;
  std::string element;  // what stands in the way: a name, "sw port 2", or "host-a -> host-b"

  friend bool operator==(const PathRefusal&, const PathRefusal&) = default;
};

using PathAnswer = tl::expected<FoundPath, PathRefusal>;

}  // namespace xbind
