#include "callgen/statistics/statistics.hpp"

#include <numeric>
#include <utility>

#include "core/duration_numbers.hpp"

namespace xbind::callgen {
namespace {

Occupancy::Figures figures_of(Occupancy occupancy) {
  occupancy.finish();
  return occupancy.figures();
}

}  // namespace

std::uint64_t total_of(const OutcomeCounts& outcomes) {
  return std::accumulate(outcomes.begin(), outcomes.end(), std::uint64_t{0});
}

void Statistics::expect(double calls_per_s, Duration warm_up) {
  warm_up_ = warm_up;
  planned_ = ArrivalFit(calls_per_s);
  sent_ = ArrivalFit(calls_per_s);
}

void Statistics::offered(Duration planned, Duration sent, AtBaseRate at_base_rate) {
  planned_.arrive(at_base_rate.planned);
  if (sent == RequestRecord::kNever) return;
  sent_.arrive(at_base_rate.sent);
  in_setup_.arrive(planned);
}

void Statistics::take(const RequestRecord& record) {
  auto& of_kind = kinds_[static_cast<std::size_t>(record.kind)];
  if (!of_kind) of_kind.emplace();
  KindStatistics& kind = *of_kind;
  ++kind.outcomes[static_cast<std::size_t>(class_of(record))];
  series_.take(record);
  const bool begins = record.kind == RequestKind::kSetup || record.kind == RequestKind::kHold;
  if (record.answered != RequestRecord::kNever) {
    ++glance_.answered;
    if (begins) {
      in_setup_.depart(record.answered);
      setup_stays_s_ += in_seconds(record.answered - record.planned);
    }
    const bool connects = record.kind == RequestKind::kSetup || record.kind == RequestKind::kCommit;
    if (connects && record.ended == Ended::kDone) {
      glance_.setup_latency.record(record.answered - record.planned);
      up_.arrive(record.answered);
      up_stays_s_ -= in_seconds(record.answered);
    }
    if (record.kind == RequestKind::kRelease) {
      up_.depart(record.answered);
      up_stays_s_ += in_seconds(record.answered);
    }
  }
  if (record.planned < warm_up_)
    ++kind.warm_up;
  else
    measure(record, kind);
}

void Statistics::measure(const RequestRecord& record, KindStatistics& kind) {
  if (record.sent == RequestRecord::kNever) return;
  kind.slip.record(record.sent - record.planned);
  slip_.record(record.sent - record.planned);
  if (record.answered == RequestRecord::kNever) return;
  const Duration latency = record.answered - record.planned;
  if (record.ended != Ended::kDone) {
    kind.refusal.record(latency);
    kind.refusal_from_send.record(record.answered - record.sent);
    return;
  }
  kind.latency.record(latency);
  kind.from_send.record(record.answered - record.sent);
  if (record.kind == RequestKind::kSetup) setup_batches_.add(record.planned, latency);
  if (record.kind == RequestKind::kRelease) release_batches_.add(record.planned, latency);
}

const KindStatistics& Statistics::of(RequestKind kind) const {
  static const KindStatistics kNothing;
  const auto& found = kinds_[static_cast<std::size_t>(kind)];
  return found ? *found : kNothing;
}

std::map<RequestKind, KindStatistics> Statistics::kinds() const {
  std::map<RequestKind, KindStatistics> kinds;
  for (std::size_t kind = 0; kind < kRequestKinds; ++kind)
    if (kinds_[kind]) kinds.emplace(static_cast<RequestKind>(kind), *kinds_[kind]);
  return kinds;
}

Occupancy::Figures Statistics::in_setup() const { return figures_of(in_setup_); }
Occupancy::Figures Statistics::up() const { return figures_of(up_); }

Statistics::Glance Statistics::take_glance() { return std::exchange(glance_, Glance{}); }

}  // namespace xbind::callgen
