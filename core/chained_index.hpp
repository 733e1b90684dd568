// A hash table of numbers. The number of a thing is found by the thing's hash; the thing lies in an
// array of its owner and holds the link to the next number of its chain.
//
//     hash ──▶ heads_ ──▶ number ──▶ number ──▶ kNone
//                           │ next     │ next
//                         thing      thing
//
// Beside FlatMap (core/flat_map.hpp) for tables where one of these counts:
//  - memory: a thing costs 4 octets here and its link, where an entry of a FlatMap costs 11 to 43;
//  - the longest insertion: linear hashing (Litwin, VLDB 1980) splits one chain at a time, while a
//    FlatMap rehashes all its entries when it doubles;
//  - several things under one hash.
// A look-up here loads the things of one chain, 1.5 on average.
//
// The owner hands in two functions: next_of(number) returns a reference to the link in that thing, and
// hash_of(number) the hash of that thing. Its bound is the owner's. Not thread-safe.
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

  // The first number of the chain that has every thing of this hash, and perhaps others.
  Number first(std::uint64_t hash) const { return heads_[chain_of(hash)]; }
  // Loads the head of that chain into the cache (core/ahead.hpp).
  void prefetch(std::uint64_t hash) const { __builtin_prefetch(&heads_[chain_of(hash)]); }

  std::size_t size() const { return size_; }
  std::size_t octets() const { return heads_.capacity() * sizeof(Number); }

  // `number` is not in the table.
  template <class NextOf, class HashOf>
  void insert(std::uint64_t hash, Number number, NextOf&& next_of, HashOf&& hash_of) {
    if (size_ >= heads_.size()) split(next_of, hash_of);
    Number& head = heads_[chain_of(hash)];
    next_of(number) = std::exchange(head, number);
    ++size_;
  }
  // `number` is in the table under this hash. Its link keeps its value.
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
  // Splits the oldest chain that has not been split since the table had `unsplit_` chains. The things of
  // the chains that are split next are asked for: they are spread over all memory (core/ahead.hpp).
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
