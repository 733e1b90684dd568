// Limits how many requests are under way, and chooses which waiting request begins next: by
// urgency; within a class of urgency the owners, which are the clients, take turns, each with its
// oldest request. So an owner with many waiting requests does not delay those of the others.
// Releases free what others wait for, so they rank above the priority of any call (class 8; calls:
// 7..0).
//
// When the gate is full, a request of the lowest class below the newcomer's leaves: the newest of
// the owner that has most waiting there. If no class is lower, this applies to the newcomer's own
// class, unless its owner would then have as many as anybody: then the newcomer leaves. Requests
// that have waited for `patience` are rejected as well.
//
// Not thread-safe; owned by the connection manager. At most `waiting_max` items.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <list>
#include <optional>
#include <unordered_map>
#include <utility>

#include "core/check.hpp"
#include "core/clock.hpp"

namespace xbind::cmgr {

template <class Item, class Owner>
class OperationGate {
 public:
  static constexpr unsigned kUrgencyMax = 8;

  OperationGate(std::size_t at_once, std::size_t waiting_max, Duration patience)
      : at_once_(at_once), waiting_max_(waiting_max), patience_(patience) {}

  // Changes the bound and the patience. The patience also counts for items that wait already.
  void change(std::size_t at_once, Duration patience) {
    for (Class& of : classes_) {
      for (Waiting& item : of.items) item.deadline += patience - patience_;
    }
    at_once_ = at_once;
    patience_ = patience;
  }

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
  std::optional<Item> push(unsigned urgency, const Owner& owner, Item item, TimePoint now) {
    XB_CHECK(urgency <= kUrgencyMax, urgency);
    std::optional<Item> gone;
    if (waiting_ >= waiting_max_) {
      const auto end = classes_.begin() + urgency;
      const auto lower =
          std::find_if(classes_.begin(), end, [](const Class& of) { return !of.items.empty(); });
      gone = lower == end ? take_newest(*end, end->waiting_of(owner) + 1) : take_newest(*lower, 0);
      if (!gone) return item;
    }
    Class& of = classes_[urgency];
    of.items.push_back({std::move(item), owner, now + patience_});
    Queue& queue = of.queues[owner];
    queue.push_back(std::prev(of.items.end()));
    if (queue.size() == 1) of.turns.push_back(owner);
    ++waiting_;
    return gone;
  }

  // The next item to begin; nullopt when none waits. The caller must call started().
  std::optional<Item> pop() {
    const auto highest = std::find_if(classes_.rbegin(), classes_.rend(),
                                      [](const Class& of) { return !of.items.empty(); });
    if (highest == classes_.rend()) return std::nullopt;
    const Owner owner = std::move(highest->turns.front());
    highest->turns.pop_front();
    const auto queue = highest->queues.find(owner);
    std::optional<Item> item = take(*highest, queue, queue->second.front());
    if (highest->waiting_of(owner) != 0) highest->turns.push_back(owner);
    return item;
  }

  // An item that has waited too long, the longest first. Call until it returns nullopt.
  std::optional<Item> expired(TimePoint now) {
    Class* oldest = nullptr;
    for (Class& of : classes_) {
      if (of.items.empty() || of.items.front().deadline > now) continue;
      if (oldest == nullptr || of.items.front().deadline < oldest->items.front().deadline) {
        oldest = &of;
      }
    }
    if (oldest == nullptr) return std::nullopt;
    const auto queue = oldest->queues.find(oldest->items.front().owner);
    return take_out_of_turn(*oldest, queue, queue->second.front());
  }
  TimePoint next_deadline() const {
    TimePoint next = kNever;
    for (const Class& of : classes_) {
      if (!of.items.empty()) next = std::min(next, of.items.front().deadline);
    }
    return next;
  }

 private:
  struct Waiting {
    Item item;
    Owner owner;
    TimePoint deadline;
  };
  using Items = std::list<Waiting>;
  using Queue = std::deque<typename Items::iterator>;  // of one owner, oldest first; not empty
  using Queues = std::unordered_map<Owner, Queue>;
  struct Class {
    Items items;              // oldest first
    Queues queues;            // of those owners that have waiting items
    std::deque<Owner> turns;  // these owners, each once, the next one first

    std::size_t waiting_of(const Owner& owner) const {
      const auto found = queues.find(owner);
      return found == queues.end() ? 0 : found->second.size();
    }
  };

  std::optional<Item> take(Class& from, typename Queues::iterator queue,
                           typename Items::iterator chosen) {
    std::optional<Item> item = std::move(chosen->item);
    if (queue->second.front() == chosen) {
      queue->second.pop_front();
    } else {
      queue->second.pop_back();
    }
    from.items.erase(chosen);
    if (queue->second.empty()) from.queues.erase(queue);
    --waiting_;
    return item;
  }

  // The same for an owner whose turn it is not: without a waiting item it gets none.
  std::optional<Item> take_out_of_turn(Class& from, typename Queues::iterator queue,
                                       typename Items::iterator chosen) {
    const Owner owner = queue->first;
    std::optional<Item> item = take(from, queue, chosen);
    if (from.waiting_of(owner) == 0) std::erase(from.turns, owner);
    return item;
  }

  // The newest item of the owner with most items, if these are more than `floor`. Looks at every
  // owner: at most as many as clients are attached, and only when the gate is full.
  std::optional<Item> take_newest(Class& from, std::size_t floor) {
    const auto most = std::max_element(
        from.queues.begin(), from.queues.end(),
        [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
    if (most == from.queues.end() || most->second.size() <= floor) return std::nullopt;
    return take_out_of_turn(from, most, most->second.back());
  }

  std::size_t at_once_;
  std::size_t waiting_max_;
  Duration patience_;
  std::array<Class, kUrgencyMax + 1> classes_;  // by urgency
  std::size_t waiting_ = 0;
  std::size_t under_way_ = 0;
};

}  // namespace xbind::cmgr
