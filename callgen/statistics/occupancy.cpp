#include "callgen/statistics/occupancy.hpp"

#include <algorithm>
#include <cmath>

#include "core/duration_numbers.hpp"

namespace xbind::callgen {
void Occupancy::finish() {
  while (!arriving_.empty() || !departing_.empty()) count_earliest();
}

// At equal times a departure counts before an arrival.
void Occupancy::count_earliest() {
  const bool arrival = arriving_.front() < departing_.front();
  TimeQueue& from = arrival ? arriving_ : departing_;
  const Duration latest = from.front();
  from.pop();
  earliest_ = std::min(arriving_.front(), departing_.front());
  if (latest < at_) {
    ++late_;
    shifted_s_ += in_seconds(at_ - latest);
  }
  const Duration when = std::max(at_, latest);
  area_s_ += static_cast<double>(inside_) * in_seconds(when - at_);
  at_ = when;
  if (arrival) {
    count_arrival(when);
  } else {
    ++departures_;
    --inside_;
  }
}

void Occupancy::count_arrival(Duration when) {
  if (arrivals_ == 0) {
    first_arrival_ = when;
    area_at_first_s_ = area_s_;
  } else {
    ++batch_.arrivals;
    batch_.found += static_cast<double>(inside_);
    batch_.area_s += area_s_ - area_at_last_s_;
    batch_.span_s += in_seconds(when - last_arrival_);
    if (batch_.arrivals == in_batch_) close_batch();
  }
  ++arrivals_;
  found_ += static_cast<double>(inside_);
  last_arrival_ = when;
  area_at_last_s_ = area_s_;
  ++inside_;
  peak_ = std::max(peak_, static_cast<std::uint64_t>(std::max<std::int64_t>(0, inside_)));
}

void Occupancy::close_batch() {
  batches_.push_back(batch_);
  batch_ = {};
  if (batches_.size() < kMostBatches) return;
  for (std::size_t i = 0; i < kMostBatches / 2; ++i) {
    const Batch& second = batches_[2 * i + 1];
    Batch both = batches_[2 * i];
    both.arrivals += second.arrivals;
    both.found += second.found;
    both.area_s += second.area_s;
    both.span_s += second.span_s;
    batches_[i] = both;
  }
  batches_.resize(kMostBatches / 2);
  in_batch_ *= 2;
}

Occupancy::Figures Occupancy::figures() const {
  Figures figures;
  figures.arrivals = arrivals_;
  figures.departures = departures_;
  figures.late_events = late_;
  figures.shifted_s = shifted_s_;
  figures.peak = peak_;
  figures.area_s = area_s_;
  figures.end_s = in_seconds(at_);
  if (arrivals_ > 0) figures.mean_at_arrivals = found_ / static_cast<double>(arrivals_);
  const double span_s = in_seconds(last_arrival_ - first_arrival_);
  if (span_s > 0) figures.mean_over_time = (area_at_last_s_ - area_at_first_s_) / span_s;
  double mean = 0;
  double squares = 0;
  for (const Batch& batch : batches_) {
    if (batch.span_s <= 0) continue;
    const double difference =
        batch.found / static_cast<double>(batch.arrivals) - batch.area_s / batch.span_s;
    ++figures.batches;
    const double off = difference - mean;
    mean += off / static_cast<double>(figures.batches);
    squares += off * (difference - mean);
  }
  if (figures.batches > 1) {
    const auto count = static_cast<double>(figures.batches);
    figures.difference_error = std::sqrt(squares / (count - 1) / count);
  }
  return figures;
}

}  // namespace xbind::callgen
