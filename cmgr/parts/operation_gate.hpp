// Limits how many requests are under way, and chooses which waiting request begins next: by
// urgency, the oldest first within a class. Releases free what others wait for, so they rank above
// the priority of any call (class 8; calls: 7..0).
//
// When the gate is full it rejects the newest request of the lowest class below the newcomer's, or
// the newcomer if there is none. Requests that have waited for `patience` are rejected as well.
//
// Not thread-safe; owned by the connection manager. At most `waiting_max` items.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <optional>
#include <utility>

#include "core/check.hpp"
#include "core/clock.hpp"

namespace xbind::cmgr {

template <class Item>
class OperationGate {
 public:
  static constexpr unsigned kUrgencyMax = 8;

  OperationGate(std::size_t at_once, std::size_t waiting_max, Duration patience)
      : at_once_(at_once), waiting_max_(waiting_max), patience_(patience) {}

  // Whether another request may begin.
  bool open() const { return under_way_ < at_once_; }
  void started() { ++under_way_; }
  void ended() {
    XB_CHECK(under_way_ > 0, under_way_);
    --under_way_;
  }
  std::size_t under_way() const { return under_way_; }
  std::size_t waiting() const { return waiting_; }

  // Queues an item; urgency 0..kUrgencyMax. Returns the item that had to leave for it, perhaps
  // itself.
  std::optional<Item> push(unsigned urgency, Item item, TimePoint now) {
    XB_CHECK(urgency <= kUrgencyMax, urgency);
    std::optional<Item> gone;
    if (waiting_ >= waiting_max_) {
      const auto end = classes_.begin() + urgency;
      const auto lowest =
          std::find_if(classes_.begin(), end, [](const Class& of) { return !of.empty(); });
      if (lowest == end) return item;
      gone = std::move(lowest->back().item);
      lowest->pop_back();
      --waiting_;
    }
    classes_[urgency].push_back({std::move(item), now + patience_});
    ++waiting_;
    return gone;
  }

  // The next item to begin; nullopt when none waits. The caller must call started().
  std::optional<Item> pop() {
    const auto highest = std::find_if(classes_.rbegin(), classes_.rend(),
                                      [](const Class& of) { return !of.empty(); });
    if (highest == classes_.rend()) return std::nullopt;
    return take_front(*highest);
  }

  // An item that has waited too long, the longest first. Call until it returns nullopt.
  std::optional<Item> expired(TimePoint now) {
    Class* oldest = nullptr;
    for (Class& of : classes_) {
      if (of.empty() || of.front().deadline > now) continue;
      if (oldest == nullptr || of.front().deadline < oldest->front().deadline) oldest = &of;
    }
    if (oldest == nullptr) return std::nullopt;
    return take_front(*oldest);
  }
  TimePoint next_deadline() const {
    TimePoint next = kNever;
    for (const Class& of : classes_) {
      if (!of.empty()) next = std::min(next, of.front().deadline);
    }
    return next;
  }

 private:
  struct Waiting {
    Item item;
    TimePoint deadline;
  };
  using Class = std::deque<Waiting>;  // oldest first

  std::optional<Item> take_front(Class& from) {
    std::optional<Item> item = std::move(from.front().item);
    from.pop_front();
    --waiting_;
    return item;
  }

  std::size_t at_once_;
  std::size_t waiting_max_;
  Duration patience_;
  std::array<Class, kUrgencyMax + 1> classes_;  // by urgency
  std::size_t waiting_ = 0;
  std::size_t under_way_ = 0;
};

}  // namespace xbind::cmgr
