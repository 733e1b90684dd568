// The stages of setups and releases in the manager, as they are told by its status.
//
//     setup    arrived ─▶ begun ─▶ mapped ─▶ path known ─▶ labels in hand ─▶ batches left ─▶ answers in ─▶ handed over
//               admission    qos      route         labels             queue         switches       answer
//     release  arrived ─▶ begun ────────────────────────────────────────▶ batches left ─▶ answers in ─▶ handed over
//               admission                        queue                       switches       answer
//
// - admission: the batch of requests was handed to the logic; the operation gate let the request begin
// - qos: until the service was mapped. Zero when it is mapped here, or known
// - crankback: the routes that were tried in vain, with the undoing of each. Zero without crankback; the
//   stages after it are those of the route that was taken
// - route: until the path was known. Zero with a cached one, or a connection prepared in advance
// - labels: the reserve phase. Zero when the caches had every label
// - queue: from the commits (removals) being queued until the last of their batches left. Zero for the
//   engines that make one invocation after another, which queue nothing
// - switches: until the result of the last hop was taken
// - answer: until the outcome was handed to the client's session; longer than a step only when that has
//   no credit
// - total: the stages add up to it exactly.
//
// Counted are setups answered "connected" and releases answered "released" whose outcome was handed over,
// and no others: refusals, holds and their commits, connections prepared in advance, leaves, changes,
// reroutes, and releases that end owing a removal enter nothing.
//
// How exact: time is the `now` of the step (core/metrics/stage_times.hpp). In the daemon that is read when
// a message's turn has come, and once more when the step ends. What a request waits before its turn, in
// the ORB and in the Serial, only the client sees; what a result waits is in `switches`. What the logic
// takes is in `queue` or `switches`, with the last result in `answer`. A step's messages are sent after
// its stages: that of commands is in `switches`, that of outcomes in none.
//
// The times of a call exist only while it is under way, in a table apart from the connections; a call
// has an index there. At most as many entries as setups and releases are under way, outcomes wait to be
// handed over (ClientDesk::kOutcomesWaiting) and commands of abandoned tries wait in queues
// (Aggregator::kCommandsQueued). No allocation but to grow.
//
// Not thread-safe; owned by the connection manager.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "cmgr/parts/indices.hpp"
#include "core/clock.hpp"
#include "core/metrics/stage_times.hpp"

namespace xbind::cmgr {

enum class SetupStage : std::uint8_t {
  kAdmission,
  kQos,
  kCrankback,
  kRoute,
  kLabels,
  kQueue,
  kSwitches,
  kAnswer,
  kTotal,
};
enum class ReleaseStage : std::uint8_t { kAdmission, kQueue, kSwitches, kAnswer, kTotal };

constexpr std::string_view to_string(SetupStage stage) {
  switch (stage) {
    case SetupStage::kAdmission: return "admission";
    case SetupStage::kQos: return "qos";
    case SetupStage::kCrankback: return "crankback";
    case SetupStage::kRoute: return "route";
    case SetupStage::kLabels: return "labels";
    case SetupStage::kQueue: return "queue";
    case SetupStage::kSwitches: return "switches";
    case SetupStage::kAnswer: return "answer";
    case SetupStage::kTotal: return "total";
  }
  return "unknown stage";
}
constexpr std::string_view to_string(ReleaseStage stage) {
  switch (stage) {
    case ReleaseStage::kAdmission: return "admission";
    case ReleaseStage::kQueue: return "queue";
    case ReleaseStage::kSwitches: return "switches";
    case ReleaseStage::kAnswer: return "answer";
    case ReleaseStage::kTotal: return "total";
  }
  return "unknown stage";
}

// What a request brings along from before its connection is known.
struct RequestTimes {
  TimePoint arrived;
  TimePoint begun{};
};

class CallTimes {
 public:
  // A setup whose service is mapped; a release that has begun.
  TimesIndex open_setup(const RequestTimes& request, TimePoint mapped);
  TimesIndex open_release(const RequestTimes& request);
  // What was tried is over and another route is looked for: the call's new index. Commands of the old try
  // that still wait count for nobody.
  TimesIndex try_again(TimesIndex call, TimePoint now);

  void path_known(TimesIndex call, TimePoint now) { mark<kRouted>(call, now); }
  void labels_in_hand(TimesIndex call, TimePoint now) { mark<kLabelled>(call, now); }
  // One of its commands waits in a queue; has left it with a batch; or never will, for the session ended.
  void queued(TimesIndex call) {
    if (call != kNotTimed) ++entries_[call.value()].queued;
  }
  void left(TimesIndex call, TimePoint now) {
    mark<kLeft>(call, now);
    dropped(call);
  }
  void dropped(TimesIndex call) {
    if (call == kNotTimed) return;
    --entries_[call.value()].queued;
    vacate_if_done(call);
  }
  void answered(TimesIndex call, TimePoint now) { mark<kAnswered>(call, now); }

  // The end of an index: the outcome is handed over, at that time or with the answer, and the call
  // counts; or the call counts for nothing.
  void handed_over(TimesIndex call, TimePoint now);
  void handed_over_at_once(TimesIndex call) {
    if (call != kNotTimed) handed_over(call, entries_[call.value()].marks[kAnswered]);
  }
  void close(TimesIndex call);

  const StageTimes<SetupStage>& setups() const { return setups_; }
  const StageTimes<ReleaseStage>& releases() const { return releases_; }
  // Entries in use.
  std::size_t size() const { return entries_.size() - vacant_.size(); }

 private:
  // Ends of stages in their order: stage i of a setup lies between the marks i and i + 1.
  enum Mark : std::uint8_t {
    kArrived,
    kBegun,
    kMapped,
    kTried,
    kRouted,
    kLabelled,
    kLeft,
    kAnswered,
    kMarks,
  };
  struct Entry {
    std::array<TimePoint, kMarks> marks;
    std::uint32_t queued = 0;  // commands; the entry stays for them
    bool release = false;
    bool open = false;
  };

  // What comes later cannot have been before: a stage that is skipped takes zero.
  template <Mark kMark>
  void mark(TimesIndex call, TimePoint now) {
    if (call == kNotTimed) return;
    auto& marks = entries_[call.value()].marks;
    if constexpr (kMark <= kTried) marks[kTried] = now;
    if constexpr (kMark <= kRouted) marks[kRouted] = now;
    if constexpr (kMark <= kLabelled) marks[kLabelled] = now;
    if constexpr (kMark <= kLeft) marks[kLeft] = now;
    marks[kAnswered] = now;
  }
  TimesIndex open(const RequestTimes& request, TimePoint mapped, bool release);
  void vacate_if_done(TimesIndex call) {
    if (!entries_[call.value()].open && entries_[call.value()].queued == 0) vacant_.push_back(call);
  }

  std::vector<Entry> entries_;
  std::vector<TimesIndex> vacant_;
  StageTimes<SetupStage> setups_;
  StageTimes<ReleaseStage> releases_;
};

}  // namespace xbind::cmgr
