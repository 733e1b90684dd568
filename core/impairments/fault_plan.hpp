// Deliberate faults for tests: drops, repeats, reorders or delays outgoing invocations of a
// process. A session (core/session/session.hpp) must cope with all of them.
//
//   session's frames ──▶ FaultyPipe::pass() ──▶ transport
//
// A later pass() returns what an earlier one has held back.
//
// One FaultInjector per leg and direction (all SwitchServers of a manager are one leg). Its random
// numbers depend only on the seed and the leg's name. Switched off, a pipe costs one branch.
//
// An invocation held for reordering waits for the next one to the same peer, at most
// kOvertakeWithin. In a busy session another one always follows, because unconfirmed batches are
// repeated and heartbeats continue. It counts as reordered only when it was overtaken, so the
// counter matches its probability, except for invocations held when a peer falls silent.
//
// Threads: one at a time, the sending one. Pure: no clock, no transport; the owner calls pass()
// again at next_deadline().
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/clock.hpp"
#include "core/metrics/metric_table.hpp"
#include "core/timers.hpp"

namespace xbind::faults {

// All legs, SENDER_to_RECEIVER, as options and callgen's JSON name them.
inline constexpr std::array<std::string_view, 4> kLegs{"client_to_manager", "manager_to_client",
                                                       "manager_to_switch", "switch_to_manager"};

// Probabilities for each invocation, 0 to 0.9; off when all are 0.
struct FaultOptions {
  double loss = 0;
  double duplicate = 0;  // of those not dropped: sent twice
  double reorder = 0;    // of those not dropped: overtaken by the next one
  double delay = 0;      // of those neither dropped nor held for reordering: sent later
  std::uint32_t delay_ms_max =
      kCoreTimers.ms("delay-ms").count();  // how much later: evenly spread up to this, from 1
  std::uint64_t seed = 1;
  std::vector<std::string> legs{};  // names from kLegs; empty: all legs

  // Returns a sentence about what is wrong with `legs`, or nullopt.
  std::optional<std::string> legs_fault() const;
  bool on() const { return loss > 0 || duplicate > 0 || reorder > 0 || delay > 0; }
};

// An invocation counts once under every fault that it met. All zero when switched off.
struct FaultCounters {
  std::uint64_t invocations = 0;  // passed in
  std::uint64_t dropped = 0;
  std::uint64_t repeated = 0;   // sent twice
  std::uint64_t reordered = 0;  // held back, and overtaken
  std::uint64_t delayed = 0;    // held back for a time, or not overtaken in time
  std::uint64_t passed = 0;     // sent unchanged

  FaultCounters& operator+=(const FaultCounters& other);
  friend bool operator==(const FaultCounters&, const FaultCounters&) = default;
};

// A leg's counters as a status shows them: "faults_dropped", "faults_repeated", "faults_reordered"
// and "faults_delayed" total all legs of a process. Once there is something to count, each leg has
// its own: "faults_to_switches_invocations", ...
struct LegCounters {
  std::string leg;  // "to_switches"
  FaultCounters counters;
};
void append_metrics(const std::vector<LegCounters>& legs, Metrics& metrics);
// The metrics that append_metrics() exports.
MetricTable fault_metrics();

enum class Hold : std::uint8_t {
  kNone,     // sent now
  kNextOne,  // sent right after the next one to the same peer, at `until` at the latest
  kUntil,    // sent at `until`
};

struct Decision {
  unsigned copies = 1;  // 0: dropped
  Hold hold = Hold::kNone;
  TimePoint until;

  friend bool operator==(const Decision&, const Decision&) = default;
};

// The longest wait of a held invocation that none overtakes; then it is sent. Longer than a session
// waits before it repeats (Limits::resend_after), shorter than any timer of a call.
inline constexpr Duration kOvertakeWithin = kCoreTimers["overtake-within"];

class FaultInjector {
 public:
  // `leg`: a unique name for every leg and direction of a process, "client-to-manager/NAME"; the
  // part before the slash is one of kLegs in hyphens. On only if the options select that leg.
  FaultInjector(const FaultOptions& options, std::string_view leg);

