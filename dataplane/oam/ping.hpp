// One measurement by OAM loopback: when to send which cell, which answers count, and what the
// answers say about the connection.
//
//   Ping ping(plan, now);
//   while (!ping.over(now)) { send what next_cell(now) returns; ping.arrived(cell, now); }
//   verdict_of(plan, ping.results())
//
// The points are addressed in turn, one cell at a time, so that cells do not wait for each other.
//
// Pure; one thread at a time; memory: 24 octets for each cell of the plan.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/clock.hpp"
#include "core/label.hpp"
#include "dataplane/oam/loopback_cell.hpp"

namespace xbind::dataplane {

struct PingPoint {
  std::string node;
  Direction side = Direction::kIn;
  PortId port;
  Label label;
};
// "switch-1 port 2 out, label 0/33".
std::string to_string(const PingPoint& point);

struct PingPlan {
  std::vector<PingPoint> points;  // not empty; in the order of the path, which the last one ends
  Label line_label;               // at the line where the cells are sent
  std::uint32_t count = 1;        // cells to each point, at least 1
  Duration interval{};            // between two cells
  Duration timeout{};             // of each cell
  std::uint64_t session = 0;      // different for measurements that may overlap
};

// What came back from one point.
struct PingResult {
  std::uint32_t sent = 0;
  std::uint32_t answered = 0;  // in time
  // Round trips; 0 if nothing was answered.
  Duration min{};
  Duration median{};
  Duration max{};

  std::uint32_t lost() const { return sent - answered; }
};

class Ping {
 public:
  Ping(PingPlan plan, TimePoint now);

  // The cell to send now; nullopt: none yet, or no more.
  std::optional<Cell> next_cell(TimePoint now);
  // A cell from the line. Only the first answer in time to a cell of this session counts.
  void arrived(const Cell& cell, TimePoint now);
  // When next_cell() or over() may return something else.
  TimePoint next_deadline() const;
  // Every cell was sent, and answered or given up.
  bool over(TimePoint now) const;

  // One for each point of the plan.
  std::vector<PingResult> results() const;

 private:
  struct Sent {
    TimePoint at{};
    std::optional<Duration> round_trip{};
  };
  std::size_t cells() const { return plan_.points.size() * plan_.count; }

  PingPlan plan_;
  TimePoint due_;
  std::vector<Sent> sent_;  // in the order of tags, which begin with 1
  std::size_t answered_ = 0;
};

// What the way from one point to the next adds to the median round trip. Round trips vary: by
// `median - min`, the greater one of the two points. No difference that is within this variation is
// measurable, and none is negative.
struct PingStep {
  bool measured = false;
  Duration time{};  // the step; or, if it was not measured, the variation, which is greater
};
// nullopt: unknown, because a point has answered fewer than two cells.
std::optional<PingStep> step_between(const PingResult& before, const PingResult& after);

struct PingVerdict {
  bool whole = false;  // every cell came back
  std::string sentence;
};
// `results`: one for each point.
PingVerdict verdict_of(const PingPlan& plan, const std::vector<PingResult>& results);

}  // namespace xbind::dataplane
