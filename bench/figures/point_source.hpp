// One point of a figure: a system under a load, and the results. A source provides them: the model
// of the paper's hosts on virtual time (model_source.hpp), or real processes (process_source.hpp).
// Figures use this interface alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "callgen/load/holding_time.hpp"
#include "core/clock.hpp"
#include "core/result.hpp"

namespace xbind::figures {

enum class Engine : std::uint8_t { kXbind, kSequential, kThreaded };
enum class Gathering : std::uint8_t {
  kFixed,
  kRegions,
  kAdaptive
};  // what decides when a batch is sent

// The manager and the path of its calls.
struct System {
  Engine engine = Engine::kXbind;
  std::size_t threads = 32;  // of the threaded engine
  Gathering gathering = Gathering::kFixed;
  std::size_t threshold = 1;  // T; with kFixed
  Duration flush_timeout = std::chrono::seconds{1};
  std::size_t labels_cached = 256;  // kept for each (switch, output port); 0: no cache
  Duration route_validity = std::chrono::seconds{5};
  std::size_t switches = 3;  // on the path, including the two hosts

  friend bool operator==(const System&, const System&) = default;
};

struct Load {
  double calls_per_s = 1;  // Poisson; ignored when one_at_a_time
  std::uint64_t calls = 10'000;
  // The next setup begins when the release of the previous call has been answered (paper, section
  // III-B); no call is held.
  bool one_at_a_time = false;
  callgen::HoldDistribution hold_distribution = callgen::HoldDistribution::kExponential;
  Duration hold_mean = std::chrono::milliseconds{500};
  std::size_t client_batch = 1;  // most requests in one message to the manager
  std::uint64_t seed = 1;

  friend bool operator==(const Load&, const Load&) = default;
};

struct Point {
  System system;
  Load load;

  friend bool operator==(const Point&, const Point&) = default;
};

// Milliseconds; zeros when count is 0.
struct Latency {
  std::uint64_t count = 0;
  double min = 0;
  double mean = 0;
  double p5 = 0;
  double p50 = 0;
  double p95 = 0;
  double p99 = 0;
  double max = 0;
};

struct Shown {
  std::uint64_t offered = 0;
  std::uint64_t connected = 0;
  std::uint64_t refused = 0;  // including busy answers
  std::uint64_t unanswered = 0;
  double offered_per_s = 0;     // setups, while calls were offered
  double achieved_per_s = 0;    // connected setups, in the same time
  double operations_per_s = 0;  // setups and releases answered a second, in the same time
  double invocations_per_s =
      0;                   // GIOP requests at the manager, both legs and directions, same time
  bool sustained = false;  // all offered calls were answered, and no queue grew
  Latency setup;           // of connected calls, from the planned arrival, without the warm-up
  double hit_ratio = 0;    // of the label caches; 0 without
  // [n]: arrivals that found n setups under way, or, where the source knows, n labels of one output
  // port taken and not yet replaced. By PASTA this is the distribution of N.
  std::vector<std::uint64_t> in_use_at_arrivals;
  double mean_in_use = 0;  // over time, not at arrivals; 0 when the source does not know
};

class PointSource {
 public:
  virtual ~PointSource() = default;

  // "model of the paper's hosts", "processes on this machine".
  virtual std::string name() const = 0;
  // A source on virtual time returns the same answer for the same point; real processes return
  // another sample. Errors: the point could not be measured at all (no lab, a program that failed).
  // Refused and unanswered calls are results, in Shown.
  virtual Result<Shown> measure(const Point& point) = 0;
};

}  // namespace xbind::figures
