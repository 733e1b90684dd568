#include "core/impairments/fault_plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/check.hpp"

namespace xbind::faults {
namespace {

constexpr CounterRow<FaultCounters> kFaultMetrics[] = {
    {"faults_dropped", MetricKind::kCounter, "", "Session messages dropped on purpose.",
     &FaultCounters::dropped},
    {"faults_repeated", MetricKind::kCounter, "", "Session messages sent twice on purpose.",
     &FaultCounters::repeated},
    {"faults_reordered", MetricKind::kCounter, "", "Session messages overtaken on purpose.",
     &FaultCounters::reordered},
    {"faults_delayed", MetricKind::kCounter, "", "Session messages delayed on purpose.",
     &FaultCounters::delayed},
};
// Metrics of each leg, once faults are on.
constexpr CounterRow<FaultCounters> kLegMetrics[] = {
    {"faults_<leg>_invocations", MetricKind::kCounter, "", "Session messages of this leg.",
     &FaultCounters::invocations},
    {"faults_<leg>_dropped", MetricKind::kCounter, "",
     "Session messages of this leg that were dropped on purpose.", &FaultCounters::dropped},
    {"faults_<leg>_repeated", MetricKind::kCounter, "",
     "Session messages of this leg that were sent twice on purpose.", &FaultCounters::repeated},
    {"faults_<leg>_reordered", MetricKind::kCounter, "",
     "Session messages of this leg that were overtaken on purpose.", &FaultCounters::reordered},
    {"faults_<leg>_delayed", MetricKind::kCounter, "",
     "Session messages of this leg that were delayed on purpose.", &FaultCounters::delayed},
};

constexpr double kProbabilityMax = 0.9;

// Scrambles 64 bits so that neighbouring seeds give unrelated streams (SplitMix64's output
// function).
std::uint64_t scrambled(std::uint64_t input) {
  std::uint64_t mixed = input + 0x9e3779b97f4a7c15;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
  return mixed ^ (mixed >> 31);
}

std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

// In [0, 1), every value a multiple of 2^-53: the standard library's distributions differ between
// libraries, the raw bits do not.
double unit_interval(std::mt19937_64& bits) { return static_cast<double>(bits() >> 11) * 0x1p-53; }

// Whether `leg`, "client-to-manager/NAME", is in `legs` ("client_to_manager"), or `legs` is empty.
bool selected(const std::vector<std::string>& legs, std::string_view leg) {
  std::string name{leg.substr(0, leg.find('/'))};
  std::ranges::replace(name, '-', '_');
  return legs.empty() || std::ranges::find(legs, name) != legs.end();
}

}  // namespace

std::optional<std::string> FaultOptions::legs_fault() const {
  for (const std::string& leg : legs) {
    if (std::ranges::find(kLegs, leg) != kLegs.end()) continue;
    return fmt::format("'{}' is no leg; there are: {}", leg, fmt::join(kLegs, ", "));
  }
  return std::nullopt;
}

FaultCounters& FaultCounters::operator+=(const FaultCounters& other) {
  invocations += other.invocations;
  dropped += other.dropped;
  repeated += other.repeated;
  reordered += other.reordered;
  delayed += other.delayed;
  passed += other.passed;
  return *this;
}

MetricTable fault_metrics() { return metric_table("core", kFaultMetrics, kLegMetrics); }

void append_metrics(const std::vector<LegCounters>& legs, Metrics& metrics) {
  FaultCounters sum;
  for (const LegCounters& leg : legs) sum += leg.counters;
  append(kFaultMetrics, sum, metrics);
  if (sum.invocations == 0) return;
  for (const auto& [leg, counters] : legs) {
    for (const CounterRow<FaultCounters>& row : kLegMetrics) {
      metrics.emplace_back(filled(row.name, {leg}), counters.*row.value);
    }
  }
}

FaultInjector::FaultInjector(const FaultOptions& options, std::string_view leg)
    : options_(options),
      on_(options.on() && selected(options.legs, leg)),
      bits_(scrambled(scrambled(options.seed) ^ hash_of(leg))) {
  for (const double probability :
       {options.loss, options.duplicate, options.reorder, options.delay}) {
    XB_CHECK(probability >= 0 && probability <= kProbabilityMax, probability);
  }
  XB_CHECK(options.delay_ms_max > 0, options.delay_ms_max);
}

Decision FaultInjector::decide(TimePoint now) {
  if (!on_) return {};
  ++counters_.invocations;
  const bool lost = chance(options_.loss);
  const bool twice = chance(options_.duplicate);
  const bool behind_next = chance(options_.reorder);
  const bool late = chance(options_.delay);
  const double lateness = unit_interval(bits_);
  if (lost) {
    ++counters_.dropped;
    return {0, Hold::kNone, now};
  }
  Decision decision;
  decision.until = now;
  if (twice) {
    ++counters_.repeated;
    decision.copies = 2;
  }
  if (behind_next) {
    decision.hold = Hold::kNextOne;
    decision.until = now + kOvertakeWithin;
  } else if (late) {
    decision.hold = Hold::kUntil;
    const Duration bound = std::chrono::milliseconds{options_.delay_ms_max};
    const auto longest = static_cast<double>(bound.count());
    decision.until = now + Duration{1 + static_cast<Duration::rep>(lateness * longest)};
  }
  if (!twice && decision.hold == Hold::kNone) ++counters_.passed;
  return decision;
}

bool FaultInjector::chance(double probability) { return unit_interval(bits_) < probability; }

}  // namespace xbind::faults
