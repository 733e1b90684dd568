// The last records of a log, numbered from 1 without gaps. A new record takes the place of the
// oldest one. So a reader that polls costs the writer nothing, however slow it is; it learns how
// many records it has missed.
//
// Records are written in place, so that they keep their memory. Not thread-safe.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/check.hpp"

namespace xbind {

template <class Record>
class EventRing {
 public:
  // `size`: records that are kept, a power of two. All of them are made at once, so that writing
  // one never allocates the ring's memory.
  explicit EventRing(std::size_t size) : mask_(size - 1), records_(size) {
    XB_CHECK(size != 0 && (size & mask_) == 0, size);
  }

  // The place of the next record, which has what an older one has left there.
  Record& next() { return records_[newest_++ & mask_]; }
  std::uint64_t newest() const { return newest_; }

  // Where a reader continues that has read up to and including number `after`.
  struct Span {
    std::uint64_t first = 1;  // the first record that it gets
    std::uint64_t count = 0;
    std::uint64_t lost = 0;  // between `after` and `first`
  };
  // `ready`: the last number that may be read, at most newest().
  Span after(std::uint64_t after, std::size_t limit, std::uint64_t ready) const {
    after = std::min(after, ready);
    const std::uint64_t oldest = newest_ - std::min<std::uint64_t>(newest_, records_.size());
    const std::uint64_t from = std::min(std::max(after, oldest), ready);
    return {from + 1, std::min<std::uint64_t>(ready - from, limit), from - after};
  }
  // `number` is that of a kept record.
  const Record& operator[](std::uint64_t number) const { return records_[(number - 1) & mask_]; }
  Record& operator[](std::uint64_t number) { return records_[(number - 1) & mask_]; }

 private:
  std::uint64_t mask_;
  std::uint64_t newest_ = 0;
  std::vector<Record> records_;
};

}  // namespace xbind
