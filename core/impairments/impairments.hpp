// What a process does on purpose to the messages of its sessions, for tests and experiments: faults
// in what it sends (fault_plan.hpp), and a pace for what it takes and sends (pace.hpp). Off by
// default.
//
//   step ──▶ Outbox::put()   ...   Outbox::send() ──▶ faults ──▶ pace ──▶ transport
//   step ◀── receive() ◀── pace ◀── transport
//
// A daemon has one Impairments, and one Outbox (outbox.hpp) for each leg on which it sends batches.
// Sessions and logic know of neither. Two-way calls meet the pace alone: whoever makes or answers
// one calls sending() and received().
//
// Threads: the pace is thread-safe; the counters belong to the thread that sends.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/impairments/fault_plan.hpp"
#include "core/impairments/pace.hpp"
#include "core/metrics/metric_table.hpp"

namespace xbind {

namespace config {
class OptionSet;
}

struct ImpairmentOptions {
  faults::FaultOptions faults;
  PaceOptions pace;
};

// Declares --loss, --duplicate, --reorder, --delay, --delay-ms, --fault-legs and --fault-seed.
// `options` must outlive the set's load(); the same holds for declare_pace().
void declare_faults(config::OptionSet& set, ImpairmentOptions& options);
// Declares --pace-message-us, --pace-item-us, --pace-before-leaving, --pace-pause-chance,
// --pace-pause-us and --pace-seed.
void declare_pace(config::OptionSet& set, ImpairmentOptions& options);

class Impairments {
 public:
  // `process`: its program and name, "xbind-cmgr default"; two of the same seed do not pause alike.
  // Without a `clock` it waits by the steady clock.
  Impairments(const ImpairmentOptions& options, std::string_view process);
  Impairments(const ImpairmentOptions& options, std::string_view process, Pace::Clock clock);
  Impairments(const Impairments&) = delete;
  Impairments& operator=(const Impairments&) = delete;

  // Whether messages cost time. Without a pace the functions below are one branch.
  bool paced() const { return pace_.on(); }
  // Wait as a message with `items` items costs when it is sent, or was received.
  void sending(std::size_t items) { pace_.send(items); }
  void received(std::size_t items) { pace_.take(items); }

  // Handles one peer message. `items` is its command count, or nullopt for a bare acknowledgement,
  // which costs nothing. With a pace each message is a step of its own: `end_step` follows at once.
  template <class Handle, class EndStep>
  void receive(std::optional<std::size_t> items, Handle&& handle, EndStep&& end_step) {
    if (items) received(*items);
    handle();
    if (paced()) end_step();
  }

  // Appends the fault counters of all outboxes, in the order of their construction.
  void append_metrics(Metrics& metrics) const;

 private:
  template <class T>
  friend class Outbox;
  struct Leg {
    std::string name;
    const faults::FaultCounters* counters;  // of an outbox
  };

  const ImpairmentOptions options_;
  Pace pace_;
  std::vector<Leg> legs_;
};

// What append_metrics() exports.
MetricTable impairment_metrics();

}  // namespace xbind
