#include "callgen/statistics/series.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>

namespace xbind::callgen {
namespace {

bool is_setup(RequestKind kind) {
  return kind == RequestKind::kSetup || kind == RequestKind::kHold;
}

void count_answer(const RequestRecord& record, Series::Row& row) {
  if (record.kind == RequestKind::kRelease && record.ended == Ended::kDone) {
    ++row.released;
  } else if (!is_setup(record.kind)) {
    ++row.others;
  } else if (record.ended == Ended::kDone) {
    ++row.connected;
    row.latency.add(record.answered - record.planned);
  } else if (record.ended == Ended::kBusy) {
    ++row.busy;
  } else {
    ++row.refused;
  }
}

}  // namespace

Series::Row& Series::Row::operator+=(const Row& other) {
  planned += other.planned;
  sent += other.sent;
  connected += other.connected;
  refused += other.refused;
  busy += other.busy;
  unanswered += other.unanswered;
  released += other.released;
  others += other.others;
  latency += other.latency;
  return *this;
}

Duration Series::Row::percentile(double percent) const {
  std::uint64_t count = 0;
  for (const auto& [highest, seen] : latency) count += seen;
  if (count == 0) return Duration::zero();
  const double exact_rank = percent / 100 * static_cast<double>(count);
  const auto rank = std::clamp<std::uint64_t>(
      static_cast<std::uint64_t>(std::ceil(exact_rank * (1 - 1e-12))), 1, count);
  std::uint64_t below = 0;
  Duration found{};
  for (const auto& [highest, seen] : latency) {
    if (below >= rank) break;
    below += seen;
    found = highest;
  }
  return found;
}

Series::Row& Series::looked_up(Duration when) {
  const Duration since = std::max(Duration::zero(), when);
  while (since / interval_ >= static_cast<std::int64_t>(kMostRows)) widen();
  const auto index = static_cast<std::size_t>(since / interval_);
  if (rows_.size() <= index) rows_.resize(index + 1);
  latest_ = index;
  latest_begin_ = static_cast<std::int64_t>(index) * interval_;
  latest_end_ = latest_begin_ + interval_;
  return rows_[index];
}

void Series::widen() {
  interval_ *= 2;
  latest_begin_ = latest_end_ = Duration::zero();
  std::vector<Row> wider((rows_.size() + 1) / 2);
  for (std::size_t i = 0; i < rows_.size(); ++i) wider[i / 2] += rows_[i];
  rows_ = std::move(wider);
}

void Series::take(const RequestRecord& record) {
  if (is_setup(record.kind)) {
    Row& row = at(record.planned);
    ++row.planned;
    if (record.answered == RequestRecord::kNever) ++row.unanswered;
    if (record.sent != RequestRecord::kNever) ++at(record.sent).sent;
  }
  if (record.answered != RequestRecord::kNever) count_answer(record, at(record.answered));
}

void Series::merge(const Series& other) {
  Series theirs = other;
  while (interval_ < theirs.interval_) widen();
  while (theirs.interval_ < interval_) theirs.widen();
  if (rows_.size() < theirs.rows_.size()) rows_.resize(theirs.rows_.size());
  for (std::size_t i = 0; i < theirs.rows_.size(); ++i) rows_[i] += theirs.rows_[i];
}

std::optional<Series> Series::from(Duration interval, std::vector<Row> rows) {
  Series made;
  while (made.interval_ < interval && made.interval_ < std::chrono::hours{24 * 366})
    made.interval_ *= 2;
  if (made.interval_ != interval || rows.size() > kMostRows) return std::nullopt;
  made.rows_ = std::move(rows);
  return made;
}

std::string to_csv(const Series& series) {
  std::string text =
      "begin_s,length_s,planned,sent,connected,refused,busy,unanswered,released,others,p50_us,p99_"
      "us\n";
  const double length_s = std::chrono::duration<double>(series.interval()).count();
  for (std::size_t i = 0; i < series.rows().size(); ++i) {
    const Series::Row& row = series.rows()[i];
    const auto us = [&row](double percent) {
      return static_cast<double>(row.percentile(percent).count()) / 1000;
    };
    fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},{},{},{},{},{:.3f},{:.3f}\n",
                   length_s * static_cast<double>(i), length_s, row.planned, row.sent,
                   row.connected, row.refused, row.busy, row.unanswered, row.released, row.others,
                   us(50), us(99));
  }
  return text;
}

}  // namespace xbind::callgen
