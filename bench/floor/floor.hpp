// The floor: null processes of our own (daemon.hpp), and what the ORB, the sessions and the generator alone
// do with them. They live as long as a Floor.
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
  std::uint32_t switches = 3;  // 0: the manager answers by itself; at most kMostSwitches
  // The generator on the first processor that we may use, everything else on the others. With one
  // processor alone nothing is bound.
  bool apart = false;
  std::string listen_address = "127.0.0.1";
};

// What a play has cost in processor time, whole processes.
struct Cost {
  Duration wall{};
  Duration generator{};
  Duration manager{};
  Duration switches{};  // all of them
};

class Floor {
 public:
  // Starts the processes. kUnreachable, kTimeout: one of them did not come up; its standard error says why.
  static Result<std::unique_ptr<Floor>> start(const FloorSetup& setup, orb::Runtime& runtime);
  ~Floor();  // they end, in order
  Floor(const Floor&) = delete;
  Floor& operator=(const Floor&) = delete;

  // Round trips through the ORB to the null manager.
  Result<Pings> orb_pings();
  // The open load of callgen, engine "null". The report has everything but memory and the ratios.
  Result<RunReport> offer(const RunPlan& plan, Workload workload);
  Result<LoopFigures> loop(const LoopPlan& plan, Workload workload);
  // Of the latest offer() or loop().
  const Cost& cost() const { return cost_; }

 private:
  Floor(const FloorSetup& setup, orb::Runtime& runtime) : setup_(setup), runtime_(runtime) {}
  // A client's play against the manager: the time it takes, and what it costs, go into cost_.
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

// What a floor's measurements are called in its figures (callgen/README.md, "The floor").
void add_pings(const std::string& what, const Pings& pings, FloorFigures& figures);
// `of`: what the names begin with; `calls`: how many the cost is of.
void add_cost(const std::string& of, const Cost& cost, double calls, FloorFigures& figures);
void add_latencies(const RunReport& report, FloorFigures& figures);
void add_ceiling(const LoopPlan& plan, const LoopFigures& loop, FloorFigures& figures);

}  // namespace xbind::callgen::null
