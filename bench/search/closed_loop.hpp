// Keeps a fixed number of requests under way, to measure the greatest throughput: each answered
// request is followed by the next. Every slot sets a call up, releases it, and sets up the next.
//
// The first `warm_up` is not measured; after `measured` no call is set up, and calls that are up
// are released. A closed loop slows down with the measured system. Its latencies show the cost of
// the number in flight, not the wait of a caller; for that use the open load (runner.hpp).
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
  std::uint64_t operations = 0;  // setups and releases answered in the measured time
  Duration measured{};           // the measured time
  Histogram latency;             // of these, from sending
  // including those before and after, which processor time includes
  std::uint64_t all_operations = 0;
  std::uint64_t refused = 0;              // all refused, busy or unexpected answers
  std::map<Cause, std::uint64_t> causes;  // for refusals that name a cause
  std::uint64_t unanswered = 0;           // at the end
  bool target_lost = false;
  bool interrupted = false;  // stop() ended the measurement early

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
  std::vector<std::size_t> ready_;  // slots that are free or up: their next request may be sent
  std::uint64_t round_ = 0;         // a request's number is round_ * in_flight + slot, never reused
  std::size_t under_way_ = 0;
  TimePoint measure_from_ = kNever;
  TimePoint measure_to_ = kNever;
  bool finished_ = false;
  LoopFigures figures_;
};

}  // namespace xbind::callgen
