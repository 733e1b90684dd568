// Asks the parts of a daemon for their readings, and keeps them for a moment.
//
// A reading costs the logic one short job, at most ten times a second, however many peers scrape:
// requests that come together or shortly after one another share a reading. A part that does not
// answer within the time limit is silent; it is not asked again while its question is open. A part
// that drops the question is silent at once, and is asked again for the next reading.
//
// Each question has a thread of its own until it is queued, because a thread that queues a job may
// have to run the jobs of others (core/serial.hpp). No request waits for that.
//
// Thread-safe.
#pragma once

#include <prometheus/collectable.h>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/clock.hpp"
#include "exporter/families.hpp"
#include "exporter/timers.hpp"

namespace xbind::exporter {

struct CollectorOptions {
  std::string program;
  Duration answer = kExporterTimers["logic-answer"];
  Duration fresh = kExporterTimers["reading-fresh"];
  std::function<TimePoint()> now;  // for `fresh`
};

class Collector : public prometheus::Collectable {
 public:
  // The readings of all parts, in their order; nullopt: the part was silent.
  using Readings = std::vector<std::optional<Reading>>;

  // Names the metrics by `tables`, to which it adds its own.
  Collector(CollectorOptions options, std::vector<Part> parts, std::vector<MetricTable> tables);
  // Waits until every question is queued. The parts' logic may be gone afterwards.
  ~Collector() override;
  Collector(const Collector&) = delete;
  Collector& operator=(const Collector&) = delete;

  // Waits at most CollectorOptions::answer, and as long again for another thread's reading.
  std::shared_ptr<const Readings> read() const;
  // The families of Prometheus.
  std::vector<prometheus::MetricFamily> Collect() const override;

  // Sentences that say which parts are silent; empty: the daemon is healthy.
  std::vector<std::string> not_healthy() const;
  // Why the daemon is not ready; empty: it is. A silent part is not ready.
  std::vector<std::string> not_ready() const;
  // The daemon serves from now on: until then it is not ready.
  void serving() { serving_ = true; }

  void count_request(bool refused) { ++(refused ? refused_ : requests_); }

 private:
  struct Questions;
  class Question;

  std::vector<std::string> silent(const Readings& readings) const;
  std::vector<std::string> reasons(const Readings& readings) const;

  const CollectorOptions options_;
  const std::vector<Part> parts_;
  const std::shared_ptr<Questions> questions_;  // shared with answers that come late
  std::atomic<bool> serving_ = false;
  std::atomic<std::uint64_t> requests_ = 0;
  std::atomic<std::uint64_t> refused_ = 0;

  mutable std::mutex reading_mutex_;  // one thread reads, the others wait for what it reads
  mutable std::shared_ptr<const Readings> last_;
  mutable TimePoint last_at_{};
  mutable std::mutex families_mutex_;
  mutable Families families_;
};

}  // namespace xbind::exporter
