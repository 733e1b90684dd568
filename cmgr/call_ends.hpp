// The ends of calls, by name. Calls between the same two endpoints share one
// object: a manager's calls are many, its pairs of endpoints few.
//
// Not thread-safe; the table is owned by the connection manager and outlives
// every reference.
#pragma once

#include <boost/intrusive_ptr.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/check.hpp"
#include "core/flat_map.hpp"
#include "core/name_hash.hpp"
#include "core/pool.hpp"

namespace xbind::cmgr {

class CallEndsTable;

struct CallEnds {
  CallEnds(std::string_view from_end, std::string_view to_end) : from(from_end), to(to_end) {}

  const std::string from;
  const std::string to;

 private:
  friend class CallEndsTable;
  friend void intrusive_ptr_add_ref(const CallEnds* ends) { ++ends->references_; }
  friend void intrusive_ptr_release(const CallEnds* ends);

  mutable std::size_t references_ = 0;
  CallEndsTable* table_ = nullptr;
  std::uint64_t hash_ = 0;
  CallEnds* next_ = nullptr;  // another pair of the same hash
};
using CallEndsRef = boost::intrusive_ptr<const CallEnds>;

class CallEndsTable {
 public:
  CallEndsTable() = default;
  CallEndsTable(const CallEndsTable&) = delete;
  CallEndsTable& operator=(const CallEndsTable&) = delete;

  CallEndsRef get(std::string_view from, std::string_view to) {
    return get(from, to, name_hash(from, to));
  }
  // `hash`: any function of the two.
  CallEndsRef get(std::string_view from, std::string_view to, std::uint64_t hash) {
    CallEnds* const first = by_hash_.find(hash);
    for (CallEnds* ends = first; ends != nullptr; ends = ends->next_) {
      if (ends->from == from && ends->to == to) return ends;
    }
    CallEnds& made = pool_.make(from, to);
    made.table_ = this;
    made.hash_ = hash;
    if (first == nullptr) {
      by_hash_.insert(hash, &made);
    } else {
      made.next_ = first->next_;
      first->next_ = &made;
    }
    return &made;
  }
  // Pairs that calls have now.
  std::size_t size() const { return pool_.live(); }

 private:
  friend void intrusive_ptr_release(const CallEnds* ends);

  void forget(const CallEnds& gone) {
    CallEnds* const first = by_hash_.erase(gone.hash_);
    if (first == &gone) {
      if (gone.next_ != nullptr) by_hash_.insert(gone.hash_, gone.next_);
      pool_.destroy(*first);
      return;
    }
    by_hash_.insert(gone.hash_, first);
    CallEnds* before = first;
    while (before->next_ != &gone) before = before->next_;
    CallEnds* const found = before->next_;
    before->next_ = found->next_;
    pool_.destroy(*found);
  }

  FlatMap<std::uint64_t, CallEnds*> by_hash_;
  Pool<CallEnds> pool_;
};

inline void intrusive_ptr_release(const CallEnds* ends) {
  if (--ends->references_ == 0) ends->table_->forget(*ends);
}

}  // namespace xbind::cmgr
