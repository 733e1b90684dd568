// A run over time: what was planned, sent and answered in each interval, and how long connected calls took
// then. Intervals are a second long, and double when there would be more than kMostRows; rows of several
// generators add up. Memory is bounded.
//
// A value type; one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "callgen/statistics/latency_counts.hpp"
#include "callgen/statistics/record.hpp"
#include "core/clock.hpp"

namespace xbind::callgen {

class Series {
 public:
  static constexpr std::size_t kMostRows = 600;

  struct Row {
    // Setups (of a call held first: the hold).
    std::uint64_t planned = 0;    // meant to be sent in it
    std::uint64_t sent = 0;       // sent in it
    std::uint64_t connected = 0;  // this and the next two: answered in it
    std::uint64_t refused = 0;
    std::uint64_t busy = 0;
    std::uint64_t unanswered = 0;  // meant to be sent in it and given up; shed ones too
    std::uint64_t released = 0;    // answered in it
    std::uint64_t others = 0;      // other requests and failed releases, answered in it
    LatencyCounts latency;         // of the connected ones, from planned

    std::uint64_t answered() const { return connected + refused + busy + released + others; }
    // As Histogram's, never below the truth and at most 1/128 above; zero when nobody was connected.
    Duration percentile(double percent) const;
    Row& operator+=(const Row& other);
  };

  void take(const RequestRecord& record);
  void merge(const Series& other);

  const std::vector<Row>& rows() const { return rows_; }  // from the start of the run
  Duration interval() const { return interval_; }

  // Nothing when it is no interval of ours or there are too many rows.
  static std::optional<Series> from(Duration interval, std::vector<Row> rows);

 private:
  // What comes is mostly of the row that was asked for last.
  Row& at(Duration when) {
    return when >= latest_begin_ && when < latest_end_ ? rows_[latest_] : looked_up(when);
  }
  Row& looked_up(Duration when);
  void widen();

  std::vector<Row> rows_;
  Duration interval_ = std::chrono::seconds{1};
  // The row asked for last, and its time; none when that is empty.
  std::size_t latest_ = 0;
  Duration latest_begin_{};
  Duration latest_end_{};
};

// A line of names, then one for every row: begin_s,length_s,planned,...,p50_us,p99_us.
std::string to_csv(const Series& series);

}  // namespace xbind::callgen
