// RouteObject's answers: the network as it is now, its version, and how long an answer may be kept.
//
// Any thread may call. What is reported or drained makes another view of the network beside the one in
// force; answers under way finish on the view they began with, and wait for nothing. An answer is
// right for that view of the network; whether there is room at this moment the SwitchServers say
// (network_view.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/clock.hpp"
#include "core/path.hpp"
#include "core/result.hpp"
#include "routeobject/network_view.hpp"
#include "routeobject/path_query.hpp"
#include "routeobject/router.hpp"
#include "routeobject/timers.hpp"
#include "routeobject/topology/topology.hpp"

namespace xbind {

inline constexpr std::size_t kRouteQueriesMax = 4096;      // of one batch
inline constexpr std::size_t kRouteAvoidMax = 16;          // elements of one query
inline constexpr std::size_t kRouteDisjointHopsMax = 256;  // of the other path
inline constexpr std::size_t kRouteLinksMax = 10'000;      // shown at a time
// Partial paths of all searches of one batch: as many as 16 queries may hold that are too hard.
inline constexpr std::size_t kRouteBatchLabelsMax = 16 * kPathLabelsMax;
inline constexpr std::uint32_t kRouteValidityMsDefault =
    kRouteObjectTimers.ms("validity-ms").count();
inline constexpr std::uint32_t kRouteValidityMsMax = 3'600'000;

struct RouteAnswers {
  std::vector<RouteAnswer> answers;    // one per query, in their order
  std::uint64_t topology_version = 0;  // see router.hpp
  std::uint32_t validity_ms = 0;  // from the moment of receipt; refusals too may be kept so long
};

// A link for the operator; what is free is as last reported.
struct LinkReport {
  LinkEnd first_end;
  LinkEnd second_end;
  LineCondition condition;
  std::uint64_t cells_per_s = 0;  // of the line, as the topology says
  std::uint64_t first_free = 0;   // cells/s out of the first end
  std::uint64_t second_free = 0;
  std::uint32_t delay_us = 0;

  friend bool operator==(const LinkReport&, const LinkReport&) = default;
};

class RouteService {
 public:
  // `validity_ms`: 1 to kRouteValidityMsMax. `first_version` above those of earlier lives, so that who
  // remembers one of them sees the version rise.
  RouteService(Topology topology, std::uint32_t validity_ms, std::uint64_t first_version = 1,
               SwitchTrustOptions trust = {});

  // kBadInput: more than kRouteQueriesMax queries, or in one of them more than kRouteAvoidMax elements
  // to avoid, kPathRequiredMax to require or kRouteDisjointHopsMax hops of another path.
  Result<RouteAnswers> answer(std::span<const PathQuery> queries) const;
  // Up to `count` paths of one query, or its refusal alone (network_view.hpp). kBadInput also: `count` is
  // not in 1 to kAlternatesMax.
  Result<RouteAnswers> alternates(const PathQuery& query, std::size_t count) const;

  // As Router::report(), Router::drain() and Router::tick(); true: the version has risen.
  Result<bool> report(std::string_view switch_name, Epoch incarnation, std::uint64_t number,
                      std::span<const PortReport> ports, TimePoint now);
  bool tick(TimePoint now);
  Result<bool> drain(const PathElement& element, bool drained);
  // As Router::drains().
  std::vector<PathElement> drains() const;

  // How old the last report of each switch is that was no late one; those that have reported, in
  // the topology's order.
  struct ReportAge {
    std::string switch_name;
    Duration age{0};
  };
  std::vector<ReportAge> report_ages(TimePoint now) const;

  // The switches that are unknown, in the topology's order.
  std::vector<UnknownSwitch> unknown_switches(TimePoint now) const;
  // What is up, down, unknown and drained now. Never null.
  std::shared_ptr<const NetworkCondition> condition() const;
  std::uint64_t version() const { return condition()->state.version; }
  // Of the topology, in its order, from the link numbered `first` on. kBadInput: `limit` is not in 1 to
  // kRouteLinksMax.
  Result<std::vector<LinkReport>> links(std::size_t first, std::size_t limit) const;

  const Topology& topology() const { return *topology_; }
  std::uint32_t validity_ms() const { return validity_ms_; }

  struct Counters {
    std::uint64_t reports = 0;
    std::uint64_t stale_reports = 0;
    std::uint64_t links_down = 0;  // and access lines
    std::uint64_t links_drained = 0;
    std::uint64_t links_unknown = 0;
    std::uint64_t switches_unknown = 0;
  };
  Counters counters() const;

 private:
  std::shared_ptr<const NetworkView> current() const;
  // Puts the view with this change in force. `changing_` is held.
  Result<bool> take(const Result<RouterChange>& change);

  const std::shared_ptr<const Topology> topology_;
  const std::uint32_t validity_ms_;
  mutable std::mutex changing_;  // guards the router; one change after the other
  Router router_;
  std::vector<std::optional<TimePoint>> reported_at_;  // by switch; guarded alike
  mutable std::mutex mutex_;  // guards the pointer alone; held for its copy
  std::shared_ptr<const NetworkView> current_;
};

}  // namespace xbind
