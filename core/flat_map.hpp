// A hash table in one array, for keys that are numbers (core/ids.hpp) and small values: ids to places,
// looked up by every call. Only growth allocates. Beside it: core/chained_index.hpp, for things that
// their numbers and hashes name.
//
// Open addressing with linear probing, and backward-shift deletion: an erased entry leaves no mark. The
// home slot of a key is key * 2^64 / golden ratio, which spreads consecutive numbers evenly (Knuth, The
// Art of Computer Programming, vol. 3, section 6.4). At most three quarters of the array are in use; it
// doubles, and never shrinks.
//
// One value means "no entry" and cannot be stored: Value{} by default, or Absent::kAbsent.
//
// An insertion or an erasure invalidates iterators. Bound: the owner's. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/check.hpp"

namespace xbind {

template <class Value>
struct DefaultAbsent {
  static constexpr Value kAbsent{};
};
// For values that are indices: 0 is one of them.
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

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  // Entries of the array, of which a quarter always stays free.
  std::size_t capacity() const { return entries_.size(); }

  // kAbsent: there is no such key.
  Value find(Key key) const {
    if (entries_.empty()) return kAbsent;
    return entries_[slot_of(key)].value;
  }
  bool contains(Key key) const { return find(key) != kAbsent; }
  // Loads the home slot of the key into the cache (core/ahead.hpp).
  void prefetch(Key key) const {
    if (!entries_.empty()) __builtin_prefetch(&entries_[home(key)]);
  }

  // False: the key exists, and its value stays.
  bool insert(Key key, Value value) {
    XB_CHECK(value != kAbsent);
    if (4 * (size_ + 1) > 3 * entries_.size()) grow();
    Entry& entry = entries_[slot_of(key)];
    if (entry.value != kAbsent) return false;
    entry = {key, value};
    ++size_;
    return true;
  }

  // Returns the value that the key had, or kAbsent.
  Value erase(Key key) {
    if (entries_.empty()) return kAbsent;
    std::size_t hole = slot_of(key);
    const Value erased = entries_[hole].value;
    if (erased == kAbsent) return erased;
    // Move later entries into the hole unless their home slot lies after it.
    for (std::size_t i = next(hole); entries_[i].value != kAbsent; i = next(i)) {
      const std::size_t from_home = (i - home(entries_[i].key)) & mask();
      if (from_home < ((i - hole) & mask())) continue;
      entries_[hole] = entries_[i];
      hole = i;
    }
    entries_[hole] = {};
    --size_;
    return erased;
  }

  // The order of iteration has no meaning.
  class Iterator {
   public:
    Iterator(const Entry* at, const Entry* end) : at_(at), end_(end) { skip(); }
    const Entry& operator*() const { return *at_; }
    Iterator& operator++() {
      ++at_;
      skip();
      return *this;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.at_ == b.at_; }

   private:
    void skip() {
      while (at_ != end_ && at_->value == kAbsent) ++at_;
    }
    const Entry* at_;
    const Entry* end_;
  };
  Iterator begin() const { return {entries_.data(), entries_.data() + entries_.size()}; }
  Iterator end() const {
    return {entries_.data() + entries_.size(), entries_.data() + entries_.size()};
  }

 private:
  static constexpr std::size_t kLeast = 8;  // a power of two, as every size of the array

  static std::uint64_t number(Key key) {
    if constexpr (std::is_integral_v<Key>) {
      return key;
    } else {
      return key.value();
    }
  }
  std::size_t mask() const { return entries_.size() - 1; }
  std::size_t next(std::size_t slot) const { return (slot + 1) & mask(); }
  std::size_t home(Key key) const { return number(key) * 0x9e37'79b9'7f4a'7c15U >> shift_; }
  // The slot that has the key, or else the free slot that an insertion fills.
  std::size_t slot_of(Key key) const {
    std::size_t slot = home(key);
    while (entries_[slot].value != kAbsent && entries_[slot].key != key) slot = next(slot);
    return slot;
  }
  void grow() {
    const std::vector<Entry> old = std::exchange(
        entries_, std::vector<Entry>(entries_.empty() ? kLeast : 2 * entries_.size()));
    shift_ = 64;
    for (std::size_t slots = entries_.size(); slots > 1; slots /= 2) --shift_;
    for (const Entry& entry : old) {
      if (entry.value != kAbsent) entries_[slot_of(entry.key)] = entry;
    }
  }

  std::vector<Entry> entries_;
  std::size_t size_ = 0;
  unsigned shift_ = 64;
};

}  // namespace xbind
