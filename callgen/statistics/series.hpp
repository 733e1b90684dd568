// A run over time: requests planned, sent and answered in each interval, and the latency of
// connected calls. Intervals are a second long, and double when there would be more than kMostRows.
// Rows of several generators are added. Memory is bounded.
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
    // Setups; for a call that is held first, its hold.
    std::uint64_t planned = 0;    // planned to be sent in the interval
    std::uint64_t sent = 0;       // sent in the interval
    std::uint64_t connected = 0;  // this and the next two: answered in the interval
    std::uint64_t refused = 0;
    std::uint64_t busy = 0;
    std::uint64_t unanswered = 0;  // planned in the interval and given up, including shed ones
    std::uint64_t released = 0;    // answered in the interval
    std::uint64_t others = 0;      // other requests and failed releases, answered in the interval
    LatencyCounts latency;         // of connected calls, from their planned time

    std::uint64_t answered() const { return connected + refused + busy + released + others; }
    // Like Histogram's: never below the true value and at most 1/128 above; zero if no call
    // connected.
    Duration percentile(double percent) const;
    Row& operator+=(const Row& other);
  };

  void take(const RequestRecord& record);
  void merge(const Series& other);

  const std::vector<Row>& rows() const { return rows_; }  // from the start of the run
  Duration interval() const { return interval_; }

  // nullopt if the interval is not a valid one or there are too many rows.
  static std::optional<Series> from(Duration interval, std::vector<Row> rows);

 private:
  // Usually the row is the one used last.
  Row& at(Duration when) {
    return when >= latest_begin_ && when < latest_end_ ? rows_[latest_] : looked_up(when);
  }
  Row& looked_up(Duration when);
  void widen();

  std::vector<Row> rows_;
  Duration interval_ = std::chrono::seconds{1};
  // The row used last, and its time; empty: none.
  std::size_t latest_ = 0;
  Duration latest_begin_{};
  Duration latest_end_{};
};

// A header line, then one line for every row: begin_s,length_s,planned,...,p50_us,p99_us.
std::string to_csv(const Series& series);

}  // namespace xbind::callgen
