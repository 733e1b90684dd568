// The requests of a GSMP session that have not been answered, by the transaction ids that they were
// sent with (RFC 3292 section 3.1.1), in the order of their deadlines.
//
// Bounded by the window, so a table of twice its size has a free place near each id.
//
// Pure; owned by one session.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "core/check.hpp"
#include "core/clock.hpp"
#include "gsmp/message.hpp"

namespace xbind::gsmp {

struct Transaction {
  std::uint32_t id = 0;  // 0: none has this place
  MessageType type = MessageType::kAddBranch;
  std::uint64_t cookie = 0;
  TimePoint deadline;
  std::uint16_t records = 0;  // received records of All Ports Configuration, version 1.1
  // Places of the neighbours in the order of deadlines.
  std::uint32_t previous = 0;
  std::uint32_t next = 0;
};

class Transactions {
 public:
  // `window`: the most that are open at a time, 1 to 32768.
  explicit Transactions(std::uint32_t window)
      : places_(std::bit_ceil(window * 2)), mask_(static_cast<std::uint32_t>(places_.size() - 1)) {}

  // The next id of the adjacency, 1 to kTransactionMax.
  void count_from(std::uint32_t id) { next_id_ = id; }
  std::size_t open() const { return open_; }

  // Begins one and returns its id. `deadline` must not be before that of any other.
  std::uint32_t begin(MessageType type, std::uint64_t cookie, TimePoint deadline) {
    XB_CHECK(open_ < places_.size() / 2 + 1, open_, places_.size());
    while (places_[next_id_ & mask_].id != 0) next_id_ = after(next_id_);
    const std::uint32_t id = next_id_;
    next_id_ = after(next_id_);
    Transaction& it = places_[id & mask_];
    it = {id, type, cookie, deadline, 0, kNone, kNone};
    link_last(id & mask_);
    ++open_;
    return id;
  }
  // Null: no such request is open.
  Transaction* find(std::uint32_t id, MessageType type) {
    Transaction& it = places_[id & mask_];
    return id != 0 && it.id == id && it.type == type ? &it : nullptr;
  }
  // The one with the earliest deadline; null: none is open.
  const Transaction* first() const { return first_ == kNone ? nullptr : &places_[first_]; }
  // `deadline`: as of begin().
  void renew(Transaction& it, TimePoint deadline) {
    unlink(it);
    it.deadline = deadline;
    link_last(it.id & mask_);
  }
  void end(std::uint32_t id) {
    Transaction& it = places_[id & mask_];
    unlink(it);
    it.id = 0;
    --open_;
  }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  static std::uint32_t after(std::uint32_t id) { return id == kTransactionMax ? 1 : id + 1; }
  void link_last(std::uint32_t place) {
    places_[place].previous = last_;
    places_[place].next = kNone;
    (last_ == kNone ? first_ : places_[last_].next) = place;
    last_ = place;
  }
  void unlink(const Transaction& it) {
    (it.previous == kNone ? first_ : places_[it.previous].next) = it.next;
    (it.next == kNone ? last_ : places_[it.next].previous) = it.previous;
  }

  std::vector<Transaction> places_;  // by id & mask_; a power of two, at least twice the window
  std::uint32_t mask_;
  std::uint32_t first_ = kNone;
  std::uint32_t last_ = kNone;
  std::size_t open_ = 0;
  std::uint32_t next_id_ = 1;
};

}  // namespace xbind::gsmp
