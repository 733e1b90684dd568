// A hash table in one array, for numeric keys (core/ids.hpp) and small values: ids to places,
// looked up by every call. Only growth allocates. See also core/chained_index.hpp, for objects with
// numbers and hashes.
//
// A large array grows without a long pause: the entries stay in the old array, and each insertion
// moves a few of them to the new one (kMovedAtOnce). A look-up that finds nothing in the new array
// searches the old one.
//
// Open addressing with linear probing, and backward-shift deletion: an erased entry leaves no mark.
// The home slot of a key is key * 2^64 / golden ratio, which spreads consecutive numbers evenly
// (Knuth, The Art of Computer Programming, vol. 3, section 6.4). At most three quarters of the
// array are in use; it doubles and never shrinks.
//
// One value means "no entry" and cannot be stored: Value{} by default, or Absent::kAbsent.
//
// An insertion or an erasure invalidates iterators. The owner bounds the size. Not thread-safe.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <type_traits>
#include <utility>

#include "core/check.hpp"

namespace xbind {

template <class Value>
struct DefaultAbsent {
  static constexpr Value kAbsent{};
};
// For values that are indices, of which 0 is valid.
struct AbsentIndex {
  static constexpr std::uint32_t kAbsent = 0xffff'ffff;
};

template <class Key, class Value, class Absent = DefaultAbsent<Value>>
class FlatMap {
 public:
  static constexpr Value kAbsent = Absent::kAbsent;

  struct Entry {
    Key key{};
    Value value = kAbsent;
  };
  static_assert(std::is_trivially_copyable_v<Entry>);
  static_assert(std::is_trivially_destructible_v<Entry>);

  FlatMap() = default;
  FlatMap(FlatMap&& other) noexcept { swap(other); }
  FlatMap& operator=(FlatMap&& other) noexcept {
    FlatMap moved{std::move(other)};
    swap(moved);
    return *this;
  }
  FlatMap(const FlatMap&) = delete;
  FlatMap& operator=(const FlatMap&) = delete;
  ~FlatMap() = default;

  // Arrays with more entries than this are moved step by step.
  static constexpr std::size_t kMovedWhole = 4'096;
  // Slots of the old array that one insertion empties. The new array has room for as many
  // insertions as the old one has entries, so a tenth of this number would suffice.
  static constexpr std::size_t kMovedAtOnce = 16;

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  // Slots of the array; a quarter always stays free.
  std::size_t capacity() const { return array_.capacity(); }

  // kAbsent: the key does not exist.
  Value find(Key key) const {
    const Value value = array_[array_.slot_of(key)].value;
    if (value != kAbsent || old_.none()) return value;
    return old_[old_.slot_of(key)].value;
  }
  bool contains(Key key) const { return find(key) != kAbsent; }
  // Prefetches the home slot of the key (core/ahead.hpp).
  void prefetch(Key key) const { __builtin_prefetch(&array_[array_.home(key)]); }

  // False: the key exists already and its value stays.
  bool insert(Key key, Value value) {
    XB_CHECK(value != kAbsent);
    if (size_ >= limit_) grow();
    Entry& entry = array_[array_.slot_of(key)];
    if (entry.value != kAbsent) return false;
    if (!old_.none()) return insert_while_moving(key, value, entry);
    entry = {key, value};
    ++size_;
    return true;
  }

  // The key must not exist.
  void insert_new(Key key, Value value) {
    XB_CHECK(value != kAbsent);
    if (size_ >= limit_) [[unlikely]]
      grow();
    ++size_;
    array_[array_.free_slot_of(key)] = {key, value};
    if (!old_.none()) [[unlikely]]
      move_some(kMovedAtOnce);
  }

  // Returns the value that the key had, or kAbsent.
  Value erase(Key key) {
    Value erased = array_.erase(array_.slot_of(key));
    if (erased == kAbsent) {
      if (old_.none()) return kAbsent;
      erased = old_.erase(old_.slot_of(key));
      if (erased == kAbsent) return kAbsent;
    }
    --size_;
    return erased;
  }

  // The order of iteration has no meaning.
  class Iterator {
   public:
    const Entry& operator*() const { return *at_; }
    Iterator& operator++() {
      ++at_;
      skip();
      return *this;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.at_ == b.at_; }

   private:
    friend class FlatMap;
    // Iterates over the first range, then over the second.
    Iterator(const Entry* at, const Entry* end, const Entry* then, const Entry* last)
        : at_(at), end_(end), then_(then), last_(last) {
      skip();
    }
    void skip() {
      for (;;) {
        while (at_ != end_ && at_->value == kAbsent) ++at_;
        if (at_ != end_ || end_ == last_) return;
        at_ = then_;
        end_ = last_;
      }
    }
    const Entry* at_;
    const Entry* end_;
    const Entry* then_;
    const Entry* last_;
  };
  Iterator begin() const { return {old_.begin(), old_.end(), array_.begin(), array_.end()}; }
  Iterator end() const { return {array_.end(), array_.end(), array_.end(), array_.end()}; }

