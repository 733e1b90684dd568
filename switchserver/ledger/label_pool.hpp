// Every label of one direction of one port, each in exactly one place.
//
//            next_free()                    move()
//   never used ──┐                    ┌──▶ cached by manager M
//                ├──▶ (any place) ◀───┼──▶ in connection, hop H
//   free (FIFO) ─┘                    ├──▶ in quarantine of M
//        ▲                            ├──▶ lapsed, of M
//        │                            └──▶ unclaimed
//        └──────────── move() ◀──────────── any of them
//
// Labels that have never been used are granted first, range by range and the lowest first, then the
// label that was freed longest ago. Once kRestingMax freed labels rest, the oldest of them is
// granted before a never used one. At least that many other labels are freed before a label is used
// again, and memory here and in other tables by label follows the use, not the ranges of up to 2^28
// labels. Pages are allocated only for labels that have been touched. Lapsed labels of a manager
// are granted last, when no other label is free, and only after end_rest().
//
// Every operation takes constant time; next_free() amortised. A touched label takes 12 octets. A
// caller that queries and then moves a label looks it up once (Spot). Values only: one thread, no
// errors.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/check.hpp"
#include "core/ids.hpp"
#include "core/label.hpp"

namespace xbind {

// A manager's place in the ledger's list of managers; only meaningful inside one ledger.
using ManagerIndex = Id<struct ManagerIndexTag, std::uint16_t>;
// A port's place in the ledger's list of ports (port_numbers.hpp); not the switch's number of it.
using PortIndex = Id<struct PortIndexTag, std::uint16_t>;
// A hop record's place in its ledger; reused after the record is gone.
using HopRef = Id<struct HopRefTag, std::uint32_t>;

enum class LabelHolder : std::uint8_t {
  kUnused = 0,  // free, and never used so far
  kFree,        // free again
  kCached,      // granted to a manager, in no connection
  kConnection,  // of a hop, reserved or programmed
  kQuarantine,  // released by a manager that has not yet confirmed both ends
  kUnclaimed,   // found in the switch's table, claimed by no hop
  kLapsed,      // of a manager without a session, which may have used it at the link's other end
};

struct LabelPlace {
  LabelHolder holder = LabelHolder::kFree;
  ManagerIndex manager;  // kCached, kQuarantine and kLapsed
  HopRef hop;            // kConnection

  friend bool operator==(const LabelPlace&, const LabelPlace&) = default;
};

class LabelPool {
 public:
  // This many freed labels rest before one of them is granted again, as long as there are unused
  // labels.
  static constexpr std::uint32_t kRestingMax = 1U << 12;

  // Contains the labels that checked_ranges() accepts.
  explicit LabelPool(const LabelRanges& ranges);

  LabelRanges ranges() const;
  std::uint64_t size() const { return size_; }
  bool contains(Label label) const { return part_of(label) != nullptr; }

  // Where the label is. The pool must contain the label.
  LabelPlace place_of(Label label) const;
  bool is_free(Label label) const { return place_of(label).holder <= LabelHolder::kFree; }
  // Prefetches the memory that place_of() will load (core/ahead.hpp); accepts any label.
  void prefetch(Label label) const {
    const auto spot = find_spot(label);
    if (!spot) return;
    if (const Slot* const found = find(spot->index_)) __builtin_prefetch(found, 1);
  }
  // The label to grant next; it stays where it is until moved. nullopt: every label is in use.
  std::optional<Label> next_free();
  // Moves the label from its place to `to`. The pool must contain the label; `to` must not be
  // kUnused.
  void move(Label label, LabelPlace to) { move(spot(label), to); }

  // A label that has been looked up. Valid until the pool is assigned to.
  class Spot {
   public:
    Spot() = default;

