// The messages of one leg that leave a process after a step: all SwitchServers of a manager are one
// leg, its clients another. The one place where faults and pace act on what is sent.
//
// T is a message and its receiver:
//   std::uint64_t peer() const    faults reorder messages of the same peer only
//   MessageCost cost() const      in a paced process
// It is copied when a fault duplicates it.
//
// Bounded by what the senders allow: sessions put no more than their windows. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/clock.hpp"
#include "core/impairments/impairments.hpp"

namespace xbind {

// What one message costs a paced process: that of `messages` messages with `items_each` items. None
// for an acknowledgement alone and for a heartbeat.
struct MessageCost {
  std::size_t messages = 0;
  std::size_t items_each = 0;
};

template <class T>
class Outbox {
 public:
  // `leg`: "manager-to-switch/NAME" (fault_plan.hpp). `metric`: what the status calls the leg,
  // "to_switches". `impairments` outlives this.
  Outbox(Impairments& impairments, std::string_view leg, std::string metric)
      : impairments_(impairments), pipe_(impairments.options_.faults, leg) {
    impairments.legs_.push_back({std::move(metric), &pipe_.counters()});
  }
  Outbox(const Outbox&) = delete;
  Outbox& operator=(const Outbox&) = delete;

  void put(T message) { waiting_.push_back(std::move(message)); }

  // Calls deliver(message) for each message that is due: those put since the last call, and those
  // that faults have held long enough. `deliver` may call put(), for the next call, but not send().
  template <class Deliver>
  void send(TimePoint now, Deliver&& deliver) {
    leaving_.swap(waiting_);
    pipe_.pass(
        leaving_, [](const T& message) { return message.peer(); }, now);
    for (const T& message : leaving_) {
      if (impairments_.paced()) pay(message.cost());
      deliver(message);
    }
    leaving_.clear();
  }
  // Drops what was put since the last send().
  void clear() { waiting_.clear(); }

  // When send() has to be called for what faults hold; kNever: they hold nothing.
  TimePoint next_deadline() const { return pipe_.next_deadline(); }
  const faults::FaultCounters& counters() const { return pipe_.counters(); }

 private:
  void pay(MessageCost cost) {
    for (std::size_t i = 0; i < cost.messages; ++i) impairments_.sending(cost.items_each);
  }

  Impairments& impairments_;
  faults::FaultyPipe<T> pipe_;
  std::vector<T> waiting_;
  std::vector<T> leaving_;  // of a send(); both are kept for their memory
};

}  // namespace xbind
