// The stages of setups and releases in the manager, as its status reports them.
//
//            setup                    release
//    arrived
//      │  admission                admission
//    begun
//      │  qos                      queue
//    mapped                         ·
//      │  route                      ·
//    path known                     ·
//      │  labels                     ·
//    labels available               ·
//      │  queue                      ·
//    batches sent
//      │  switches                 switches
//    results received
//      │  answer                   answer
//    passed to the session
//
// - admission: from passing the batch of requests to the logic until the operation gate admits the
//   request
// - qos: until the service is mapped. Zero when it is mapped here, or cached
// - crankback: the routes that were tried in vain, including their removal. Zero without crankback;
//   the stages after it are those of the route that succeeded
// - route: until the path is known. Zero with a cached path or a prepared connection
// - labels: the reserve phase. Zero when the caches had every label
// - queue: from queueing the commits (removals) until the last of their batches is sent. Zero for
//   the engines that make one invocation after another, which queue nothing
// - switches: until the result of the last hop is received
// - answer: until the outcome is passed to the client's session; longer than a step only when that
//   session has no credit
// - total: the exact sum of the stages
//
// Counts only setups answered "connected" and releases answered "released" whose outcome was passed
// to the session. Not counted: refusals, holds and their commits, connections prepared in advance,
// leaves, changes, reroutes, and releases that end owing a removal.
//
// Precision: every time is the `now` of a step (core/metrics/stage_times.hpp). The daemon reads the
// clock when a message's turn comes, and again when the step ends. Only the client sees the time
// that a request waits before its turn, in the ORB and in the Serial. A result's wait counts in
// `switches`. The computing time of the logic counts in `queue` or `switches`, and in `answer` for
// the last result. A step's messages are sent after its stages end: sending commands counts in
// `switches`, sending outcomes in no stage.
//
// The times of a call exist only while it is under way, in a table apart from the connections; a
// call stores an index into it. The number of entries is bounded by the setups and releases under
// way, the outcomes that wait for the session (ClientDesk::kOutcomesWaiting) and the queued
// commands of abandoned tries (Aggregator::kCommandsQueued). It allocates only to grow.
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

// Times of a request from before its connection exists.
struct RequestTimes {
  TimePoint arrived;
  TimePoint begun{};
};

class CallTimes {
 public:
  // Opens the entry of a setup whose service is mapped, or of a release that has begun.
  TimesIndex open_setup(const RequestTimes& request, TimePoint mapped);
  TimesIndex open_release(const RequestTimes& request);
  // The try has failed and another route is being sought. Returns the call's new index. Queued
  // commands of the failed try no longer count for any call.
  TimesIndex try_again(TimesIndex call, TimePoint now);

  void path_known(TimesIndex call, TimePoint now) { mark<kRouted>(call, now); }
  void labels_in_hand(TimesIndex call, TimePoint now) { mark<kLabelled>(call, now); }
  // One command of the call entered a queue; left it with a batch; or was dropped when the session
  // ended.
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

  // Ends an index: counts the call at the time its outcome is passed to the session, or at the time
  // of the answer; or (close) does not count it.
  void handed_over(TimesIndex call, TimePoint now);
  void handed_over_at_once(TimesIndex call) {
    if (call != kNotTimed) handed_over(call, entries_[call.value()].marks[kAnswered]);
  }
  void close(TimesIndex call);

  // How long the call has taken so far.
  Duration lasted(TimesIndex call, TimePoint now) const {
    return call == kNotTimed ? Duration{} : now - entries_[call.value()].marks[kArrived];
  }
  // Calls visit(name of the stage, from, until) for each stage but `answer` that took time, and for
  // the last one of them.
  template <class Visit>
  void visit_stages(TimesIndex call, Visit&& visit) const {
    if (call == kNotTimed) return;
    const Entry& entry = entries_[call.value()];
    const auto& marks = entry.marks;
    const auto stage = [&](std::string_view name, Mark from, Mark until) {
      if (marks[until] > marks[from]) visit(name, marks[from], marks[until]);
    };
    if (entry.release) {
      stage(to_string(ReleaseStage::kAdmission), kArrived, kBegun);
      stage(to_string(ReleaseStage::kQueue), kBegun, kLeft);
      return visit(to_string(ReleaseStage::kSwitches), marks[kLeft], marks[kAnswered]);
    }
    for (std::size_t i = 0; i + 2 < kMarks; ++i) {
      stage(to_string(static_cast<SetupStage>(i)), static_cast<Mark>(i), static_cast<Mark>(i + 1));
    }
    visit(to_string(SetupStage::kSwitches), marks[kLeft], marks[kAnswered]);
  }

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
    std::uint32_t queued = 0;  // commands; they keep the entry alive
    bool release = false;
    bool open = false;
  };

  // Also moves later marks that would otherwise lie in the past: a skipped stage takes zero time.
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
