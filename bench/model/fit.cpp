#include "bench/model/fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace xbind::model {
namespace {

constexpr std::uint64_t kCalls = 10'000;
constexpr std::uint64_t kCallsAlone = 3'000;
// B1 and T = 1 cannot separate these two costs: each message there pays both once.
constexpr double kCommandPerMessage = 0.05;

// The searched constants: milliseconds and fractions.
enum Axis : std::size_t {
  kMessage,
  kBeforeLeaving,
  kSwitchCommand,
  kPauseChance,
  kPauseMean,
  kAxes
};
using Place = std::array<double, kAxes>;
constexpr Place kLeast{0.3, 0, 0.02, 0.001, 0.2};
constexpr Place kMost{2, 1, 5, 0.2, 20};
constexpr double kFinest = 0.01;

Duration ms(double count) { return Duration{std::llround(count * 1e6)}; }

PaperHosts hosts_at(const Place& place) {
  const double message = place[kMessage];
  return {.message = ms(message),
          .before_leaving = place[kBeforeLeaving],
          .command = ms(kCommandPerMessage * message),
          .switch_command = ms(place[kSwitchCommand]),
          .pause_chance = place[kPauseChance],
          .pause_mean = ms(place[kPauseMean])};
}

double misfit_at(const Place& place) { return misfit(shown_with(hosts_at(place)), kPaperSays); }

}  // namespace

FitNumbers shown_with(const PaperHosts& hosts) {
  FitNumbers shown;
  PointPlan plan = paper_plan(hosts);
  plan.calls = kCalls;
  plan.rate = 1;
  shown.t1_at_1 = run_point(plan).mean_us / 1e3;
  plan.rate = 60;
  shown.t1_at_60 = run_point(plan).mean_us / 1e3;
  plan.manager = baseline(1);
  plan.one_at_a_time = true;
  plan.callers = 1;
  plan.calls = kCallsAlone;
  const PointResult alone = run_point(plan);
  shown.b1_min = alone.min_us / 1e3;
  shown.b1_p5 = alone.p5_us / 1e3;
  shown.b1_mean = alone.mean_us / 1e3;
  shown.b1_p95 = alone.p95_us / 1e3;
  return shown;
}

double misfit(const FitNumbers& shown, const FitNumbers& wanted) {
  const std::array<std::pair<double, double>, 6> pairs{{{shown.b1_min, wanted.b1_min},
                                                        {shown.b1_p5, wanted.b1_p5},
                                                        {shown.b1_mean, wanted.b1_mean},
                                                        {shown.b1_p95, wanted.b1_p95},
                                                        {shown.t1_at_1, wanted.t1_at_1},
                                                        {shown.t1_at_60, wanted.t1_at_60}}};
  double sum = 0;
  for (const auto& [ours, theirs] : pairs) {
    if (!(ours > 0) || !(theirs > 0)) return std::numeric_limits<double>::infinity();
    const double off = std::log(ours / theirs);
    sum += off * off;
  }
  return sum / static_cast<double>(pairs.size());
}

PaperHosts fit_to_paper(const std::function<void(const PaperHosts&, double)>& on_better) {
  Place best{};
  double least = std::numeric_limits<double>::infinity();
  const auto better = [&](const Place& place) {
    const double found = misfit_at(place);
    if (!(found < least)) return false;
    least = found;
    best = place;
    if (on_better) on_better(hosts_at(place), found);
    return true;
  };
  // First the coarse grid, then steps along the axes, halved when none of them helps.
  for (const double message : {0.7, 0.85, 1.0}) {
    for (const double before : {0.0, 0.2, 0.5}) {
      for (const double at_switch : {0.1, 1.0}) {
        for (const double chance : {0.01, 0.05}) {
          for (const double mean : {2.0, 6.0}) better({message, before, at_switch, chance, mean});
        }
      }
    }
  }
  for (double step = 0.2; step >= kFinest; step /= 2) {
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t axis = 0; axis < kAxes; ++axis) {
        for (const double factor : {1 + step, 1 / (1 + step)}) {
          Place place = best;
          // A fraction moves by an absolute step, a cost by a percentage.
          place[axis] = axis == kBeforeLeaving ? place[axis] + (factor > 1 ? step / 2 : -step / 2)
                                               : place[axis] * factor;
          place[axis] = std::clamp(place[axis], kLeast[axis], kMost[axis]);
          if (place != best && better(place)) moved = true;
        }
      }
    }
  }
  return hosts_at(best);
}

}  // namespace xbind::model
