// The workload whose instructions count_test.py counts: calls over three switches through the real
// ConnectionManager and SwitchServers, on virtual time, at one rate, from one seed. The number of
// instructions is the same in each run, whatever else the machine does.
//
//   call_instructions CALLS [HOLD_MS [SAMPLE]]   prints how many call operations were completed
//
// Each call is held for 100 ms, so 10 000 calls are up. 600 ms nearly fill the labels of a port,
// and the tables are then larger than the processor's first caches. One call of SAMPLE is traced;
// 0: none. If it is missing, it is 64 as in xbind-cmgr.
#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>

#include "bench/model/point.hpp"
#include "core/log.hpp"

int main(int argc, char** argv) {
  using namespace xbind;
  const std::uint64_t calls = argc >= 2 ? std::strtoull(argv[1], nullptr, 10) : 0;
  const std::uint64_t hold_ms = argc >= 3 ? std::strtoull(argv[2], nullptr, 10) : 100;
  const std::uint64_t sample = argc >= 4 ? std::strtoull(argv[3], nullptr, 10) : 64;
  if (calls == 0 || hold_ms == 0 || argc > 4) {
    fmt::print(stderr,
               "call_instructions: expected CALLS [HOLD_MS [SAMPLE]], numbers; CALLS and HOLD_MS "
               "above 0\n");
    return 2;
  }
  log::start("call_instructions", log::Level::kError);
  model::PointPlan plan;
  // Large batches, so that the logic dominates the count.
  plan.rate = 100'000;
  plan.calls = calls;
  plan.hold_mean = std::chrono::milliseconds{hold_ms};
  plan.manager.aggregation.threshold = 64;
  plan.manager.label_cache_target = 1'024;
  plan.manager.traces.sample = static_cast<std::uint32_t>(sample);
  const model::PointResult result = model::run_point(plan);
  if (result.connected != calls || result.released != calls) {
    fmt::print(stderr, "call_instructions: {} calls, {} connected, {} released\n", calls,
               result.connected, result.released);
    return 1;
  }
  fmt::print("{}\n", result.connected + result.released);
  return 0;
}
