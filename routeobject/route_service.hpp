// RouteObject's answers: the present network, its version, and how long an answer may be cached.
//
// Any thread may call. A report or drain makes a new view of the network and replaces the present
// one. Queries under way finish on the view they began with, and wait for nothing. An answer is
// right for its view; whether there is room at this moment is the SwitchServers' decision
// (network_view.hpp).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
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

inline constexpr std::size_t kRouteQueriesMax = 4096;         // of one batch
inline constexpr std::size_t kRouteAvoidMax = kPathAvoidMax;  // elements of one query
inline constexpr std::size_t kRouteDisjointHopsMax = 256;     // of the other path
inline constexpr std::size_t kRouteLinksMax = 10'000;         // returned at a time
// Partial paths for all searches of one batch: enough for 16 queries that are too hard.
inline constexpr std::size_t kRouteBatchLabelsMax = 16 * kPathLabelsMax;
inline constexpr std::uint32_t kRouteValidityMsDefault =
    kRouteObjectTimers.ms("validity-ms").count();
inline constexpr std::uint32_t kRouteValidityMsMax = 3'600'000;

struct RouteAnswers {
  std::vector<RouteAnswer> answers;    // one per query, in their order
  std::uint64_t topology_version = 0;  // see router.hpp
  std::uint32_t validity_ms = 0;       // from the moment of receipt; also for refusals
};

// A link for the operator; its free rates are as last reported.
struct LinkReport {
  PathElement first_end;
  PathElement second_end;
  LineCondition condition;
  std::uint64_t cells_per_s = 0;     // of the line, as the topology says
  std::uint64_t first_promised = 0;  // cells/s, output of the first end: what it may promise
  std::uint64_t second_promised = 0;
  std::uint64_t first_free = 0;  // of this, not used
  std::uint64_t second_free = 0;
  std::uint32_t delay_us = 0;

  friend bool operator==(const LinkReport&, const LinkReport&) = default;
};

class RouteService {
 public:
  // `validity_ms`: 1 to kRouteValidityMsMax. `first_version` must be above those of earlier
  // processes, so that a manager that remembers one sees the version rise.
  RouteService(Topology topology, std::uint32_t validity_ms, std::uint64_t first_version = 1,
               SwitchTrustOptions trust = {});

  // Called with the conditions before and after each change of what is up, down, unknown or
  // drained, one call at a time, by the thread that changes it. Set before other threads call.
  using OnCondition =
      std::function<void(const NetworkCondition& before, const NetworkCondition& after)>;
  void on_condition(OnCondition on_condition) { on_condition_ = std::move(on_condition); }

  // kBadInput: more than kRouteQueriesMax queries, or a query with more than kRouteAvoidMax
  // elements to avoid, kPathRequiredMax required ones or kRouteDisjointHopsMax hops of another
  // path.
  Result<RouteAnswers> answer(std::span<const PathQuery> queries) const;
  // Returns up to `count` paths for one query, or its refusal alone (network_view.hpp). kBadInput
  // also: `count` is not in 1 to kAlternatesMax.
  Result<RouteAnswers> alternates(const PathQuery& query, std::size_t count) const;

  // As Router::report(), Router::drain() and Router::tick(). Returns true if the version has risen.
  Result<bool> report(std::string_view switch_name, Epoch incarnation, std::uint64_t number,
                      std::span<const PortReport> ports, TimePoint now,
                      ReportAnswer* answer = nullptr);
  bool tick(TimePoint now);
  Result<bool> drain(const PathElement& element, bool drained);
  // As Router::replace_network(): what it removes is reported as drained for two validity times.
  // Queries under way end with the network that they began with.
  void replace_network(Topology topology, TimePoint now);
  // As Router::drains() and Router::reported_ports().
  std::vector<PathElement> drains() const;
  std::vector<PortId> reported_ports(std::string_view switch_name) const;

  // The age of each switch's latest report that was not stale; only switches that have reported, in
  // the topology's order.
  struct ReportAge {
    std::string switch_name;
    Duration age{0};
  };
  std::vector<ReportAge> report_ages(TimePoint now) const;

  // The switches that are unknown, in the topology's order.
  std::vector<UnknownSwitch> unknown_switches(TimePoint now) const;
  // The elements that are up, down, unknown and drained at present. Never null.
  std::shared_ptr<const NetworkCondition> condition() const;
  std::uint64_t version() const { return condition()->state.version; }
  // The topology's links, in its order, from index `first` on. kBadInput: `limit` is not in 1 to
  // kRouteLinksMax.
  Result<std::vector<LinkReport>> links(std::size_t first, std::size_t limit) const;

  // The present network. Never null; it stays as it is while the caller has it.
  std::shared_ptr<const Topology> topology() const;
  // A network and its condition, of the same moment.
  struct Snapshot {
    std::shared_ptr<const Topology> topology;
    std::shared_ptr<const NetworkCondition> condition;
  };
  Snapshot snapshot() const;
  std::uint32_t validity_ms() const { return validity_ms_; }

  struct Counters {
    std::uint64_t reports = 0;
    std::uint64_t stale_reports = 0;
    std::uint64_t links_down = 0;  // access lines included
    std::uint64_t links_drained = 0;
    std::uint64_t links_unknown = 0;
    std::uint64_t switches_unknown = 0;
  };
  Counters counters() const;

 private:
  std::shared_ptr<const NetworkView> current() const;
  // Replaces the present view by one with this change. The caller holds `changing_`.
  Result<bool> take(const Result<RouterChange>& change);

  void publish(NetworkView view);

  const std::uint32_t validity_ms_;
  mutable std::mutex changing_;  // guards the router; serialises changes
  Router router_;
  OnCondition on_condition_;
  // By the names of switches that have reported; guarded by changing_.
  std::map<std::string, TimePoint, std::less<>> reported_at_;
  mutable std::mutex mutex_;  // guards only current_; held while it is copied
  std::shared_ptr<const NetworkView> current_;
};

}  // namespace xbind
