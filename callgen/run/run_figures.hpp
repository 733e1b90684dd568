// The measurements of a run so far, as plain data. Everything counts from the start of the run.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "callgen/run/offer.hpp"
#include "callgen/statistics/part_statistics.hpp"
#include "callgen/statistics/record.hpp"
#include "callgen/statistics/statistics.hpp"
#include "core/call.hpp"
#include "core/clock.hpp"

namespace xbind::callgen {

// Requests of one kind (record.hpp), including those never sent.
struct RequestCounts {
  std::uint64_t attempted = 0;
  std::uint64_t done = 0;
  std::uint64_t refused = 0;
  std::uint64_t busy = 0;
  std::uint64_t unanswered = 0;

  // While a run lasts the difference is the number under way.
  bool adds_up() const { return attempted == done + refused + busy + unanswered; }
  friend bool operator==(const RequestCounts&, const RequestCounts&) = default;
};

// Calls, by the result of setting them up: with one request, or with a hold and its commit. A held
// call is connected when its commit is done, and refused when the hold or the commit is.
struct SetupCounts {
  std::uint64_t attempted = 0;
  std::uint64_t connected = 0;
  std::uint64_t refused = 0;
  std::uint64_t busy = 0;
  std::uint64_t unanswered = 0;

  // While a run lasts the difference is the number under way.
  bool adds_up() const { return attempted == connected + refused + busy + unanswered; }
  friend bool operator==(const SetupCounts&, const SetupCounts&) = default;
};

struct ReleaseCounts {
  std::uint64_t attempted = 0;
  std::uint64_t released = 0;
  std::uint64_t failed = 0;  // refused or busy
  std::uint64_t unanswered = 0;

  bool adds_up() const { return attempted == released + failed + unanswered; }
  friend bool operator==(const ReleaseCounts&, const ReleaseCounts&) = default;
};

// Answers that did not end a request. The protocol allows only `repeated`.
struct OddOutcomes {
  std::uint64_t repeated = 0;  // to a request that had been answered
  // differs from the first answer as far as known, or does not fit the request
  std::uint64_t contradicted = 0;
  std::uint64_t late = 0;     // to a request that had been given up as unanswered
  std::uint64_t unknown = 0;  // to a request that was never sent, or not to that manager

  friend bool operator==(const OddOutcomes&, const OddOutcomes&) = default;
};

// Notices from the managers about connections that were up (core/call.hpp, Notice).
struct NoticeCounts {
  std::uint64_t broken = 0;
  std::uint64_t rerouted = 0;
  std::uint64_t mended = 0;
  std::uint64_t unknown = 0;
  std::uint64_t incomplete = 0;
  Duration span{};  // from the first to the last

  std::uint64_t all() const { return broken + rerouted + mended + unknown + incomplete; }
  friend bool operator==(const NoticeCounts&, const NoticeCounts&) = default;
};

// Counts refusals by cause and by place. Bounded: there are few causes, and places beyond the
// kMostPlaces-th share one row per cause.
class CauseCounts {
 public:
  static constexpr std::size_t kMostPlaces = 64;
  void count(const Outcome& outcome);
  void merge(const CauseCounts& other);
  // From the results of by_cause() and by_place().
  static CauseCounts from(std::map<std::string, std::uint64_t> by_cause,
                          std::map<std::string, std::uint64_t> by_place);
  // "no bandwidth" -> 12
  const std::map<std::string, std::uint64_t>& by_cause() const { return by_cause_; }
  // "no bandwidth at switch-1 port 2" -> 7, "no bandwidth elsewhere" -> 5; the same total. Invalid
  // requests with their reason: "invalid request at cells/s: 0 cells/s are not in 1 to 16777215".
  const std::map<std::string, std::uint64_t>& by_place() const { return by_place_; }

 private:
  std::map<std::string, std::uint64_t> by_cause_;
  std::map<std::string, std::uint64_t> by_place_;
};

// All measurements of a run so far, from its start.
struct RunFigures {
  // Until a point in time, one at a time or with a changed rate: known when the run is over.
  std::uint64_t planned_calls = 0;
  // Known when the run is over: the operator's changes, and calls a second that were asked for
  // until the last one was sent, on average and at most; nullopt: the plan's own.
  std::vector<OfferChange> changes{};
  std::optional<double> asked_per_s{};
  std::optional<double> asked_peak_per_s{};
  SetupCounts setups;
  ReleaseCounts releases;
  std::array<RequestCounts, kRequestKinds> requests{};  // by kind; includes those counted above
  OddOutcomes odd;
  NoticeCounts notices;
  std::uint64_t shed = 0;  // part of setups.unanswered: never sent, see RunPlan::max_open_calls
  CauseCounts refusals;    // of setups, holds and commits
  CauseCounts change_refusals;  // of requests while a call was up
  CauseCounts release_failures;
  std::uint64_t calls_up = 0;  // connected, release not yet answered
  std::uint64_t calls_up_peak = 0;
  std::uint64_t batches = 0;  // returned for sending
  bool target_lost = false;
  bool interrupted = false;  // Runner::stop() ended it: calls not yet due then were never attempted

  Statistics statistics;  // from the records of all ended requests

  // By the phases and the classes of the plan.
  std::vector<PartStatistics> phases{};
  std::vector<PartStatistics> classes{};

  Duration planned_span{};  // from the start to the planned arrival of the last call attempted
  Duration sent_span{};     // from the start until the last setup was sent
  Duration duration{};      // from the start to the end of the run
  // The planned gaps between arrivals; they depend on the seed, not on the system.
  double gap_mean_s = 0;
  double gap_variation = 0;  // standard deviation / mean: about 1 for Poisson, 0 for constant

  const RequestCounts& of(RequestKind kind) const {
    return requests[static_cast<std::size_t>(kind)];
  }
};

// For the progress line; everything since the start of the run.
struct Progress {
  Duration elapsed{};
  double offered_per_s = 0;             // setups sent a second
  std::optional<double> asked_per_s{};  // of the plan now; nullopt: no rate, or all are offered
  bool paused = false;
  bool all_offered = false;
  std::uint64_t planned = 0;                        // calls of the plan
  std::uint64_t sent = 0;                           // setups
  std::map<std::string, std::uint64_t> refusals{};  // by cause
  std::uint64_t connected = 0;
  std::uint64_t refused = 0;
  std::uint64_t busy = 0;
  std::uint64_t unanswered = 0;
  std::uint64_t up = 0;
  Duration setup_p50{};
  Duration setup_p99{};
  std::uint64_t in_flight = 0;  // calls with a request under way
  // Since the previous progress; `since` is that time.
  Duration since{};
  std::uint64_t answered = 0;  // requests of all kinds
  Duration recent_p50{};
  Duration recent_p90{};
  Duration recent_p99{};
};

}  // namespace xbind::callgen
