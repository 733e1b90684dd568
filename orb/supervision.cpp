#include "orb/supervision.hpp"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "core/alarms/alarm_kinds.hpp"
#include "core/log.hpp"
#include "core/steady_now.hpp"
#include "core/unwritten_files.hpp"
#include "orb/descriptors.hpp"
#include "orb/oneway.hpp"
#include "orb/peer_faults.hpp"
#include "orb/process.hpp"

namespace xbind::orb {
namespace {

constexpr MetricNames kAlarmMetrics{{
    {"alarms/<kind>/<severity>", MetricKind::kGauge, "",
     "Raised alarms of the kind; docs/operating.md describes each kind."},
}};

// Seconds: an alarm's id is then above all those of an earlier process, which cannot have raised
// one a second on average.
std::uint64_t first_alarm_id() { return utc_ms_now() / 1'000; }

void log_change(const AlarmChange& change) {
  const Alarm& alarm = change.alarm;
  const AlarmKindRow& row = row_of(alarm.kind);
  if (change.what == AlarmChange::What::kCleared) {
    log::info("alarm {} cleared: {} of {}", alarm.id, row.name, alarm.object);
  } else if (row.severity == AlarmSeverity::kWarning) {
    log::info("alarm {} raised: {} of {}: {}", alarm.id, row.name, alarm.object, alarm.cause);
  } else {
    log::warn("alarm {} raised: {} of {}: {}", alarm.id, row.name, alarm.object, alarm.cause);
  }
}

Event event_of(EventKind kind, const Alarm& alarm, std::string text) {
  Event event;
  event.kind = kind;
  event.object = alarm.object;
  event.text = std::move(text);
  event.alarm_kind = row_of(alarm.kind).name;
  event.alarm = alarm.id;
  return event;
}

}  // namespace

std::uint64_t utc_ms_now() {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(since_1970()).count());
}

void ProcessConditions::append(std::vector<AlarmCondition>& conditions) {
  const auto counted = [&](AlarmKind kind, std::uint64_t now, std::uint64_t& last,
                           const char* what) {
    if (now > std::exchange(last, now)) {
      conditions.push_back({kind, "process", fmt::format("{} {} since the start", now, what)});
    }
  };
  counted(AlarmKind::kPeersRefused, peer_faults(PeerFault::kRefused), last_.peers_refused,
          "connections refused");
  counted(AlarmKind::kPeerFaults,
          peer_faults(PeerFault::kMalformed) + peer_faults(PeerFault::kUnknownObject) +
              peer_faults(PeerFault::kUnknownOperation) + peer_faults(PeerFault::kUndecodable),
          last_.peer_faults, "messages that are not understood");
  counted(AlarmKind::kCallbacksNotRead, oneways_without_room(), last_.callbacks_dropped,
          "messages dropped");
  for (const UnwrittenFiles::Failure& it : UnwrittenFiles::of_process().failures()) {
    conditions.push_back({AlarmKind::kStateNotWritten, it.path, it.why});
  }
  if (few_descriptors_left()) {
    conditions.push_back({AlarmKind::kDescriptorsShort, "process",
                          "half of the file descriptors are in use without those of peers"});
  }
}

Supervision::Supervision(SharedTimers& timers, std::string part, bool of_process, Look look)
    : part_(std::move(part)),
      incarnation_(static_cast<std::uint64_t>(since_1970().count())),
      look_(std::move(look)),
      events_(utc_ms_now),
      table_(first_alarm_id()),
      timer_(timers, [this] { this->look(); }) {
  if (of_process) process_.emplace();
}

void Supervision::start() { timer_.set(steady_now()); }

void Supervision::look() {
  const TimePoint now = steady_now();
  bool ask = false;
  {
    const std::lock_guard lock(mutex_);
    of_process_.clear();
    if (process_) process_->append(of_process_);
    ask = !asked_at_.has_value();
    if (ask) asked_at_ = now;
  }
  // Without the lock: the logic may answer at once, on this thread.
  if (ask) look_([this](Conditions conditions) { take(std::move(conditions)); });
  {
    const std::lock_guard lock(mutex_);
    compare(steady_now());
  }
  timer_.set(now + kLook);
}

void Supervision::take(Conditions conditions) {
  const std::lock_guard lock(mutex_);
  of_logic_ = std::move(conditions);
  asked_at_.reset();
}

void Supervision::set_observed(Conditions conditions) {
  const std::lock_guard lock(mutex_);
  observed_ = std::move(conditions);
}

void Supervision::compare(TimePoint now) {
  Conditions all = of_process_;
  all.insert(all.end(), of_logic_.begin(), of_logic_.end());
  all.insert(all.end(), observed_.begin(), observed_.end());
  if (asked_at_ && now - *asked_at_ >= kSilent) {
    const auto s = std::chrono::duration_cast<std::chrono::seconds>(kSilent).count();
    all.push_back(
        {AlarmKind::kLogicSilent, part_, fmt::format("its logic has not answered for {} s", s)});
  }
  for (const AlarmChange& change : table_.look(all, {now, utc_ms_now()})) {
    const bool raised = change.what == AlarmChange::What::kRaised;
    log_change(change);
    events_.add(event_of(raised ? EventKind::kAlarmRaised : EventKind::kAlarmCleared, change.alarm,
                         change.alarm.cause));
  }
}

std::vector<Alarm> Supervision::alarms(std::uint64_t after, std::size_t limit, bool cleared_too) {
  const std::lock_guard lock(mutex_);
  compare(steady_now());
  return table_.page(after, limit, cleared_too);
}

Result<void> Supervision::acknowledge(std::uint64_t id, const std::string& who,
                                      const std::string& note) {
  const std::lock_guard lock(mutex_);
  const auto done = table_.acknowledge(id, who, note, utc_ms_now());
  if (!done) return tl::make_unexpected(done.error());
  log::info("alarm {} is acknowledged by {}", id, done->acknowledged_by);
  events_.add(event_of(EventKind::kAlarmAcknowledged, *done,
                       done->note.empty()
                           ? fmt::format("by {}", done->acknowledged_by)
                           : fmt::format("by {}: {}", done->acknowledged_by, done->note)));
  return {};
}

Result<void> Supervision::unacknowledge(std::uint64_t id) {
  const std::lock_guard lock(mutex_);
  return table_.unacknowledge(id);
}

void Supervision::append_metrics(Metrics& metrics) {
  const std::lock_guard lock(mutex_);
  for (const AlarmKindRow& row : alarm_kinds()) {
    if (const std::size_t raised = table_.raised(row.kind); raised != 0) {
      metrics.emplace_back(
          filled(kAlarmMetrics["alarms/<kind>/<severity>"], {row.name, to_string(row.severity)}),
          raised);
    }
  }
}

MetricTable alarm_metrics() { return metric_table("orb", kAlarmMetrics); }

}  // namespace xbind::orb
