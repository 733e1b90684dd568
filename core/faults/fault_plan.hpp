// Faults on purpose, for tests: invocations that are dropped, repeated, overtaken or delayed on
// their way out of a process. A session (core/session/session.hpp) has to get along with every one
// of them.
//
//   session's frames ──▶ FaultyPipe::pass() ──▶ transport        what is held comes out of a later
//   pass()
//
// One FaultInjector per leg and direction (all SwitchServers of a manager are one leg); its chance
// comes from the seed and the leg's name alone. Switched off, a pipe is one branch.
//
// One held for reordering waits until another has gone to the same peer, however long that takes up
// to kOvertakeWithin: what lags is repeated and heartbeats go on, so that in a session that has
// anything to say another one comes. Only then does it count as reordered; so the counter meets its
// probability, but for what is held when a peer falls silent.
//
// Owner and threads: one thread at a time, the one that sends. Pure: no clock, no transport; the
// owner calls pass() again at next_deadline().
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

// Every leg there is, SENDER_to_RECEIVER, as options and callgen's JSON call it.
inline constexpr std::array<std::string_view, 4> kLegs{"client_to_manager", "manager_to_client",
                                                       "manager_to_switch", "switch_to_manager"};

// Probabilities for each invocation, 0 to 0.9; off when all are 0.
struct FaultOptions {
  double loss = 0;
  double duplicate = 0;  // of those not dropped: goes twice
  double reorder = 0;    // of those not dropped: the next one overtakes it
  double delay = 0;      // of those neither dropped nor held for reordering: goes later
  std::uint32_t delay_ms_max =
      kCoreTimers.ms("delay-ms").count();  // how much later: evenly spread up to this, from 1
  std::uint64_t seed = 1;
  std::vector<std::string> legs{};  // of kLegs; none: all of them

  // What is wrong with `legs`, in a sentence, or nothing.
  std::optional<std::string> legs_fault() const;
  bool on() const { return loss > 0 || duplicate > 0 || reorder > 0 || delay > 0; }
};

// One invocation counts once under every fault it met. All zero when switched off.
struct FaultCounters {
  std::uint64_t invocations = 0;  // handed in
  std::uint64_t dropped = 0;
  std::uint64_t repeated = 0;   // gone twice
  std::uint64_t reordered = 0;  // held back, and truly overtaken
  std::uint64_t delayed = 0;    // held back, for a time or for a next one that did not come
  std::uint64_t passed = 0;     // untouched

  FaultCounters& operator+=(const FaultCounters& other);
  friend bool operator==(const FaultCounters&, const FaultCounters&) = default;
};

// As they stand in a status: "faults_dropped", "faults_repeated", "faults_reordered" and
// "faults_delayed" of all legs of a process and, once there is anything to count, each leg's own:
// "faults_to_switches_invocations", ...
struct LegCounters {
  std::string leg;  // "to_switches"
  FaultCounters counters;
};
void append_metrics(const std::vector<LegCounters>& legs, Metrics& metrics);
// What append_metrics() exports.
MetricTable fault_metrics();

enum class Hold : std::uint8_t {
  kNone,     // goes now
  kNextOne,  // goes right behind the next one to the same peer, at `until` at the latest
  kUntil,    // goes at `until`
};

struct Decision {
  unsigned copies = 1;  // 0: dropped
  Hold hold = Hold::kNone;
  TimePoint until;

  friend bool operator==(const Decision&, const Decision&) = default;
};

// An invocation that nobody overtakes is not lost: it goes after this. Longer than a session waits
// before it repeats (Limits::resend_after), shorter than any timer of a call.
inline constexpr Duration kOvertakeWithin = kCoreTimers["overtake-within"];

class FaultInjector {
 public:
  // `leg`: a name of its own for every leg and direction of a process, "client-to-manager/NAME"; what
  // is before the slash is one of kLegs in hyphens. On only if the options select that one.
  FaultInjector(const FaultOptions& options, std::string_view leg);

  bool on() const { return on_; }
  // What is to become of one more invocation. The same calls after the same seed and leg decide
  // alike.
  Decision decide(TimePoint now);
  // How the waiting of one held back ended.
  void overtaken() { ++counters_.reordered; }
  void waited() { ++counters_.delayed; }
  // It was to be held back, but there was no room.
  void let_go(const Decision& decision) { counters_.passed += decision.copies == 1 ? 1 : 0; }

  const FaultCounters& counters() const { return counters_; }

 private:
  bool chance(double probability);  // draws in any case, so that options do not move each other

  FaultOptions options_;
  bool on_;
  std::mt19937_64 bits_;
  FaultCounters counters_;
};

// At most this many are held at a time; beyond it nothing is held back.
inline constexpr std::size_t kHeldMax = 4096;

// What is on its way out of one leg. T is copied when it goes twice.
template <class T>
class FaultyPipe {
 public:
  FaultyPipe(const FaultOptions& options, std::string_view leg) : injector_(options, leg) {}

  // Turns what is to be sent into what is sent now, in the order in which it goes, what has been
  // held long enough first. `peer_of(item)` tells who gets it: only what goes to the same peer
  // overtakes.
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

  // The two halves of pass(); they append to `ready`.
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

  // When something held is to go; kNever: nothing is held.
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
  std::vector<Held> held_;  // in the order in which they came, at most kHeldMax
};

}  // namespace xbind::faults
