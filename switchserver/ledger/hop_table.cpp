#include "switchserver/ledger/hop_table.hpp"

#include <algorithm>
#include <cstdlib>

#include "core/check.hpp"
#include "core/planted.hpp"

namespace xbind {

// ===== look-ups =====

HopRecord& HopTable::no_such_hop(HopRef ref) const {
  XB_CHECK(is_there(ref), ref, hops_.size());
  std::abort();
}

std::optional<HopRef> HopTable::find(ManagerIndex manager, const HopKey& key) const {
  for (std::uint32_t i = by_place_.first(hash(manager, key)); i != kNil;) {
    const HopRecord& record = hops_[i];
    if (record.key == key && record.manager == manager) return HopRef{i};
    i = record.next_;
  }
  return std::nullopt;
}

void HopTable::find_all(ManagerIndex manager, const HopKey& place,
                        std::vector<HopRef>& found) const {
  for (std::uint32_t i = by_place_.first(hash(manager, place)); i != kNil; i = hops_[i].next_) {
    HopKey key = hops_[i].key;
    key.generation = place.generation;
    if (key == place && hops_[i].manager == manager) found.push_back(HopRef{i});
  }
}

HopTable::Generations HopTable::generations(ManagerIndex manager, const HopKey& key,
                                            std::uint64_t hash) const {
  Generations found{kNil, key.generation};
  for (std::uint32_t i = by_place_.first(hash); i != kNil;) {
    const HopRecord& other = hops_[i];
    if (other.key.connection == key.connection && other.key.leg == key.leg &&
        other.key.hop == key.hop && other.manager == manager) {
      found.newest = std::max(found.newest, other.key.generation);
      if (other.key.generation == key.generation) found.same = i;
    }
    i = other.next_;
  }
  return found;
}

// ===== records =====

HopRef HopTable::insert(ManagerIndex manager, const HopSetup& setup, std::uint32_t owner,
                        std::uint64_t hash) {
  const std::uint32_t index = vacant_ == kNil ? hops_.grow() : vacant_;
  HopRecord& record = hops_[index];
  if (vacant_ != kNil) vacant_ = record.next_;
  if (vacant_ != kNil) prefetch(HopRef{vacant_});  // the record that the next insert() uses
  const std::uint32_t ticket = record.ticket + 1;
  record = {};
  record.ticket = ticket;
  record.alive = true;
  record.manager = manager;
  record.key = setup.key;
  copy_setup_fields(record, setup);
  if (owner != kNoOwner) owners_.take_again(owner);
  record.owner_ = owner;
  record.request = setup.request;
  record.demand = setup.demand;
  record.contract_ = PackedContract(setup.contract);
  by_place_.insert(
      hash, index, [this](std::uint32_t at) -> std::uint32_t& { return hops_[at].next_; },
      [this](std::uint32_t at) { return HopTable::hash(hops_[at].manager, hops_[at].key); });
  record.version = ++clock_;
  return HopRef{index};
}

void HopTable::copy_setup_fields(HopRecord& record, const HopSetup& setup) {
  record.hop_count = setup.hop_count;
  record.commit = setup.commit;
  record.held = setup.held;
  record.branch = setup.branch;
  record.takes_over = setup.takes_over;
  record.joins = setup.joins;
  record.bidirectional = setup.bidirectional;
  record.input_named = setup.input_label.present();
  record.output_named = setup.output_label.present();
}

void HopTable::erase(HopRef ref) {
  HopRecord& record = hops_[ref.value()];
  by_place_.erase(hash(record.manager, record.key), ref.value(),
                  [this](std::uint32_t at) -> std::uint32_t& { return hops_[at].next_; });
  if (record.owner_ != kNoOwner) owners_.release(record.owner_);
  ++clock_;
  record.alive = false;
  record.next_ = vacant_;
  vacant_ = ref.value();
}

void HopTable::set_owner(HopRecord& record, const HopOwner& owner) {
  const std::uint32_t number = owners_.take(owner);
  if (record.owner_ != kNoOwner) owners_.release(record.owner_);
  record.owner_ = number;
}

// ===== states =====

namespace {

// The step, or the mistake that is planted in its place.
std::optional<HopFsm::Step> step_of(HopFsm::State state, HopFsm::Event event) {
  using State = HopFsm::State;
  using Event = HopFsm::Event;
  using Action = HopFsm::Action;
  const auto step = HopFsm::step(state, event);
  if (!kPlanting || !step) return step;
  const auto instead = [&](Bug bug, bool here, HopFsm::Step mistake) {
    return here && planted(bug) ? std::optional(mistake) : std::nullopt;
  };
  const bool adding = state == State::kAdding || state == State::kAddingStale;
  for (const auto& mistake :
       {instead(Bug::kHopChangeForgotten, event == Event::kNotSent, {state, step->action}),
        instead(Bug::kHopFailureForgotten, step->action == Action::kNoteNotSent,
                {State::kSet, Action::kNoteSent}),
        instead(Bug::kHopRefusedStays, step->action == Action::kUndo,
                {State::kSet, Action::kConnect}),
        instead(Bug::kHopUnansweredUndone, step->action == Action::kCleanUp,
                {State::kGone, Action::kUndo}),
        instead(Bug::kHopLostUndone, adding && event == Event::kAddLost,
                {State::kGone, Action::kUndo}),
        instead(Bug::kHopFailedDeleted, state == State::kDeleting && event == Event::kDeleteFailed,
                {State::kGone, Action::kEnd}),
        instead(Bug::kHopAddedAgain, state == State::kDeletingAdding && event == Event::kAdded,
                {State::kSet, Action::kConnect})}) {
    if (mistake) return mistake;
  }
  return step;
}

}  // namespace

HopRow planted_row(HopFsm::State state, HopFsm::Event event) {
  const auto step = step_of(state, event);
  if (!step) return {};
  return {step->next, static_cast<std::uint8_t>(step->action)};
}

void impossible_step(HopFsm::State state, HopFsm::Event event) {
  XB_CHECK(false, HopFsm::name(state), HopFsm::name(event));
  std::abort();
}

}  // namespace xbind
