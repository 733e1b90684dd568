// One point of a figure with real processes, for process_point_test.py. Prints the results.
//
//   process_point DEPLOY native|paced CALLS RATE [T...]
//
// `paced`: 2 ms for every message received or sent, half of it before the message leaves, and
// 0.1 ms for every item. With several T the same load is offered once with each, in one lab.
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "bench/figures/process_source.hpp"

int main(int argc, char** argv) {
  using namespace xbind;
  using namespace xbind::figures;
  if (argc < 5) return 2;
  ProcessOptions options{.deploy = argv[1], .pacing = {}};
  if (std::string_view(argv[2]) == "paced") {
    options.pacing.servants = {.message_us = 2'000, .item_us = 100, .before_leaving = 0.5};
    options.pacing.switches = {.item_us = 100};
  }
  auto source = make_process_source(options);
  if (!source) {
    std::fprintf(stderr, "%s\n", source.error().text.c_str());
    return 1;
  }
  Point point;
  point.load.calls = std::strtoull(argv[3], nullptr, 10);
  point.load.calls_per_s = std::strtod(argv[4], nullptr);
  point.load.hold_mean = std::chrono::milliseconds{20};
  point.system.flush_timeout = std::chrono::milliseconds{10};
  for (int at = 5; at <= argc; ++at) {
    if (at < argc) point.system.threshold = std::strtoull(argv[at], nullptr, 10);
    if (at == argc && argc > 5) break;
    const auto shown = (*source)->measure(point);
    if (!shown) {
      std::fprintf(stderr, "%s\n", shown.error().text.c_str());
      return 1;
    }
    std::printf(
        "threshold=%zu connected=%llu refused=%llu unanswered=%llu count=%llu min_ms=%.3f "
        "mean_ms=%.3f p99_ms=%.3f offered_per_s=%.2f achieved_per_s=%.2f "
        "invocations_per_s=%.2f hit_ratio=%.4f mean_in_use=%.4f sustained=%d\n",
        point.system.threshold, static_cast<unsigned long long>(shown->connected),
        static_cast<unsigned long long>(shown->refused),
        static_cast<unsigned long long>(shown->unanswered),
        static_cast<unsigned long long>(shown->setup.count), shown->setup.min, shown->setup.mean,
        shown->setup.p99, shown->offered_per_s, shown->achieved_per_s, shown->invocations_per_s,
        shown->hit_ratio, shown->mean_in_use, static_cast<int>(shown->sustained));
    std::fflush(stdout);
  }
  return 0;
}
