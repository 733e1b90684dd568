#include "bench/figures/figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/duration_numbers.hpp"

namespace xbind::figures {
namespace {

constexpr double kPaperFlush = 1;     // seconds
constexpr double kPaperValidity = 5;  // of cached routes
constexpr double kPaperHold = 0.5;
constexpr double kPaperCeiling = 60;  // calls/s with T = 1
// Each tried speed gets the calls that arrive in this time, within bounds.
constexpr double kSecondsToFindSpeed = 3;
constexpr double kFewestToFindSpeed = 1'000;
constexpr double kMostToFindSpeed = 20'000;

}  // namespace

Bench::Bench(PointSource& source, Scale scale, Progress progress)
    : source_(source), scale_(scale), progress_(std::move(progress)) {}

Point Bench::point(System system, double paper_rate, std::uint64_t quick_calls,
                   std::uint64_t full_calls) const {
  Point point;
  point.system = system;
  point.load.calls_per_s = paper_rate * scale_.speed;
  point.load.calls = scale_.quick ? quick_calls : full_calls;
  if (scale_.calls_at_most > 0) point.load.calls = std::min(point.load.calls, scale_.calls_at_most);
  if (scale_.seconds_at_most > 0) {
    const double calls_in_time = point.load.calls_per_s * scale_.seconds_at_most;
    if (calls_in_time < static_cast<double>(point.load.calls)) {
      point.load.calls = std::max(std::min(point.load.calls, Scale::kCallsAtLeast),
                                  static_cast<std::uint64_t>(calls_in_time));
    }
  }
  point.load.hold_mean = scale_.of(kPaperHold);
  point.load.seed = scale_.seed;
  return point;
}

Result<Shown> Bench::measure(const std::string& figure, const Point& point) {
  const auto known = std::find_if(known_.begin(), known_.end(),
                                  [&](const auto& each) { return each.first == point; });
  if (known != known_.end()) return known->second;
  if (progress_) {
    const std::string load = point.load.one_at_a_time
                                 ? "one call at a time"
                                 : fmt::format("{} calls/s", digits(point.load.calls_per_s));
    progress_(fmt::format("{}: {}, {}, {} calls", figure, engine_word(point.system), load,
                          point.load.calls));
  }
  auto shown = source_.measure(point);
  if (shown) known_.emplace_back(point, *shown);
  return shown;
}

System xbind_system(const Scale& scale, std::size_t threshold) {
  System system;
  system.threshold = threshold;
  system.flush_timeout = scale.of(kPaperFlush);
  system.route_validity = scale.of(kPaperValidity);
  return system;
}

System baseline_system(const Scale& scale, Engine engine) {
  System system = xbind_system(scale, 1);
  system.engine = engine;
  system.labels_cached = 0;
  return system;
}

std::string_view to_string(Shape shape) {
  switch (shape) {
    case Shape::kReproduced: return "reproduced";
    case Shape::kPartly: return "partly";
    case Shape::kNot: break;
  }
  return "not";
}

Shape shape_of(std::initializer_list<bool> conditions) {
  const auto held = std::count(conditions.begin(), conditions.end(), true);
  if (held == 0) return Shape::kNot;
  return held == static_cast<std::ptrdiff_t>(conditions.size()) ? Shape::kReproduced
                                                                : Shape::kPartly;
}

std::string engine_word(const System& system) {
  switch (system.engine) {
    case Engine::kSequential: return "sequential";
    case Engine::kThreaded: return "threaded";
    case Engine::kXbind: break;
  }
  switch (system.gathering) {
    case Gathering::kRegions: return "regions";
    case Gathering::kAdaptive: return "adaptive";
    case Gathering::kFixed: break;
  }
  return fmt::format("xbind T={}", system.threshold);
}

std::string digits(double value) {
  if (!std::isfinite(value)) return "none";
  if (value == 0) return "0";
  const int before = static_cast<int>(std::floor(std::log10(std::abs(value)))) + 1;
  if (before >= 4) return fmt::format("{:.0f}", value);
  return fmt::format("{:.{}f}", value,
                     before >= 1 ? std::min(2, 4 - before) : std::min(6, 3 - before));
}

std::string csv_head() {
  return "curve,switches,labels_cached,offered_per_s_planned,paper_units_per_s,sustained,calls,"
         "offered_per_s,"
         "achieved_per_s,operations_per_s,invocations_per_s,setups_recorded,min_ms,mean_ms,p5_ms,"
         "p50_ms,"
         "p95_ms,p99_ms,max_ms,hit_ratio,mean_in_use,refused,unanswered,seed\n";
}

std::string csv_line(const std::string& curve, const Scale& scale, const Point& point,
                     const Shown& shown) {
  const double planned = point.load.one_at_a_time ? 0 : point.load.calls_per_s;
  const Latency& setup = shown.setup;
  return fmt::format(
      "{},{},{},{:.6g},{:.6g},{},{},{:.6g},{:.6g},{:.6g},{:.6g},{},{:.6g},{:.6g},{:.6g},{:.6g},{:."
      "6g},"
      "{:.6g},{:.6g},{:.6g},{:.6g},{},{},{}\n",
      curve, point.system.switches, point.system.labels_cached, planned, planned / scale.speed,
      shown.sustained ? 1 : 0, point.load.calls, shown.offered_per_s, shown.achieved_per_s,
      shown.operations_per_s, shown.invocations_per_s, setup.count, setup.min, setup.mean, setup.p5,
      setup.p50, setup.p95, setup.p99, setup.max, shown.hit_ratio, shown.mean_in_use, shown.refused,
      shown.unanswered, point.load.seed);
}

const std::vector<Recipe>& recipes() {
  static const std::vector<Recipe> all{
      {"b1", baseline_one_at_a_time}, {"b2", threaded_one_at_a_time}, {"fig6", three_managers},
      {"fig7", thresholds},           {"fig9", labels_in_use},        {"table1", cache_sizes},
      {"fig10", invocations},         {"fig11", load_regions},        {"memory", cache_memory}};
  return all;
}

Result<double> find_speed(PointSource& source, const Scale& scale,
                          const Bench::Progress& progress) {
  const auto sustained = [&](double speed) -> Result<bool> {
    Scale here = scale;
    here.speed = speed;
    Bench bench(source, here, progress);
    const auto calls = static_cast<std::uint64_t>(std::clamp(
        kPaperCeiling * speed * kSecondsToFindSpeed, kFewestToFindSpeed, kMostToFindSpeed));
    const Point point = bench.point(xbind_system(here, 1), kPaperCeiling, calls, calls);
    const auto shown = bench.measure("speed", point);
    if (!shown) return tl::make_unexpected(shown.error());
    // A queue that lasts for a while is no ceiling yet: answers must also be quick.
    return shown->sustained && shown->setup.p99 < 0.1 * in_ms(here.of(kPaperFlush)) * 5;
  };
  double low = 0.001;
  double high = 1e6;
  double at = 32;
  for (bool first_low = false, first_high = false; !(first_low && first_high);) {
    const auto carried = sustained(at);
    if (!carried) return tl::make_unexpected(carried.error());
    (*carried ? low : high) = at;
    (*carried ? first_low : first_high) = true;
    if (first_low && first_high) break;
    at = *carried ? at * 2 : at / 2;
    if (at < 0.001 || at > 1e6) {
      return fail(ErrorCode::kExhausted, "T = 1 was {} at {} calls/s: no load to scale to",
                  *carried ? "still sustained" : "not sustained", digits(at * kPaperCeiling));
    }
  }
  for (int halvings = 0; halvings < 3; ++halvings) {
    at = std::sqrt(low * high);
    const auto carried = sustained(at);
    if (!carried) return tl::make_unexpected(carried.error());
    (*carried ? low : high) = at;
  }
  return low;
}

}  // namespace xbind::figures
