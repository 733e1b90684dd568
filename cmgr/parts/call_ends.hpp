// The two endpoints of calls, by name. Calls between the same endpoints share one object, because a
// manager has many calls and few pairs of endpoints.
//
// Not thread-safe; the table is owned by the connection manager and outlives every reference.
#pragma once

#include <boost/intrusive_ptr.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/interner.hpp"
#include "core/name_hash.hpp"

namespace xbind::cmgr {

class CallEndsTable;

// Created by CallEndsTable only. Constant while referenced.
struct CallEnds {
  std::string from;
  std::string to;

 private:
  friend class CallEndsTable;
  friend void intrusive_ptr_add_ref(const CallEnds* ends);
  friend void intrusive_ptr_release(const CallEnds* ends);

  CallEndsTable* table_ = nullptr;
  std::uint32_t number_ = 0;
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
  // `hash`: any hash of the two names.
  CallEndsRef get(std::string_view from, std::string_view to, std::uint64_t hash) {
    const auto [number, made] = pairs_.take(Wanted{from, to}, hash);
    Pair& pair = pairs_[number];
    if (made) {
      pair.ends.table_ = this;
      pair.ends.number_ = number;
    }
    return {&pair.ends, false};  // take() has counted the reference
  }
  // Pairs in use by calls.
  std::size_t size() const { return pairs_.size(); }

 private:
  friend void intrusive_ptr_add_ref(const CallEnds* ends);
  friend void intrusive_ptr_release(const CallEnds* ends);

  struct Wanted {
    std::string_view from;
    std::string_view to;
  };
  struct Pair {
    CallEnds ends;

    Pair& operator=(const Wanted& wanted) {
      ends.from = wanted.from;
      ends.to = wanted.to;
      return *this;
    }
    friend bool operator==(const Pair& pair, const Wanted& wanted) {
      return pair.ends.from == wanted.from && pair.ends.to == wanted.to;
    }
  };

  Interner<Pair> pairs_;
};

inline void intrusive_ptr_add_ref(const CallEnds* ends) {
  ends->table_->pairs_.take_again(ends->number_);
}
inline void intrusive_ptr_release(const CallEnds* ends) {
  ends->table_->pairs_.release(ends->number_);
}

}  // namespace xbind::cmgr
