// What a daemon exposes: its parts, and a reading of each.
//
// A part is logic that runs on its own: a manager, RouteObject, or one switch of a SwitchServer.
// The exporter asks the part for a reading, and the part answers from its own thread. Names and
// units are those of the metric tables (core/metrics/exposed_metric.hpp).
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/metrics/metric_table.hpp"
#include "core/metrics/stage_times.hpp"

namespace xbind::exporter {

using Labels = std::vector<std::pair<std::string, std::string>>;

struct Reading {
  Metrics metrics;  // as in the status; stages may be among them and are ignored
  std::vector<StageHistogram> stages;
  // Why the part cannot serve now: one line each, without a trailing full stop. At most
  // kReasonsMax; empty: it is ready.
  std::vector<std::string> not_ready;
};
inline constexpr std::size_t kReasonsMax = 20;

// Adds a reason; counts those beyond the bound in the last line.
class Reasons {
 public:
  void add(std::string reason) {
    if (lines_.size() < kReasonsMax - 1) {
      lines_.push_back(std::move(reason));
    } else {
      ++left_out_;
    }
  }
  std::vector<std::string> take() {
    if (left_out_ > 0) lines_.push_back("and " + std::to_string(left_out_) + " more");
    return std::move(lines_);
  }

 private:
  std::vector<std::string> lines_;
  std::size_t left_out_ = 0;
};

struct Part {
  std::string name;  // in the reasons: "switch-1"
  Labels labels;     // of each of its metrics whose scope is MetricScope::kEach
  // Queues the question for the part's logic, which calls `done` once, from any thread, also after
  // the exporter has ended. Must not wait for the answer. It may run jobs of the logic before it
  // returns (core/serial.hpp); the exporter calls it from a thread that serves nothing else. A part
  // that cannot answer now destroys `done` without calling it, and all copies of it.
  std::function<void(std::function<void(Reading)> done)> ask;
  // Appends metrics that need no logic, on a thread of the exporter. May be empty.
  std::function<void(Metrics&)> append;
};

}  // namespace xbind::exporter