   private:
    friend class LabelPool;
    explicit Spot(std::uint32_t index) : index_(index) {}
    std::uint32_t index_ = 0;
  };
  // The pool must contain the label.
  Spot spot(Label label) const { return Spot{index_of(label)}; }
  // nullopt: the pool does not contain the label.
  std::optional<Spot> find_spot(Label label) const {
    const Part* const part = part_of(label);
    if (part == nullptr) return std::nullopt;
    return Spot{part->begin + part->range.place_of(label)};
  }
  Label label(Spot spot) const { return label_at(spot.index_); }
  LabelPlace place_of(Spot spot) const;
  std::optional<Spot> next_free_spot();
  void move(Spot spot, LabelPlace to);
  // Frees all labels of one place of a manager, or all unclaimed labels.
  void free_all(LabelHolder holder, ManagerIndex manager = {});
  // Moves all labels of one place of a manager to another one of the same manager.
  void move_all(ManagerIndex manager, LabelHolder from, LabelHolder to);
  // The manager's lapsed labels may be granted from now on, or no longer.
  void end_rest(ManagerIndex manager) { set_rested(manager, true); }
  void begin_rest(ManagerIndex manager) { set_rested(manager, false); }

  // Builds the lists again from where each label is; labels in connections are free afterwards,
  // until their hops take them. For repairs: takes time by the touched labels.
  void relist();

  std::uint64_t free_count() const { return size_ - touched_ + free_.size; }
  // Labels that next_free_spot() would name, one after the other.
  std::uint64_t grantable_count() const;
  bool idle() const { return free_count() == size_; }  // every label is free
  std::uint64_t count(LabelHolder holder, ManagerIndex manager = {}) const;
  std::size_t octets() const;  // memory in use, except the lists of managers
  std::vector<Label> list(LabelHolder holder, ManagerIndex manager = {}) const;

 private:
  friend class LedgerCheck;   // walks every list (ledger_audit.cpp)
  friend class LedgerTamper;  // breaks the book on purpose (tests)

  using Index = std::uint32_t;  // position in the ranges, one after the other
  static constexpr Index kNil = 0xffff'ffff;
  static constexpr Index kPage = 256;

  struct Slot {
    Index prev = kNil;
    Index next = kNil;  // kConnection: the hop's HopRef
    std::uint16_t manager = 0;
    LabelHolder holder = LabelHolder::kUnused;
  };
  using Page = std::array<Slot, kPage>;
  struct List {
    Index head = kNil;
    Index tail = kNil;
    std::uint64_t size = 0;
  };
  struct Lists {  // of one manager
    List cached;
    List quarantine;
    List lapsed;
    bool rested = false;  // `lapsed` may be granted
  };

  struct Part {
    LabelRange range;
    Index begin = 0;  // of its first label
  };
  const Part* part_of(Label label) const {
    for (const Part& part : parts_) {
      if (part.range.contains(label)) return &part;
    }
    return nullptr;
  }
  Index index_of(Label label) const {
    const Part* const part = part_of(label);
    XB_CHECK(part != nullptr, to_string(label), size_);
    return part->begin + part->range.place_of(label);
  }
  Label label_at(Index index) const;
  const Slot* find(Index index) const {
    const std::size_t page = index / kPage;
    return page < pages_.size() && pages_[page] ? &(*pages_[page])[index % kPage] : nullptr;
  }
  Slot& slot(Index index) {
    const std::size_t page = index / kPage;
    if (page >= pages_.size() || !pages_[page]) [[unlikely]]
      allocate(page);
    return touched(index);
  }
  void allocate(std::size_t page);  // of labels that were never touched
  Slot& touched(Index index) { return (*pages_[index / kPage])[index % kPage]; }
  // The list of the labels in that place; null for a connection, whose labels are in no list.
  List* list_of(LabelHolder holder, std::uint16_t manager);
  const List* list_of(LabelHolder holder, std::uint16_t manager) const;
  void set_rested(ManagerIndex manager, bool rested);
  void append(List& list, Index index);
  void unlink(List& list, Index index);

  std::vector<Part> parts_;
  std::uint64_t size_ = 0;
  std::uint64_t touched_ = 0;  // labels that are not kUnused
  Index fresh_ = 0;            // no label below it is kUnused
  std::vector<std::unique_ptr<Page>> pages_;
  List free_;
  List unclaimed_;
  std::vector<Lists> managers_;  // by ManagerIndex, grown when first needed
};

inline LabelPlace LabelPool::place_of(Spot spot) const {
  const Slot* found = find(spot.index_);
  if (found == nullptr) return {LabelHolder::kUnused, {}, {}};
  const bool connected = found->holder == LabelHolder::kConnection;
  return {found->holder, ManagerIndex{found->manager}, HopRef{connected ? found->next : 0}};
}

inline LabelPlace LabelPool::place_of(Label label) const { return place_of(spot(label)); }

}  // namespace xbind
