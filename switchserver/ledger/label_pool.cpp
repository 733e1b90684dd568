#include "switchserver/ledger/label_pool.hpp"

#include <algorithm>
#include <utility>

namespace xbind {

LabelPool::LabelPool(const LabelRanges& ranges) {
  for (const LabelRange& range : checked_ranges(ranges).taken) {
    parts_.push_back({range, static_cast<Index>(size_)});
    size_ += range.size();
  }
}

LabelRanges LabelPool::ranges() const {
  LabelRanges ranges;
  for (const Part& part : parts_) ranges.push_back(part.range);
  return ranges;
}

// ===== indices =====

Label LabelPool::label_at(Index index) const {
  const Part* part = &parts_.back();
  while (index < part->begin) --part;
  return part->range.at(index - part->begin);
}

void LabelPool::allocate(std::size_t page) {
  if (page >= pages_.size()) pages_.resize(page + 1);
  pages_[page] = std::make_unique<Page>();
}

// ===== lists =====

const LabelPool::List* LabelPool::list_of(LabelHolder holder, std::uint16_t manager) const {
  static const List empty;
  switch (holder) {
    case LabelHolder::kFree: return &free_;
    case LabelHolder::kUnclaimed: return &unclaimed_;
    case LabelHolder::kCached:
      return manager < managers_.size() ? &managers_[manager].cached : &empty;
    case LabelHolder::kQuarantine:
      return manager < managers_.size() ? &managers_[manager].quarantine : &empty;
    case LabelHolder::kLapsed:
      return manager < managers_.size() ? &managers_[manager].lapsed : &empty;
    case LabelHolder::kUnused:
    case LabelHolder::kConnection: return nullptr;
  }
  return nullptr;
}

LabelPool::List* LabelPool::list_of(LabelHolder holder, std::uint16_t manager) {
  // The moves of every call come first.
  if (holder == LabelHolder::kFree) return &free_;
  if (holder == LabelHolder::kUnclaimed) return &unclaimed_;
  if (holder == LabelHolder::kUnused || holder == LabelHolder::kConnection) return nullptr;
  if (manager >= managers_.size()) [[unlikely]]
    managers_.resize(manager + std::size_t{1});
  Lists& own = managers_[manager];
  if (holder == LabelHolder::kCached) return &own.cached;
  return holder == LabelHolder::kQuarantine ? &own.quarantine : &own.lapsed;
}

void LabelPool::append(List& list, Index index) {
  Slot& added = touched(index);
  added.prev = list.tail;
  added.next = kNil;
  (list.tail == kNil ? list.head : touched(list.tail).next) = index;
  list.tail = index;
  ++list.size;
}

void LabelPool::unlink(List& list, Index index) {
  const Slot& gone = touched(index);
  (gone.prev == kNil ? list.head : touched(gone.prev).next) = gone.next;
  (gone.next == kNil ? list.tail : touched(gone.next).prev) = gone.prev;
  --list.size;
}

// ===== the ledger's operations =====

std::optional<LabelPool::Spot> LabelPool::next_free_spot() {
  if (free_.size < kRestingMax) {
    for (; fresh_ < size_; ++fresh_) {
      const Slot* found = find(fresh_);
      if (found == nullptr || found->holder == LabelHolder::kUnused) return Spot{fresh_};
    }
  }
  if (free_.size != 0) return Spot{free_.head};
  for (const Lists& of : managers_) {
    if (of.rested && of.lapsed.size != 0) return Spot{of.lapsed.head};
  }
  return std::nullopt;
}

std::optional<Label> LabelPool::next_free() {
  const auto spot = next_free_spot();
  return spot ? std::optional(label(*spot)) : std::nullopt;
}

void LabelPool::move(Spot spot, LabelPlace to) {
  XB_CHECK(to.holder != LabelHolder::kUnused, to_string(label(spot)));
  const Index index = spot.index_;
  Slot& moved = slot(index);
  if (moved.holder == LabelHolder::kUnused) {
    ++touched_;
  } else if (moved.holder != LabelHolder::kConnection) {
    unlink(*list_of(moved.holder, moved.manager), index);
  }
  moved.holder = to.holder;
  moved.manager = to.manager.value();
  if (to.holder != LabelHolder::kConnection) {
    append(*list_of(to.holder, moved.manager), index);
  } else {
    moved.prev = kNil;
    moved.next = to.hop.value();
  }
}

void LabelPool::free_all(LabelHolder holder, ManagerIndex manager) {
  const List* list = list_of(holder, manager.value());
  XB_CHECK(list != nullptr && list != &free_, static_cast<int>(holder));
  while (list->size != 0) move(Spot{list->head}, {LabelHolder::kFree, {}, {}});
}

void LabelPool::move_all(ManagerIndex manager, LabelHolder from, LabelHolder to) {
  const List* list = list_of(from, manager.value());
  XB_CHECK(list != nullptr && from != to, static_cast<int>(from), static_cast<int>(to));
  while (list->size != 0) move(Spot{list->head}, {to, manager, {}});
}

void LabelPool::set_rested(ManagerIndex manager, bool rested) {
  const std::size_t at = manager.value();
  if (at < managers_.size()) managers_[at].rested = rested;
}

std::uint64_t LabelPool::count(LabelHolder holder, ManagerIndex manager) const {
  if (holder == LabelHolder::kUnused) return size_ - touched_;
  const List* list = list_of(holder, manager.value());
  XB_CHECK(list != nullptr, static_cast<int>(holder));
  return list->size;
}

std::uint64_t LabelPool::grantable_count() const {
  std::uint64_t labels = free_count();
  for (const Lists& of : managers_) labels += of.rested ? of.lapsed.size : 0;
  return labels;
}

std::size_t LabelPool::octets() const {
  std::size_t octets = pages_.capacity() * sizeof(pages_.front());
  for (const auto& page : pages_) octets += page ? sizeof(Page) : 0;
  return octets;
}

std::vector<Label> LabelPool::list(LabelHolder holder, ManagerIndex manager) const {
  const List* from = list_of(holder, manager.value());
  XB_CHECK(from != nullptr, static_cast<int>(holder));
  std::vector<Label> labels;
  labels.reserve(from->size);
  for (Index index = from->head; index != kNil; index = find(index)->next) {
    labels.push_back(label_at(index));
  }
  return labels;
}

void LabelPool::relist() {
  // Freed labels go on resting in their order. The list may be broken: it may end early or turn in
  // circles.
  std::vector<Index> order;
  for (Index i = free_.head; i != kNil && order.size() < touched_; i = find(i)->next) {
    if (find(i) == nullptr || find(i)->holder != LabelHolder::kFree) break;
    order.push_back(i);
  }
  free_ = {};
  unclaimed_ = {};
  for (Lists& of : managers_) of = {{}, {}, {}, of.rested};
  touched_ = 0;
  std::vector<bool> listed(pages_.size() * kPage);
  const auto enlist = [&](Index index) {
    if (listed[index]) return;
    listed[index] = true;
    Slot& slot = touched(index);
    if (slot.holder == LabelHolder::kConnection) slot.holder = LabelHolder::kFree;
    append(*list_of(slot.holder, slot.manager), index);
    ++touched_;
  };
  std::ranges::for_each(order, enlist);
  for (std::size_t page = 0; page < pages_.size(); ++page) {
    if (!pages_[page]) continue;
    for (Index i = 0; i < kPage; ++i) {
      if ((*pages_[page])[i].holder == LabelHolder::kUnused) continue;
      enlist(static_cast<Index>(page * kPage) + i);
    }
  }
}

}  // namespace xbind
