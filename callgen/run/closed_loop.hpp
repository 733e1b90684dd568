// Keeps a fixed number of requests under way, each answered one followed by the next: how many a second can
// be had at most. Every slot sets a call up, releases it, and sets up the next.
//
// The first `warm_up` is not measured; after `measured` nothing new is set up, and what is up is released. A
// closed loop slows down with what it measures: its latencies tell what the number in flight costs, never
// what a caller would see. Those are for the open load (runner.hpp).
//
// Not thread-safe. No clock, no CORBA.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "callgen/load/workload.hpp"
#include "callgen/run/player.hpp"
#include "core/call.hpp"
#include "core/clock.hpp"
#include "core/ids.hpp"
#include "core/metrics/histogram.hpp"

namespace xbind::callgen {

struct LoopPlan {
  std::size_t in_flight = 2048;  // requests, from 1
  std::size_t max_batch = 64;    // requests in one RequestBatch, from 1
  std::size_t managers = 1;      // from 1
  Duration warm_up = std::chrono::milliseconds{500};
  Duration measured = std::chrono::seconds{3};
  Duration drain_timeout = std::chrono::seconds{10};
  ServiceSpec service{.cells_per_s = 100};
};

struct LoopFigures {
  std::uint64_t operations = 0;      // setups and releases answered while measured
  Duration measured{};               // from the first to the last moment that counts
  Histogram latency;                 // of these, from their sending
  std::uint64_t all_operations = 0;  // and those before and after, which the processor time has
  std::uint64_t refused = 0;         // or busy, or answered with what does not fit; in all
  std::map<Cause, std::uint64_t> causes;  // of those that name one
  std::uint64_t unanswered = 0;           // at the end
  bool target_lost = false;
  bool interrupted = false;  // stop() ended the measurement before its time

  double operations_per_s() const;
};

class ClosedLoop final : public Player {
 public:
  ClosedLoop(LoopPlan plan, Workload workload);

  void start(TimePoint now) override;
  std::vector<Dispatch> advance(TimePoint now) override;
  void answered(const OutcomeBatch& batch, std::size_t manager, TimePoint now) override;
  void target_lost(TimePoint now) override;
  void stop(TimePoint now) override;
  TimePoint next_deadline() const override;
  bool finished() const override { return finished_; }

  const LoopFigures& figures() const { return figures_; }

 private:
  enum class State : std::uint8_t { kFree, kSettingUp, kUp, kReleasing };
  struct Slot {
    State state = State::kFree;
    RequestId request;
    ConnectionId connection;
    TimePoint sent;
  };

  RequestId next_request(std::size_t slot);
  void finish();

  LoopPlan plan_;
  Workload workload_;
  std::vector<Slot> slots_;
  std::vector<std::size_t> ready_;  // slots that are free or up: their next request can go
  std::uint64_t round_ = 0;  // a request's number is round_ * in_flight + slot, never used twice
  std::size_t under_way_ = 0;
  TimePoint measure_from_ = kNever;
  TimePoint measure_to_ = kNever;
  bool finished_ = false;
  LoopFigures figures_;
};

}  // namespace xbind::callgen
