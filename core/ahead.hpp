// Prefetching for loops over a batch. The items of a batch refer to entries of tables that are
// larger than the processor's caches. The loop prefetches the entries of later items while it
// handles an earlier one, so that several cache misses overlap. A prefetch changes no state;
// entries that do not exist are not prefetched.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <tuple>
#include <utility>

namespace xbind {

// Distance in items between two stages of prefetching, and between the last stage and the item's
// turn. A later stage follows a pointer that the stage before it has loaded.
inline constexpr std::size_t kAhead = 4;

// Prefetches, for writing, every cache line of the object.
template <class T>
void prefetch_all(const T& object) {
  constexpr std::size_t kLine = 64;
  const char* const begin = reinterpret_cast<const char*>(&object);
  for (std::size_t at = 0; at < sizeof(T); at += kLine) __builtin_prefetch(begin + at, 1);
  if constexpr (alignof(T) % kLine != 0) __builtin_prefetch(begin + sizeof(T) - 1, 1);
}

// Runs the prefetch stages `asks` for a loop over `items`, which has operator[] and outlives this
// object. The first stage runs farthest ahead.
template <class Items, class... Asks>
class Ahead {
 public:
  explicit Ahead(const Items& items, Asks... asks) : items_(items), asks_(std::move(asks)...) {}

  // The loop handles item `at` next; `at` ascends. The first call prefetches for several items.
  void step_to(std::size_t at) { ask(at, std::index_sequence_for<Asks...>{}); }

 private:
  template <std::size_t... kAsk>
  void ask(std::size_t at, std::index_sequence<kAsk...>) {
    (prefetch_until<kAsk>(std::min(items_.size(), at + kAhead * (sizeof...(Asks) - kAsk) + 1)),
     ...);
  }
  template <std::size_t kAsk>
  void prefetch_until(std::size_t end) {
    for (; asked_[kAsk] < end; ++asked_[kAsk]) std::get<kAsk>(asks_)(items_[asked_[kAsk]]);
  }

  const Items& items_;
  std::tuple<Asks...> asks_;
  std::array<std::size_t, sizeof...(Asks)> asked_{};  // items that each stage has prefetched
};

// Calls handle(item) for each item and runs the prefetch stages ahead of it.
template <class Items, class Handle, class... Asks>
void for_each_ahead(const Items& items, Handle handle, Asks... asks) {
  Ahead ahead(items, std::move(asks)...);
  for (std::size_t i = 0; i < items.size(); ++i) {
    ahead.step_to(i);
    handle(items[i]);
  }
}

}  // namespace xbind
