// What a batch names is spread over tables that the processor's caches do not hold. A loop over the batch that asks
// for what its later items need while it works on an earlier one waits for several answers at a time, not for
// one after the other. Asking changes nothing: what is not there is not asked for.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <tuple>
#include <utility>

namespace xbind {

// How many items pass between two looks ahead, and between the last look and the item's turn: what one look
// brings in says where the next one is to look.
inline constexpr std::size_t kAhead = 4;

// Every line that the object lies in, to be written.
template <class T>
void prefetch_all(const T& object) {
  constexpr std::size_t kLine = 64;
  const char* const begin = reinterpret_cast<const char*>(&object);
  for (std::size_t at = 0; at < sizeof(T); at += kLine) __builtin_prefetch(begin + at, 1);
  if constexpr (alignof(T) % kLine != 0) __builtin_prefetch(begin + sizeof(T) - 1, 1);
}

// For a loop over `items`, which has operator[] and outlives it. The first of `asks` looks farthest ahead.
template <class Items, class... Asks>
class Ahead {
 public:
  explicit Ahead(const Items& items, Asks... asks) : items_(items), asks_(std::move(asks)...) {}

  // Item `at` is next, in ascending order. The first ones are asked for together.
  void step_to(std::size_t at) { ask(at, std::index_sequence_for<Asks...>{}); }

 private:
  template <std::size_t... kAsk>
  void ask(std::size_t at, std::index_sequence<kAsk...>) {
    (ask_until<kAsk>(std::min(items_.size(), at + kAhead * (sizeof...(Asks) - kAsk) + 1)), ...);
  }
  template <std::size_t kAsk>
  void ask_until(std::size_t end) {
    for (; asked_[kAsk] < end; ++asked_[kAsk]) std::get<kAsk>(asks_)(items_[asked_[kAsk]]);
  }

  const Items& items_;
  std::tuple<Asks...> asks_;
  std::array<std::size_t, sizeof...(Asks)> asked_{};  // how many items
};

// handle(item) for each, with the looks ahead.
template <class Items, class Handle, class... Asks>
void for_each_ahead(const Items& items, Handle handle, Asks... asks) {
  Ahead ahead(items, std::move(asks)...);
  for (std::size_t i = 0; i < items.size(); ++i) {
    ahead.step_to(i);
    handle(items[i]);
  }
}

}  // namespace xbind
