// The floor: null processes (null/daemon.hpp), and what the ORB, the sessions and the generator
// achieve with them. The processes live as long as a Floor.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/floor/ping.hpp"
#include "bench/null/gathering.hpp"
#include "bench/processes/own_child.hpp"
#include "bench/search/closed_loop.hpp"
#include "callgen/load/workload.hpp"
#include "callgen/report/floor_figures.hpp"
#include "callgen/report/report.hpp"
#include "callgen/run/runner.hpp"
#include "core/result.hpp"
#include "orb/runtime.hpp"

namespace xbind::callgen::null {

inline constexpr std::uint32_t kMostSwitches = 16;

struct FloorSetup {
  Gathering gathering;
  std::uint32_t switches = 3;  // 0: the manager answers alone; at most kMostSwitches
  // Binds the generator to the first processor that this process may use, and everything else to
  // the others. With a single processor nothing is bound.
  bool apart = false;
  std::string listen_address = "127.0.0.1";
};

// The processor time of a play, by whole processes.
struct Cost {
  Duration wall{};
  Duration generator{};
  Duration manager{};
  Duration switches{};  // all switches together
};

class Floor {
 public:
  // Starts the processes. kUnreachable, kTimeout: one of them did not start; its standard error
  // says why.
  static Result<std::unique_ptr<Floor>> start(const FloorSetup& setup, orb::Runtime& runtime);
  ~Floor();  // ends them in order
  Floor(const Floor&) = delete;
  Floor& operator=(const Floor&) = delete;

  // Round trips through the ORB to the null manager.
  Result<Pings> orb_pings();
  // Runs callgen's open load, engine "null". The report has everything except memory and the
  // ratios.
  Result<RunReport> offer(const RunPlan& plan, Workload workload);
  Result<LoopFigures> loop(const LoopPlan& plan, Workload workload);
  // Of the last offer() or loop().
  const Cost& cost() const { return cost_; }

 private:
  Floor(const FloorSetup& setup, orb::Runtime& runtime) : setup_(setup), runtime_(runtime) {}
  // Plays a client against the manager and adds its time and cost to cost_.
  template <class Play>
  Result<void> with_client(Play&& play);
  Duration cpu_of_switches() const;

  FloorSetup setup_;
  orb::Runtime& runtime_;
  std::vector<OwnChild> switches_;
  std::optional<OwnChild> manager_;
  CORBA::Object_var object_;  // the manager
  std::vector<int> processors_;
  std::uint64_t clients_ = 0;
  Cost cost_;
};

// The names of a floor's measurements in its figures (bench/README.md, "The floor").
void add_pings(const std::string& what, const Pings& pings, FloorFigures& figures);
// `of`: the prefix of the names; `calls`: the number of calls that the cost belongs to.
void add_cost(const std::string& of, const Cost& cost, double calls, FloorFigures& figures);
void add_latencies(const RunReport& report, FloorFigures& figures);
void add_ceiling(const LoopPlan& plan, const LoopFigures& loop, FloorFigures& figures);

}  // namespace xbind::callgen::null
