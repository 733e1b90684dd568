// A Runner whose requests the test answers, and all records that it produced.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "callgen/run/runner.hpp"

namespace xbind::callgen {

inline constexpr TimePoint kStart{std::chrono::seconds{5}};
inline TimePoint at(Duration since_start) { return kStart + since_start; }

inline ScenarioMix only(Scenario scenario) {
  ScenarioMix mix{{0, 0, 0, 0}};
  mix.weights[static_cast<std::size_t>(scenario)] = 1;
  return mix;
}

// Evenly spaced calls, one every 10 ms, the first at 10 ms, held for 60 ms.
inline RunPlan plan_of(Scenario scenario, std::uint64_t calls = 1) {
  RunPlan plan;
  plan.calls = calls;
  plan.calls_per_s = 100;
  plan.arrivals = Arrivals::kConstant;
  plan.hold_mean = std::chrono::milliseconds{60};
  plan.drain_timeout = std::chrono::seconds{10};
  plan.mix = only(scenario);
  plan.service = {.cells_per_s = 353};
  plan.modified_service = {.cells_per_s = 706};
  return plan;
}

struct Records final : RecordSink {
  void take(const RequestRecord& record) override {
    reported.push_back(std::string(to_string(record.kind)) + " " +
                       std::string(to_string(record.ended)));
    all.push_back(record);
    all.back().element = {};  // valid only during the call
  }
  std::vector<std::string> reported;
  std::vector<RequestRecord> all;
};

struct Rig {
  explicit Rig(const RunPlan& plan) : runner(plan, workload(), nullptr, &records) {
    runner.start(kStart);
  }
  static Workload workload() {
    Workload ends = Workload::weighted({{"host-1", "host-2", 1}}, 1).value();
    EXPECT_TRUE(ends.take_leaves({"host-1", "host-2", "host-3"}));
    return ends;
  }

  // All requests that are sent at this moment, in one batch.
  RequestBatch advance(Duration when) {
    RequestBatch all;
    for (Dispatch& sent : runner.advance(at(when))) {
      const RequestBatch& batch = sent.batch;
      all.connects.insert(all.connects.end(), batch.connects.begin(), batch.connects.end());
      all.releases.insert(all.releases.end(), batch.releases.begin(), batch.releases.end());
      all.modifies.insert(all.modifies.end(), batch.modifies.begin(), batch.modifies.end());
      all.leaves.insert(all.leaves.end(), batch.leaves.begin(), batch.leaves.end());
      all.commits.insert(all.commits.end(), batch.commits.begin(), batch.commits.end());
    }
    return all;
  }
  void answer(RequestId request, OutcomeKind kind, Duration when, std::uint64_t connection = 7,
              Cause cause = Cause::kNone) {
    Outcome outcome;
    outcome.request = request;
    outcome.kind = kind;
    outcome.connection = ConnectionId{connection};
    outcome.cause = cause;
    runner.outcome(outcome, at(when));
  }
  // The first call is connected 2 ms after it was offered at 10 ms.
  void connect_first() {
    const RequestBatch sent = advance(std::chrono::milliseconds{10});
    answer(sent.connects.at(0).request, OutcomeKind::kConnected, std::chrono::milliseconds{12});
  }
  const RunFigures& figures() const { return runner.figures(); }
  const RequestCounts& of(RequestKind kind) const { return figures().of(kind); }

  Records records;
  Runner runner;
};

}  // namespace xbind::callgen