  bool on() const { return on_; }
  // Decides about one more invocation. The same sequence of calls with the same seed and leg gives
  // the same decisions.
  Decision decide(TimePoint now);
  // How the wait of a held invocation ended.
  void overtaken() { ++counters_.reordered; }
  void waited() { ++counters_.delayed; }
  // The invocation was to be held back, but there was no room.
  void let_go(const Decision& decision) { counters_.passed += decision.copies == 1 ? 1 : 0; }

  const FaultCounters& counters() const { return counters_; }

 private:
  bool chance(double probability);  // always draws, so that options do not affect each other

  FaultOptions options_;
  bool on_;
  std::mt19937_64 bits_;
  FaultCounters counters_;
};

// At most this many are held at a time; beyond that, none is held back.
inline constexpr std::size_t kHeldMax = 4096;

// Outgoing invocations of one leg. T is copied when it is sent twice.
template <class T>
class FaultyPipe {
 public:
  FaultyPipe(const FaultOptions& options, std::string_view leg) : injector_(options, leg) {}

  // Replaces the items to send by those to send now, in order; items whose hold has expired come
  // first. `peer_of(item)` identifies the receiver: an item is overtaken only by one to the same
  // peer.
  template <class PeerOf>
  void pass(std::vector<T>& items, PeerOf peer_of, TimePoint now) {
    if (!injector_.on()) return;
    std::vector<T> ready;
    ready.reserve(items.size() + held_.size());
    due(now, ready);
    for (T& item : items) {
      const std::uint64_t peer = peer_of(item);
      push(std::move(item), peer, now, ready);
    }
    items.swap(ready);
  }

  // The two halves of pass(); both append to `ready`.
  void push(T item, std::uint64_t peer, TimePoint now, std::vector<T>& ready) {
    const Decision decision = injector_.decide(now);
    if (decision.copies == 0) return;
    if (decision.hold != Hold::kNone) {
      if (held_.size() < kHeldMax) {
        held_.push_back({std::move(item), peer, decision});
        return;
      }
      injector_.let_go(decision);
    }
    append(std::move(item), decision.copies, ready);
    release(ready, [&](const Held& held) {
      return held.peer == peer && held.decision.hold == Hold::kNextOne;
    });
  }
  void due(TimePoint now, std::vector<T>& ready) {
    release(ready, [&](Held& held) {
      if (held.decision.until > now) return false;
      held.decision.hold = Hold::kUntil;
      return true;
    });
  }

  // When a held item is to be sent; kNever: nothing is held.
  TimePoint next_deadline() const {
    TimePoint due = kNever;
    for (const Held& held : held_) due = std::min(due, held.decision.until);
    return due;
  }

  std::size_t held() const { return held_.size(); }
  const FaultCounters& counters() const { return injector_.counters(); }
  bool on() const { return injector_.on(); }

 private:
  struct Held {
    T item;
    std::uint64_t peer;
    Decision decision;
  };

  static void append(T item, unsigned copies, std::vector<T>& ready) {
    for (unsigned copy = 1; copy < copies; ++copy) ready.push_back(item);
    ready.push_back(std::move(item));
  }

  template <class Goes>
  void release(std::vector<T>& ready, Goes goes) {
    auto keep = held_.begin();
    for (auto held = held_.begin(); held != held_.end(); ++held) {
      if (goes(*held)) {
        if (held->decision.hold == Hold::kNextOne) {
          injector_.overtaken();
        } else {
          injector_.waited();
        }
        append(std::move(held->item), held->decision.copies, ready);
      } else {
        if (keep != held) *keep = std::move(*held);
        ++keep;
      }
    }
    held_.erase(keep, held_.end());
  }

  FaultInjector injector_;
  std::vector<Held> held_;  // in order of arrival, at most kHeldMax
};

}  // namespace xbind::faults
