// RouteObject's answers: the topology in force, its version, and how long an answer may be kept.
//
// Any thread may call; a replace() does not disturb answers under way, they finish on the topology
// they began with. An answer is right for that version of the topology, whatever calls are there.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "core/path.hpp"
#include "core/result.hpp"
#include "routeobject/path_search.hpp"
#include "routeobject/topology.hpp"

namespace xbind {

inline constexpr std::size_t kRouteQueriesMax = 4096;  // of one batch
inline constexpr std::size_t kRouteAvoidMax = 16;      // elements of one query
inline constexpr std::uint32_t kRouteValidityMsDefault = 5000;
inline constexpr std::uint32_t kRouteValidityMsMax = 3'600'000;

struct RouteQuery {
  std::string from;  // endpoint names
  std::string to;
  std::uint64_t cells_per_s = 0;
  std::vector<PathElement> avoid{};  // what the path must not use; see path_search.hpp

  friend bool operator==(const RouteQuery&, const RouteQuery&) = default;
};

using RouteAnswer = tl::expected<Path, RouteRefusal>;

struct RouteAnswers {
  std::vector<RouteAnswer> answers;    // one per query, in their order
  std::uint64_t topology_version = 0;  // the first topology is version 1
  std::uint32_t validity_ms = 0;  // from the moment of receipt; refusals too may be kept so long
};

class RouteService {
 public:
  // `validity_ms`: 1 to kRouteValidityMsMax.
  RouteService(Topology topology, std::uint32_t validity_ms);

  // kBadInput: more than kRouteQueriesMax queries, or more than kRouteAvoidMax elements to avoid.
  Result<RouteAnswers> answer(std::span<const RouteQuery> queries) const;

  // Puts another topology in force and returns its version, one more than the last.
  std::uint64_t replace(Topology topology);

  std::uint64_t version() const;
  // The topology in force, alive as long as the pointer, also after a replace().
  std::shared_ptr<const Topology> topology() const;

 private:
  struct Snapshot {
    explicit Snapshot(Topology taken) : topology(std::move(taken)), search(topology) {}
    const Topology topology;
    const PathSearch search;
    std::uint64_t version = 1;  // set before it is published
  };
  std::shared_ptr<const Snapshot> current() const;

  const std::uint32_t validity_ms_;
  mutable std::mutex mutex_;  // guards the pointer alone; held for its copy
  std::shared_ptr<const Snapshot> current_;
};

}  // namespace xbind
