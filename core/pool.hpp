// Storage for objects that are made and destroyed with every call. Objects lie in chunks: an object
// keeps its address, the next object reuses a free place, and only growth allocates. The memory of
// a peak stays allocated for the next peak.
//
// The address sanitizer finds a use of an object after its end, as with freed memory. The owner
// destroys every object before the pool ends, and bounds their number. Not thread-safe.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <new>
#include <utility>

#include "core/check.hpp"
#include "core/chunks.hpp"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1  // GCC's name for it
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

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
    if (free_ == nullptr) free_ = &places_[places_.grow()];
    Place* const place = free_;
    Place* const next = place->next;
    forbid_use(*place, false);
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
    forbid_use(*place, true);
    --live_;
  }

  std::size_t live() const { return live_; }
  // Number of objects that fit before the next allocation.
  std::size_t capacity() const { return places_.capacity(); }

 private:
  union Place {
    Place* next = nullptr;  // the free place after this one
    alignas(T) std::byte object[sizeof(T)];
  };
  // In a free place the sanitizer allows access to the link only.
  static void forbid_use([[maybe_unused]] Place& place, [[maybe_unused]] bool forbid) {
#if defined(__SANITIZE_ADDRESS__)
    std::byte* const after_link = reinterpret_cast<std::byte*>(&place) + sizeof(Place*);
    constexpr std::size_t kOctets = sizeof(Place) - sizeof(Place*);
    if (forbid) {
      ASAN_POISON_MEMORY_REGION(after_link, kOctets);
    } else {
      ASAN_UNPOISON_MEMORY_REGION(after_link, kOctets);
    }
#endif
  }
  // A chunk has 16 to 32 KiB and at least eight objects.
  static constexpr std::size_t kPerChunk =
      std::max(std::size_t{8}, std::bit_floor(32 * 1024 / sizeof(Place)));

  Chunks<Place, static_cast<unsigned>(std::countr_zero(kPerChunk))> places_;
  Place* free_ = nullptr;
  std::size_t live_ = 0;
};

}  // namespace xbind
