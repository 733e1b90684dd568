// A hash table in one array, for keys that are numbers (core/ids.hpp) and small
// values: what every call looks up. No allocation but to grow.
//
// Open addressing with linear probing; what is erased leaves no mark, for those
// behind it move up. The key is multiplied by 2^64 / golden ratio, which
// spreads numbers that are given out one after another as evenly as can be
// (Knuth, The Art of Computer Programming, vol. 3, section 6.4). The array is
// at most three quarters full and never shrinks.
//
// A value that equals Value{} is no value: it cannot be stored, and says that
// there is none. Whoever points to an entry or iterates must not insert or
// erase. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/check.hpp"

namespace xbind {

template <class Key, class Value>
class FlatMap {
 public:
  struct Entry {
    Key key{};
    Value value{};
  };
  static_assert(std::is_trivially_copyable_v<Entry>);

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  // Entries that the array has room for, a quarter of them never used.
  std::size_t capacity() const { return entries_.size(); }

  Value find(Key key) const {
    if (entries_.empty()) return {};
    return entries_[place_of(key)].value;
  }
  bool contains(Key key) const { return find(key) != Value{}; }
  // Asks the memory for what find() will load (core/ahead.hpp).
  void prefetch(Key key) const {
    if (!entries_.empty()) __builtin_prefetch(&entries_[home(key)]);
  }

  // False: the key is there already, and nothing is changed.
  bool insert(Key key, Value value) {
    XB_CHECK(value != Value{});
    if (4 * (size_ + 1) > 3 * entries_.size()) grow();
    Entry& entry = entries_[place_of(key)];
    if (entry.value != Value{}) return false;
    entry = {key, value};
    ++size_;
    return true;
  }

  // What was there.
  Value erase(Key key) {
    if (entries_.empty()) return {};
    std::size_t hole = place_of(key);
    const Value gone = entries_[hole].value;
    if (gone == Value{}) return gone;
    // Who comes behind moves up, but for those that are at home between the
    // hole and where they are.
    for (std::size_t i = next(hole); entries_[i].value != Value{}; i = next(i)) {
      const std::size_t from_home = (i - home(entries_[i].key)) & mask();
      if (from_home < ((i - hole) & mask())) continue;
      entries_[hole] = entries_[i];
      hole = i;
    }
    entries_[hole] = {};
    --size_;
    return gone;
  }

  // In no order that means anything.
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
      while (at_ != end_ && at_->value == Value{}) ++at_;
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
  std::size_t next(std::size_t place) const { return (place + 1) & mask(); }
  std::size_t home(Key key) const { return number(key) * 0x9e37'79b9'7f4a'7c15U >> shift_; }
  // Where the key is, or would be.
  std::size_t place_of(Key key) const {
    std::size_t place = home(key);
    while (entries_[place].value != Value{} && entries_[place].key != key) place = next(place);
    return place;
  }
  void grow() {
    const std::vector<Entry> old = std::exchange(
        entries_, std::vector<Entry>(entries_.empty() ? kLeast : 2 * entries_.size()));
    shift_ = 64;
    for (std::size_t places = entries_.size(); places > 1; places /= 2) --shift_;
    for (const Entry& entry : old) {
      if (entry.value != Value{}) entries_[place_of(entry.key)] = entry;
    }
  }

  std::vector<Entry> entries_;
  std::size_t size_ = 0;
  unsigned shift_ = 64;
};

}  // namespace xbind
