#include "switchserver/label_pool.hpp"

#include <utility>

#include "core/check.hpp"

namespace xbind {

LabelPool::LabelPool(LabelRange range) : range_(range) {
  const bool possible = range.vpi_min <= range.vpi_max && range.vpi_max <= 0xfff &&
                        range.vci_min <= range.vci_max && range.vci_max <= 0xffff;
  if (possible) size_ = range.size();
}

// ===== indices =====

LabelPool::Index LabelPool::index_of(Label label) const {
  XB_CHECK(contains(label), to_string(label), size_);
  const Index vcis = range_.vci_max - range_.vci_min + 1;
  return (vpi_of(label) - range_.vpi_min) * vcis + (vci_of(label) - range_.vci_min);
}

Label LabelPool::label_at(Index index) const {
  const Index vcis = range_.vci_max - range_.vci_min + 1;
  return atm_label(range_.vpi_min + index / vcis, range_.vci_min + index % vcis);
}

const LabelPool::Slot* LabelPool::find(Index index) const {
  const std::size_t page = index / kPage;
  if (page >= pages_.size() || !pages_[page]) return nullptr;
  return &(*pages_[page])[index % kPage];
}

LabelPool::Slot& LabelPool::slot(Index index) {
  const std::size_t page = index / kPage;
  if (page >= pages_.size()) pages_.resize(page + 1);
  if (!pages_[page]) pages_[page] = std::make_unique<Page>();
  return (*pages_[page])[index % kPage];
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
    case LabelHolder::kUnused:
    case LabelHolder::kConnection: return nullptr;
  }
  return nullptr;
}

LabelPool::List* LabelPool::list_of(LabelHolder holder, std::uint16_t manager) {
  const bool of_manager = holder == LabelHolder::kCached || holder == LabelHolder::kQuarantine;
  if (of_manager && manager >= managers_.size()) managers_.resize(manager + std::size_t{1});
  return const_cast<List*>(std::as_const(*this).list_of(holder, manager));
}

void LabelPool::append(List& list, Index index) {
  Slot& added = slot(index);
  added.prev = list.tail;
  added.next = kNil;
  if (list.tail == kNil) {
    list.head = index;
  } else {
    slot(list.tail).next = index;
  }
  list.tail = index;
  ++list.size;
}

void LabelPool::unlink(List& list, Index index) {
  const Slot gone = slot(index);
  (gone.prev == kNil ? list.head : slot(gone.prev).next) = gone.next;
  (gone.next == kNil ? list.tail : slot(gone.next).prev) = gone.prev;
  --list.size;
}

// ===== what the ledger asks =====

LabelPlace LabelPool::place_of(Label label) const {
  const Slot* found = find(index_of(label));
  if (found == nullptr) return {LabelHolder::kUnused, {}, {}};
  LabelPlace place{found->holder, ManagerIndex{found->manager}, {}};
  if (found->holder == LabelHolder::kConnection) place.hop = HopRef{found->next};
  return place;
}

std::optional<Label> LabelPool::next_free() {
  if (free_.size < kRestingMax) {
    for (; fresh_ < size_; ++fresh_) {
      const Slot* found = find(fresh_);
      if (found == nullptr || found->holder == LabelHolder::kUnused) return label_at(fresh_);
    }
  }
  if (free_.size != 0) return label_at(free_.head);
  return std::nullopt;
}

void LabelPool::move(Label label, LabelPlace to) {
  XB_CHECK(to.holder != LabelHolder::kUnused, to_string(label));
  const Index index = index_of(label);
  Slot& moved = slot(index);
  if (moved.holder == LabelHolder::kUnused) {
    ++touched_;
  } else if (List* from = list_of(moved.holder, moved.manager)) {
    unlink(*from, index);
  }
  moved.holder = to.holder;
  moved.manager = to.manager.value();
  if (List* list = list_of(to.holder, moved.manager)) {
    append(*list, index);
  } else {
    moved.prev = kNil;
    moved.next = to.hop.value();
  }
}

void LabelPool::free_all(LabelHolder holder, ManagerIndex manager) {
  const List* list = list_of(holder, manager.value());
  XB_CHECK(list != nullptr && list != &free_, static_cast<int>(holder));
  while (list->size != 0) move(label_at(list->head), {LabelHolder::kFree, {}, {}});
}

std::uint64_t LabelPool::count(LabelHolder holder, ManagerIndex manager) const {
  if (holder == LabelHolder::kUnused) return size_ - touched_;
  const List* list = list_of(holder, manager.value());
  XB_CHECK(list != nullptr, static_cast<int>(holder));
  return list->size;
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

}  // namespace xbind
