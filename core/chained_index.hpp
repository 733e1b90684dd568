// A hash table of object numbers. The objects lie in an array of the owner; each holds the link to
// the next number of its chain. A look-up goes from an object's hash to its number.
//
//     hash ──▶ heads_ ──▶ number ──▶ number ──▶ kNone
//                           │ next     │ next
//                         thing      thing
//
// Use it instead of FlatMap (core/flat_map.hpp) where one of these counts:
//   - memory: an object costs 4 octets here and its link; an entry of a FlatMap costs 11 to 43;
//   - the longest insertion: linear hashing (Litwin, VLDB 1980) splits one chain at a time, while a
//     FlatMap rehashes all its entries when it doubles;
//   - several objects with one hash.
// A look-up loads the objects of one chain, 1.5 on average.
//
// The owner passes two functions: next_of(number) returns a reference to the link in that object,
// hash_of(number) returns the object's hash. The owner bounds the number of objects. Not
// thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace xbind {

class ChainedIndex {
 public:
  using Number = std::uint32_t;
  static constexpr Number kNone = 0xffff'ffff;

  // Returns the first number of a chain that has every object of this hash, and maybe others.
  Number first(std::uint64_t hash) const { return heads_[chain_of(hash)]; }
  // Prefetches the head of that chain (core/ahead.hpp).
  void prefetch(std::uint64_t hash) const { __builtin_prefetch(&heads_[chain_of(hash)]); }

  std::size_t size() const { return size_; }
  std::size_t octets() const { return heads_.capacity() * sizeof(Number); }

  // `number` must not be in the table.
  template <class NextOf, class HashOf>
  void insert(std::uint64_t hash, Number number, NextOf&& next_of, HashOf&& hash_of) {
    if (size_ >= heads_.size()) split(next_of, hash_of);
    Number& head = heads_[chain_of(hash)];
    next_of(number) = std::exchange(head, number);
    ++size_;
  }
  // `number` must be in the table with this hash. The link of the erased object keeps its value.
  template <class NextOf>
  void erase(std::uint64_t hash, Number number, NextOf&& next_of) {
    Number* link = &heads_[chain_of(hash)];
    while (*link != number) link = &next_of(*link);
    *link = next_of(number);
    --size_;
  }

 private:
  std::size_t chain_of(std::uint64_t hash) const {
    const std::size_t chain = hash & (2 * unsplit_ - 1);
    return chain < heads_.size() ? chain : chain - unsplit_;
  }
  // Splits the oldest chain that has not been split since the table had `unsplit_` chains.
  // Prefetches the objects of the chains that are split next, because they are scattered
  // (core/ahead.hpp).
  template <class NextOf, class HashOf>
  void split(NextOf& next_of, HashOf& hash_of) {
    const std::size_t from = heads_.size() - unsplit_;
    Number number = std::exchange(heads_[from], kNone);
    heads_.push_back(kNone);
    if (heads_.size() == 2 * unsplit_) unsplit_ *= 2;
    while (number != kNone) {
      Number& head = heads_[chain_of(hash_of(number))];
      number = std::exchange(next_of(number), std::exchange(head, number));
    }
    const Number second = second_of(from + 1, next_of);
    if (second != kNone) __builtin_prefetch(&next_of(second), 1);
    if (from + 2 < heads_.size() && heads_[from + 2] != kNone) {
      __builtin_prefetch(&next_of(heads_[from + 2]), 1);
    }
  }
  template <class NextOf>
  Number second_of(std::size_t chain, NextOf& next_of) const {
    return heads_[chain] == kNone ? kNone : next_of(heads_[chain]);
  }

  std::vector<Number> heads_ = std::vector<Number>(1, kNone);
  std::size_t unsplit_ =
      1;  // a power of two: at most the number of chains, and more than half of it
  std::size_t size_ = 0;
};

}  // namespace xbind
