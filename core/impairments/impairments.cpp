#include "core/impairments/impairments.hpp"

#include <utility>

#include "core/impairments/pace_clock.hpp"

namespace xbind {

Impairments::Impairments(const ImpairmentOptions& options, std::string_view process)
    : Impairments(options, process, steady_pace_clock()) {}

Impairments::Impairments(const ImpairmentOptions& options, std::string_view process,
                         Pace::Clock clock)
    : options_(options), pace_(options.pace, process, std::move(clock)) {}

void Impairments::append_metrics(Metrics& metrics) const {
  std::vector<faults::LegCounters> legs;
  legs.reserve(legs_.size());
  for (const Leg& leg : legs_) legs.push_back({leg.name, *leg.counters});
  faults::append_metrics(legs, metrics);
}

MetricTable impairment_metrics() { return faults::fault_metrics(); }

}  // namespace xbind
