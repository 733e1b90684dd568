// What a run has measured so far, as plain data. Everything counts from the start of the run.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "callgen/statistics/record.hpp"
#include "callgen/statistics/statistics.hpp"
#include "core/call.hpp"
#include "core/clock.hpp"

namespace xbind::callgen {

// Of the requests of one kind (record.hpp), those never sent included.
struct RequestCounts {
  std::uint64_t attempted = 0;
  std::uint64_t done = 0;
  std::uint64_t refused = 0;
  std::uint64_t busy = 0;
  std::uint64_t unanswered = 0;

  // While a run lasts the difference is what is under way.
  bool adds_up() const { return attempted == done + refused + busy + unanswered; }
  friend bool operator==(const RequestCounts&, const RequestCounts&) = default;
};

// Of calls, each by what came of its being set up: by one request, or by a hold and its commit. So a call
// that was held is connected when its commit is done, and refused when the hold or the commit is.
struct SetupCounts {
  std::uint64_t attempted = 0;
  std::uint64_t connected = 0;
  std::uint64_t refused = 0;
  std::uint64_t busy = 0;
  std::uint64_t unanswered = 0;

  // While a run lasts the difference is what is under way.
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

// Answers that ended nothing. Only `repeated` is allowed by the protocol.
struct OddOutcomes {
  std::uint64_t repeated = 0;      // of a request that had been answered
  std::uint64_t contradicted = 0;  // another answer than the first one, as far as we still know it,
                                   // or one that does not fit the request
  std::uint64_t late = 0;          // of a request that had been given up as unanswered
  std::uint64_t unknown = 0;       // of a request that was never sent, or not to that manager

  friend bool operator==(const OddOutcomes&, const OddOutcomes&) = default;
};

// What the managers told of connections that were up: core/call.hpp, Notice.
struct NoticeCounts {
  std::uint64_t broken = 0;
  std::uint64_t rerouted = 0;
  std::uint64_t mended = 0;
  std::uint64_t unknown = 0;
  Duration span{};  // from the first to the last

  std::uint64_t all() const { return broken + rerouted + mended + unknown; }
  friend bool operator==(const NoticeCounts&, const NoticeCounts&) = default;
};

// How often something was refused, and why. Bounded: the causes are few; of the places, those
// beyond the kMostPlaces-th share one row per cause.
class CauseCounts {
 public:
  static constexpr std::size_t kMostPlaces = 64;
  void count(const Outcome& outcome);
  void merge(const CauseCounts& other);
  // As by_cause() and by_place() told it.
  static CauseCounts from(std::map<std::string, std::uint64_t> by_cause,
                          std::map<std::string, std::uint64_t> by_place);
  // "no bandwidth" -> 12
  const std::map<std::string, std::uint64_t>& by_cause() const { return by_cause_; }
  // "no bandwidth at switch-1 port 2" -> 7, "no bandwidth elsewhere" -> 5; adds up to the same.
  const std::map<std::string, std::uint64_t>& by_place() const { return by_place_; }

 private:
  std::map<std::string, std::uint64_t> by_cause_;
  std::map<std::string, std::uint64_t> by_place_;
};

// Everything a run has measured so far. All of it counts from the start of the run.
struct RunFigures {
  std::uint64_t planned_calls = 0;  // one at a time until a moment: known when the run is over
  SetupCounts setups;
  ReleaseCounts releases;
  std::array<RequestCounts, kRequestKinds> requests{};  // by kind; also those counted above
  OddOutcomes odd;
  NoticeCounts notices;
  std::uint64_t shed = 0;       // of setups.unanswered: never sent, see RunPlan::max_open_calls
  CauseCounts refusals;         // of setups, holds and commits
  CauseCounts change_refusals;  // of what was asked for while a call was up
  CauseCounts release_failures;
  std::uint64_t calls_up = 0;  // connected, release not yet answered
  std::uint64_t calls_up_peak = 0;
  std::uint64_t batches = 0;  // handed out
  bool target_lost = false;
  bool interrupted = false;  // Runner::stop(): calls not yet due by then were never attempted

  Statistics statistics;  // of the records of all requests that are over

  Duration planned_span{};  // from the start to the planned arrival of the last call attempted
  Duration sent_span{};     // ... to the moment the last setup was sent
  Duration duration{};      // ... to the end of the run
  // Of the planned gaps between arrivals; a sample of the seed, not of the system.
  double gap_mean_s = 0;
  double gap_variation = 0;  // standard deviation / mean: about 1 for Poisson, 0 for constant

  const RequestCounts& of(RequestKind kind) const {
    return requests[static_cast<std::size_t>(kind)];
  }
};

// For one line while the run lasts; everything since its start.
struct Progress {
  Duration elapsed{};
  double offered_per_s = 0;  // setups sent a second
  std::uint64_t connected = 0;
  std::uint64_t refused = 0;
  std::uint64_t busy = 0;
  std::uint64_t unanswered = 0;
  std::uint64_t up = 0;
  Duration setup_p50{};
  Duration setup_p99{};
  std::uint64_t in_flight = 0;  // calls that a request is under way for
  // Since the progress before, of `since`.
  Duration since{};
  std::uint64_t answered = 0;  // requests of all kinds
  Duration recent_p50{};
  Duration recent_p99{};
};

}  // namespace xbind::callgen
