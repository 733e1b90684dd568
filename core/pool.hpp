// Objects that come and go with every call, in chunks: an address is stable, a
// place that has become free is taken by the next object, and nothing is
// allocated but to grow. The memory of a peak is kept for the next one.
//
// Who has made an object destroys it, before the pool ends. Not thread-safe.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "core/check.hpp"

namespace xbind {

template <class T>
class Pool {
 public:
  Pool() = default;
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool() { XB_CHECK(live_ == 0, live_); }

  template <class... Args>
  T& make(Args&&... args) {
    if (free_ == nullptr) grow();
    Place* const place = free_;
    Place* const next = place->next;
    T* const made = ::new (static_cast<void*>(place->object)) T(std::forward<Args>(args)...);
    free_ = next;
    ++live_;
    return *made;
  }
  void destroy(T& object) {
    object.~T();
    auto* const place = ::new (static_cast<void*>(&object)) Place;
    place->next = free_;
    free_ = place;
    --live_;
  }

  std::size_t live() const { return live_; }
  // Objects that there is room for.
  std::size_t capacity() const { return chunks_.size() * kPerChunk; }

 private:
  union Place {
    Place* next;
    alignas(T) std::byte object[sizeof(T)];
  };
  static constexpr std::size_t kPerChunk = std::max<std::size_t>(8, 32 * 1024 / sizeof(Place));

  void grow() {
    chunks_.push_back(std::make_unique_for_overwrite<Place[]>(kPerChunk));
    Place* const chunk = chunks_.back().get();
    // The first place is taken first.
    for (std::size_t i = kPerChunk; i > 0; --i) {
      chunk[i - 1].next = free_;
      free_ = &chunk[i - 1];
    }
  }

  std::vector<std::unique_ptr<Place[]>> chunks_;
  Place* free_ = nullptr;
  std::size_t live_ = 0;
};

}  // namespace xbind