 private:
  friend struct FlatMapProbe;  // its test counts what is left to move

  static constexpr std::size_t kLeast = 8;  // a power of two, as every size of an array

  static std::uint64_t number(Key key) {
    if constexpr (std::is_integral_v<Key>) {
      return key;
    } else {
      return key.value();
    }
  }

  class Array {
   public:
    Array() = default;
    // calloc() of a large array reserves pages that the operating system clears on first use.
    explicit Array(std::size_t capacity)
        : entries_(static_cast<Entry*>(std::calloc(capacity, sizeof(Entry)))), mask_(capacity - 1) {
      if (entries_ == nullptr) throw std::bad_alloc{};
      if constexpr (kAbsent != Value{}) std::fill_n(entries_, capacity, Entry{});
      shift_ = 64;
      for (std::size_t slots = capacity; slots > 1; slots /= 2) --shift_;
    }

    Array(Array&& other) noexcept { swap(other); }
    Array& operator=(Array&& other) noexcept {
      Array moved{std::move(other)};
      swap(moved);
      return *this;
    }
    ~Array() {
      if (!none()) std::free(entries_);
    }
    void swap(Array& other) noexcept {
      std::swap(entries_, other.entries_);
      std::swap(mask_, other.mask_);
      std::swap(shift_, other.shift_);
    }

    bool none() const { return mask_ == kNothingMask; }
    std::size_t capacity() const { return none() ? 0 : mask_ + 1; }
    Entry& operator[](std::size_t slot) const { return entries_[slot]; }
    const Entry* begin() const { return entries_; }
    const Entry* end() const { return begin() + capacity(); }
    std::size_t home(Key key) const { return number(key) * 0x9e37'79b9'7f4a'7c15U >> shift_; }
    // The slot of the key, or else the free slot for its insertion.
    std::size_t slot_of(Key key) const {
      std::size_t slot = home(key);
      while ((*this)[slot].value != kAbsent && (*this)[slot].key != key) slot = next(slot);
      return slot;
    }
    // The free slot for a key that does not exist.
    std::size_t free_slot_of(Key key) const {
      std::size_t slot = home(key);
      while ((*this)[slot].value != kAbsent) slot = next(slot);
      return slot;
    }
    // Returns the value that the slot had.
    Value erase(std::size_t hole) {
      const Value erased = (*this)[hole].value;
      if (erased == kAbsent) return erased;
      // Move later entries into the hole unless their home slot lies after it.
      for (std::size_t i = next(hole); (*this)[i].value != kAbsent; i = next(i)) {
        const std::size_t from_home = (i - home((*this)[i].key)) & mask_;
        if (from_home < ((i - hole) & mask_)) continue;
        (*this)[hole] = (*this)[i];
        hole = i;
      }
      (*this)[hole] = {};
      return erased;
    }

   private:
    // Without an array, look-ups use two free slots, which nothing writes to.
    static constexpr std::size_t kNothingMask = 1;
    static inline Entry nothing_[kNothingMask + 1]{};

    std::size_t next(std::size_t slot) const { return (slot + 1) & mask_; }

    Entry* entries_ = nothing_;
    std::size_t mask_ = kNothingMask;
    unsigned shift_ = 63;  // 64 - log2(slots)
  };
  [[gnu::noinline, gnu::cold]] bool insert_while_moving(Key key, Value value, Entry& free) {
    if (old_[old_.slot_of(key)].value != kAbsent) return false;
    free = {key, value};
    ++size_;
    move_some(kMovedAtOnce);
    return true;
  }
  [[gnu::noinline, gnu::cold]] void grow() {
    // Finishes the previous move. There is nothing left while kMovedAtOnce is large enough.
    if (!old_.none()) move_some(old_.capacity());
    const std::size_t capacity = array_.none() ? kLeast : 2 * array_.capacity();
    old_ = std::exchange(array_, Array{capacity});
    limit_ = capacity / 4 * 3;
    moved_ = 0;
    if (old_.capacity() <= kMovedWhole) move_some(old_.capacity());
  }
  // Slots before moved_ are empty. erase() closes gaps, so no later entry has its home there.
  [[gnu::noinline]] void move_some(std::size_t slots) {
    for (; slots > 0 && moved_ < old_.capacity(); --slots, ++moved_) {
      while (old_[moved_].value != kAbsent) {
        const Entry entry = old_[moved_];
        array_[array_.free_slot_of(entry.key)] = entry;
        old_.erase(moved_);
      }
    }
    if (moved_ < old_.capacity()) return;
    old_ = Array{};
    moved_ = 0;
  }
  void swap(FlatMap& other) noexcept {
    std::swap(array_, other.array_);
    std::swap(old_, other.old_);
    std::swap(moved_, other.moved_);
    std::swap(size_, other.size_);
    std::swap(limit_, other.limit_);
  }

  Array array_;
  Array old_;              // while entries are moved out of it
  std::size_t moved_ = 0;  // slots of old_ that are already empty
  std::size_t size_ = 0;   // entries of both arrays
  std::size_t limit_ = 0;  // most entries of array_
};

}  // namespace xbind
