// What all parts of the simulated world share: chance, time, the network's weather, and the tally
// of events.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <utility>

#include "core/clock.hpp"
#include "core/event_queue.hpp"

namespace xbind::sim {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Own distributions: those of the standard library differ between implementations, its generator
// does not.
class Chance {
 public:
  explicit Chance(std::uint64_t seed) : random_(seed) {}
  std::uint64_t below(std::uint64_t limit) { return random_() % limit; }
  std::uint64_t between(std::uint64_t low, std::uint64_t high) {
    return low + below(high - low + 1);
  }
  bool percent(double share) { return static_cast<double>(below(100'000)) < share * 1000.0; }
  Duration up_to(Duration most) {
    return Duration{static_cast<std::int64_t>(below(static_cast<std::uint64_t>(most.count()) + 1))};
  }

 private:
  std::mt19937_64 random_;
};

// The buffer of every port: what SwitchServers promise, and what the switches have.
inline constexpr std::uint64_t kBufferCells = 400;

// The scheduled jobs and the clock of the world.
using Job = std::function<void()>;
using Agenda = EventQueue<Job>;

// Shares in percent.
struct Weather {
  double loss = 0;
  double repeat = 0;
  Duration delay = milliseconds{2};  // of each frame, at most
  double add_refused = 0;
  double remove_refused = 0;
  double late_answers = 0;  // of answers to the driver: perhaps after it has given up
  double two_way_lost = 0;  // of two-way invocations: half of them after they were carried out
  Duration between_accidents = Duration::zero();  // on average; zero: none
};

// Faults planted in the world, to see whether the checks find them.
enum class Planted {
  kNothing,
  kSwitchKeepsBranch,    // confirms the removal of a cross-connect, but keeps it
  kSwitchForgetsAdd,     // confirms a new cross-connect, but does not make it
  kClientReusesRequest,  // a client gives two calls the same request number
  kLabelGrantedTwice,    // the wire duplicates a label on its way into a manager's cache
  kNumberBumped,         // the wire raises a batch's number by one
  kDemandShrunk,         // the wire halves the resources that a hop requests
  kWrongEgress,          // the wire changes the egress label in a client's outcome
};

struct Tally {
  std::map<std::string, std::uint64_t> counts;
  std::uint64_t& operator[](const std::string& what) { return counts[what]; }
  std::uint64_t of(const std::string& what) const {
    const auto found = counts.find(what);
    return found == counts.end() ? 0 : found->second;
  }
  void add(const Tally& other) {
    for (const auto& [what, count] : other.counts) counts[what] += count;
  }
};

// One direction of the traffic between two parties.
struct Leg {
  TimePoint latest;     // arrival time of the last frame so far
  TimePoint cut_until;  // nothing passes before
};

// The world as its parts see it: time, chance, and where to report a violation.
struct Surroundings {
  Agenda agenda{TimePoint{seconds{1}}};
  const TimePoint& now = agenda.now();
  Chance chance;
  Tally tally;
  Weather weather;
  Planted planted = Planted::kNothing;
  bool lines = false;     // lines are drained or go down: connections get other paths
  std::string violation;  // the first one
  TimePoint violated_at;

  explicit Surroundings(std::uint64_t seed) : chance(seed) {}
  Surroundings(const Surroundings&) = delete;  // `now` refers to a member
  Surroundings& operator=(const Surroundings&) = delete;

  void violated(std::string what) {
    if (!violation.empty()) return;
    violation = std::move(what);
    violated_at = now;
  }
  void after(Duration wait, Job job) { agenda.schedule(now + wait, std::move(job)); }

  // Carries a frame. Sometimes it is lost, arrives twice, or overtakes the frame before it.
  void carry(Leg& leg, const Job& deliver) {
    if (now < leg.cut_until) {
      ++tally["cut off"];
      return;
    }
    if (chance.percent(weather.loss)) {
      ++tally["dropped"];
      return;
    }
    const bool twice = chance.percent(weather.repeat);
    if (twice) ++tally["repeated"];
    for (int copy = 0; copy < (twice ? 2 : 1); ++copy) {
      const TimePoint when = now + chance.up_to(weather.delay);
      if (when < leg.latest) ++tally["reordered"];
      leg.latest = std::max(leg.latest, when);
      agenda.schedule(when, deliver);
    }
  }
};

}  // namespace xbind::sim
