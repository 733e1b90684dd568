// A system of known capacity for tests: one server of setups with exponential
// service and a queue, run against the real Runner in virtual time. The queue at the
// end of a run remains for the next run.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "bench/search/search.hpp"
#include "callgen/load/random.hpp"
#include "callgen/options/run_options.hpp"
#include "callgen/report/report.hpp"
#include "callgen/run/runner.hpp"
#include "core/event_queue.hpp"

namespace xbind::callgen {

// The defaults of every option; calls from "a" to "b".
inline RunOptions default_options() {
  RunOptions options;
  config::OptionSet set("test", "A test.");
  declare_run_options(set, options);
  const std::vector<const char*> arguments{"test", "--from", "a", "--to", "b", "--hold", "0.01"};
  const auto exit = set.load(static_cast<int>(arguments.size()), arguments.data(),
                             [](const std::string&) { return std::optional<std::string>{}; });
  XB_CHECK(!exit);
  return options;
}

class QueueSystem {
 public:
  double capacity = 2000;        // setups a second
  std::size_t room = 1'000'000;  // of the queue; requests beyond it are answered "busy"
  double generator_per_s = 1e9;  // rate at which the generator can send, evenly
  Duration warm{};               // added to every answer of the first run

  explicit QueueSystem(std::uint64_t seed) : bits_(bits_for(seed, Stream::kWorkload)) {}

  Result<RunReport> run(const RunOptions& options) {
    const RunPlan plan = plan_of(options);
    Runner runner(plan, Workload::weighted({{options.from, options.to, 1.0}}, plan.seed).value());
    answers_.advance_to(now_ + std::chrono::milliseconds{1});
    runner.start(now_);
    answers_.clear();
    TimePoint may_send = now_;
    const Duration gap{static_cast<std::int64_t>(1e9 / generator_per_s)};
    while (!runner.finished()) {
      const TimePoint due = std::max(runner.next_deadline(), may_send);
      if (!answers_.empty() && answers_.next() <= due) {
        const Outcome outcome = answers_.take();  // moves the clock
        runner.outcome(outcome, now_);
        continue;
      }
      answers_.advance_to(due);
      std::size_t sent = 0;
      for (const Dispatch& dispatch : runner.advance(now_)) {
        sent += dispatch.batch.connects.size();
        for (const ConnectRequest& request : dispatch.batch.connects) connect(request);
        for (const ReleaseRequest& request : dispatch.batch.releases)
          answer_at(now_ + kRelease, request.request, OutcomeKind::kReleased);
      }
      may_send = now_ + gap * static_cast<std::int64_t>(sent);
    }
    ++runs;
    RunReport report = report_of(plan, runner.figures());
    report.engine = "xbind";
    report.audit.made = true;
    report.audit.clean = true;
    return report;
  }

  RunFunction function() {
    return [this](const RunOptions& options) { return run(options); };
  }

  std::uint64_t runs = 0;

 private:
  static constexpr Duration kRelease = std::chrono::microseconds{50};

  void answer_at(TimePoint when, RequestId request, OutcomeKind kind) {
    Outcome outcome;
    outcome.request = request;
    outcome.kind = kind;
    if (kind == OutcomeKind::kConnected) outcome.connection = ConnectionId{++connections_};
    if (kind == OutcomeKind::kBusy) outcome.cause = Cause::kBusy;
    answers_.schedule(when, outcome);
  }

  void connect(const ConnectRequest& request) {
    const Duration service{static_cast<std::int64_t>(exponential(bits_, 1e9 / capacity))};
    const double waiting_s = std::max(0.0, std::chrono::duration<double>(free_at_ - now_).count());
    if (waiting_s * capacity > static_cast<double>(room)) {
      answer_at(now_ + kRelease, request.request, OutcomeKind::kBusy);
      return;
    }
    free_at_ = std::max(free_at_, now_) + service;
    answer_at(free_at_ + (runs == 0 ? warm : Duration::zero()), request.request,
              OutcomeKind::kConnected);
  }

  RandomBits bits_;
  EventQueue<Outcome> answers_{TimePoint{std::chrono::seconds{1}}};
  const TimePoint& now_ = answers_.now();
  TimePoint free_at_{};
  std::uint64_t connections_ = 0;
};

}  // namespace xbind::callgen
