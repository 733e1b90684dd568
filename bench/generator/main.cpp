// callgen_bench: the processor time of the generator itself. A Runner offers calls to a stub that
// connects and releases all of them at once, on one thread and one core. It runs twice: at full
// speed on a virtual clock, and at a rate on the real clock, where it reports how late each request
// was.
#include <sys/resource.h>
#include <time.h>

#include <cstdio>
#include <string>

#include "callgen/run/runner.hpp"
#include "core/config/options.hpp"
#include "core/steady_now.hpp"

namespace xbind::callgen {
namespace {

struct BenchOptions {
  std::uint64_t calls = 0;
  double rate = 0;
  double hold = 0;
  std::uint64_t ends = 0;
  std::uint32_t batch = 0;
  bool counted_only = false;
};

double processor_s() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

RunPlan plan_of(const BenchOptions& options) {
  RunPlan plan;
  plan.calls = options.calls;
  plan.calls_per_s = options.rate;
  plan.hold_mean = Duration{static_cast<std::int64_t>(options.hold * 1e9)};
  plan.hold_distribution = HoldDistribution::kExponential;
  plan.max_batch = options.batch;
  return plan;
}

Workload workload_of(const BenchOptions& options) {
  std::vector<std::string> endpoints;
  for (std::uint64_t i = 1; i <= options.ends; ++i)
    endpoints.push_back("host-" + std::to_string(i));
  return Workload::uniform(std::move(endpoints), 1).value();
}

// Answers all requests of one turn of the generator.
class ImmediateTarget {
 public:
  void serve(Runner& runner, TimePoint now) {
    for (const Dispatch& sent : runner.advance(now)) {
      for (const ConnectRequest& request : sent.batch.connects) {
        outcome_.request = request.request;
        outcome_.kind = OutcomeKind::kConnected;
        outcome_.connection = ConnectionId{++connections_};
        runner.outcome(outcome_, now);
      }
      for (const ReleaseRequest& request : sent.batch.releases) {
        outcome_.request = request.request;
        outcome_.kind = OutcomeKind::kReleased;
        outcome_.connection = request.connection;
        runner.outcome(outcome_, now);
      }
    }
  }

 private:
  Outcome outcome_;
  std::uint64_t connections_ = 0;
};

void print_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf("  at most %ld MiB resident\n", usage.ru_maxrss / 1024);
}

void counted(const BenchOptions& options) {
  Runner runner(plan_of(options), workload_of(options));
  ImmediateTarget target;
  TimePoint now{};
  runner.start(now);
  const double before = processor_s();
  while (!runner.finished()) {
    // A turn a millisecond, as a thread that has other work, too.
    now = std::max(now + std::chrono::milliseconds{1}, runner.next_deadline());
    target.serve(runner, now);
  }
  const double spent_s = processor_s() - before;
  const auto calls = static_cast<double>(runner.figures().releases.released);
  std::printf("counted time: %.0f calls set up and released in %.3f s of one core\n", calls,
              spent_s);
  std::printf("  %.0f calls/s, %.0f ns a call, %llu up at most\n", calls / spent_s,
              spent_s * 1e9 / calls,
              static_cast<unsigned long long>(runner.figures().calls_up_peak));
  print_memory();
}

void timed(const BenchOptions& options) {
  Runner runner(plan_of(options), workload_of(options));
  ImmediateTarget target;
  runner.start(steady_now());
  const TimePoint began = steady_now();
  const double before = processor_s();
  double busy_s = 0;
  while (!runner.finished()) {
    const TimePoint now = steady_now();
    if (now < runner.next_deadline())
      continue;  // no sleep: wake-ups belong to the system, not to the generator
    const double turn = processor_s();
    target.serve(runner, now);
    busy_s += processor_s() - turn;
  }
  const double lasted_s = std::chrono::duration<double>(steady_now() - began).count();
  const RunFigures& figures = runner.figures();
  const Histogram& slip = figures.statistics.slip();
  const auto microseconds = [](Duration time) { return static_cast<double>(time.count()) / 1000; };
  std::printf("real time: %.0f calls/s asked, %.0f sent, over %.2f s\n", options.rate,
              static_cast<double>(figures.setups.attempted) /
                  std::chrono::duration<double>(figures.sent_span).count(),
              lasted_s);
  std::printf("  slip p50 %.1f us, p99 %.1f us, max %.1f us; busy %.0f %% of the core (%.2f s)\n",
              microseconds(slip.percentile(50)), microseconds(slip.percentile(99)),
              microseconds(slip.max()), 100 * busy_s / lasted_s, processor_s() - before);
}

int bench(int argc, char** argv) {
  BenchOptions options;
  config::OptionSet set("callgen_bench", "Measures what offering a call costs the generator.");
  set.add_uint("calls", &options.calls, 1'000'000, {1, 100'000'000}, "Calls to offer, each time.");
  set.add_double("rate", &options.rate, 200'000, {1, 1e6}, "Calls to offer a second.");
  set.add_double("hold", &options.hold, 0.1, {0, 86'400}, "Seconds a call lasts, on average.");
  set.add_uint("ends", &options.ends, 12, {2, 1'000'000}, "Endpoints that call each other.");
  set.add_uint("batch", &options.batch, 64, {1, 4096}, "Most requests in one message.");
  set.add_flag("counted-only", &options.counted_only, "Leave out the part on the real clock.");
  if (const auto exit_code = config::load_or_explain(set, argc, argv)) return *exit_code;
  counted(options);
  if (!options.counted_only) timed(options);
  return 0;
}

}  // namespace
}  // namespace xbind::callgen

int main(int argc, char** argv) { return xbind::callgen::bench(argc, argv); }
