// How many requests are under way at a time, and which of those that wait is begun next: by urgency,
// the oldest first in each class. Releases give back what others wait for, so they stand above every
// call's priority (class 8; calls: 7..0).
//
// Under pressure the gate sheds what is least urgent and has waited least: when it is full, the newest of
// the lowest class below the newcomer's gives up its place; if there is none, the newcomer is the
// one that goes. What has waited for `patience` goes as well.
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

  // Whether one more may be begun.
  bool open() const { return under_way_ < at_once_; }
  void started() { ++under_way_; }
  void ended() {
    XB_CHECK(under_way_ > 0, under_way_);
    --under_way_;
  }
  std::size_t under_way() const { return under_way_; }
  std::size_t waiting() const { return waiting_; }

  // Lets an item wait; urgency 0..kUrgencyMax. Returns the one that had to go for it, perhaps itself.
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

  // The next one to be begun; nothing when none waits. The caller says started().
  std::optional<Item> pop() {
    const auto highest = std::find_if(classes_.rbegin(), classes_.rend(),
                                      [](const Class& of) { return !of.empty(); });
    if (highest == classes_.rend()) return std::nullopt;
    return take_front(*highest);
  }

  // One that has waited too long, the longest first; call it until there is none.
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
