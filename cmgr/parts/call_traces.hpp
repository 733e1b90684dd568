// Records what happens to sampled calls, and to setups that are refused or slow (core/trace/).
//
//     begun ── state, sent, answered ... ── stages ── ended        one operation of a connection
//
// A connection carries the decision (Connection::traced), so a call that is not sampled costs a
// test of that flag at each of these places. trace_spans.hpp turns the records into spans when
// somebody asks.
//
// A setup that is not sampled is recorded when it ends, if it is refused or slow: its stages are
// known then (call_times.hpp), and a hop that refuses is recorded at once. Of these, at most
// kUnsampledPerS a second.
//
// Bounded (kRecordsMax). Not thread-safe; owned by the connection manager.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "cmgr/parts/call_times.hpp"
#include "cmgr/parts/connection.hpp"
#include "cmgr/parts/indices.hpp"
#include "cmgr/parts/refusal.hpp"
#include "core/clock.hpp"
#include "core/hop.hpp"
#include "core/trace/ring.hpp"
#include "core/trace/sampling.hpp"

namespace xbind::cmgr {

struct CallRecord {
  enum class Kind : std::uint8_t {
    kBegun,     // an operation; `name`, `shown_id`, `request`, `ends`
    kState,     // it enters the state `name`
    kSent,      // the command of `hop` left the manager
    kAnswered,  // its result arrived
    kStage,     // from `at` until `until`, the operation was in the stage `name`
    kRefused,   // the setup; `words`
    kEnded,     // the operation
  };

  TimePoint at;
  TimePoint until{};  // kStage
  ConnectionId connection;
  Kind kind = Kind::kBegun;
  HopAction action = HopAction::kReserve;
  Cause cause = Cause::kNone;
  SwitchIndex place;  // kSent, kAnswered
  PortId port;        // kAnswered: the port that refused
  std::uint32_t revision = 0;
  const char* name = "";  // a constant
  HopKey hop;             // kSent, kAnswered
  ConnectionId shown_id;
  RequestId request;
  // kBegun: "host-a -> host-b"; kRefused: "at sw2 port 4: asked 100 cells/s, free 20"
  std::unique_ptr<const std::string> words;
};

class CallTraces {
 public:
  static constexpr std::size_t kRecordsMax = 50'000;

  explicit CallTraces(const trace::Settings& settings) : settings_(settings) {}

  const trace::Settings& settings() const { return settings_; }
  const trace::Ring<CallRecord>& records() const { return records_; }

  // The time of the present step. Records get it; call this before other work of the step.
  void at(TimePoint now) { now_ = now; }

  // Whether a connection of that id is to be recorded. `two_way`: its client waits for the answer
  // in a two-way operation. Such calls are few and asked for by people, so all are recorded.
  bool samples(ConnectionId id, bool two_way) const {
    return settings_.sample != 0 && (two_way || trace::is_sampled(id, settings_.sample));
  }

  // --- for connections with Connection::traced. `name`: a constant.
  [[gnu::cold]] void begun(const Connection& connection, const char* name);
  [[gnu::cold]] void state(const Connection& connection, const char* name);
  [[gnu::cold]] void ended(const Connection& connection, Cause cause);
  [[gnu::cold]] void stages(const Connection& connection, const CallTimes& times, TimesIndex call);
  // The whole operation, which is over. `refusal`: why it failed, or null.
  [[gnu::cold]] void whole(const Connection& connection, const char* name, const CallTimes& times,
                           TimesIndex call, const Refusal* refusal = nullptr);
  // The batch leaves the manager; it lists the connections that are recorded (HopBatch::traced).
  void sent(const HopBatch& batch, SwitchIndex to);
  [[gnu::cold]] void answered(SwitchIndex from, const HopResult& result);

  // --- for every connection
  // A hop has refused. A sampled connection's answer is recorded anyway.
  void refused(const Connection& connection, SwitchIndex at, const HopResult& result) {
    if (!connection.traced && may_record()) answered(at, result);
  }
  // A setup ends. Records it if it is sampled, refused or slow. `refusal`: null: it is connected.
  void setup_over(const Connection& connection, const CallTimes& times, TimesIndex call,
                  const Refusal* refusal) {
    if (connection.traced) {
      stages(connection, times, call);
      if (refusal != nullptr) why_refused(connection, *refusal);
      return;
    }
    const bool slow = settings_.slow > Duration{} && times.lasted(call, now_) > settings_.slow;
    if ((refusal != nullptr || slow) && may_record()) {
      whole(connection, "setup", times, call, refusal);
    }
  }

 private:
  bool may_record() { return bucket_.take(trace::kUnsampledPerS, now_); }
  CallRecord record_of(const Connection& connection, CallRecord::Kind kind) const;
  [[gnu::cold]] void why_refused(const Connection& connection, const Refusal& refusal);

  trace::Settings settings_;
  trace::Ring<CallRecord> records_{kRecordsMax};
  TokenBucket bucket_;
  TimePoint now_{};
};

}  // namespace xbind::cmgr
