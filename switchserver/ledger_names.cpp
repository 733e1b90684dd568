#include "switchserver/ledger_names.hpp"

#include "core/check.hpp"
#include "core/name_hash.hpp"

namespace xbind {
// ===== values kept once =====

template <class Value>
template <class Wanted>
std::uint32_t Interned<Value>::take(const Wanted& wanted, std::uint64_t wide, bool& made) {
  const auto hash = static_cast<std::uint32_t>(wide);
  for (std::uint32_t at = bucket(hash); at != kNil; at = places_[at].next) {
    Place& place = places_[at];
    if (place.hash != hash || !(place.value == wanted)) continue;
    ++place.users;
    made = false;
    return at;
  }
  if (used_ >= buckets_.size()) grow();
  std::uint32_t at = vacant_;
  if (at == kNil) {
    at = places_.grow();
  } else {
    vacant_ = places_[at].next;
  }
  Place& place = places_[at];
  place.value = wanted;
  place.users = 1;
  place.hash = hash;
  place.next = bucket(hash);
  bucket(hash) = at;
  ++used_;
  made = true;
  return at;
}

template <class Value>
bool Interned<Value>::release(std::uint32_t at) {
  XB_CHECK(at < places_.size() && places_[at].users != 0, at, places_.size());
  Place& place = places_[at];
  if (--place.users != 0) return false;
  std::uint32_t* link = &bucket(place.hash);
  while (*link != at) link = &places_[*link].next;
  *link = place.next;
  place.next = vacant_;
  vacant_ = at;
  --used_;
  return true;
}

template <class Value>
void Interned<Value>::grow() {
  std::vector<std::uint32_t> old(buckets_.size() * 2, kNil);
  old.swap(buckets_);
  for (std::uint32_t head : old) {
    while (head != kNil) {
      Place& place = places_[head];
      const std::uint32_t next = place.next;
      place.next = bucket(place.hash);
      bucket(place.hash) = head;
      head = next;
    }
  }
}

// ===== owners =====

std::uint32_t OwnerNames::take_name(std::string_view name) {
  bool made = false;
  return names_.take(name, name_hash(name), made);
}

std::uint32_t OwnerNames::take_life(const HopOwner& owner) {
  const Life life{take_name(owner.client), owner.epoch};
  bool made = false;
  const std::uint32_t taken =
      lives_.take(life, mix_hash(mix_hash(life.client) + life.epoch.value()), made);
  if (!made) names_.release(life.client);  // it has its name already
  return taken;
}

void OwnerNames::release_life(std::uint32_t life) {
  if (lives_.release(life)) names_.release(lives_[life].client);
}

std::uint32_t OwnerNames::take(const HopOwner& owner) {
  std::uint32_t& recent = recent_of(owner.from, owner.to);
  if (recent != kNil && same(recent, owner)) {
    sets_.take_again(recent);
    return recent;
  }
  const Set set{take_life(owner), take_name(owner.from), take_name(owner.to)};
  bool made = false;
  const std::uint64_t ends = std::uint64_t{set.life} << 32 | set.from;
  recent = sets_.take(set, mix_hash(mix_hash(ends) + set.to), made);
  if (!made) {  // it has its names already
    release_life(set.life);
    names_.release(set.from);
    names_.release(set.to);
  }
  return recent;
}

void OwnerNames::release(std::uint32_t id) {
  if (!sets_.release(id)) return;
  const Set& set = sets_[id];
  std::uint32_t& recent = recent_of(names_[set.from], names_[set.to]);
  if (recent == id) recent = kNil;
  release_life(set.life);
  names_.release(set.from);
  names_.release(set.to);
}

std::uint32_t& OwnerNames::recent_of(std::string_view from, std::string_view to) {
  return recent_[name_hash(from, to) % recent_.size()];
}

bool OwnerNames::same(std::uint32_t id, const HopOwner& owner) const {
  const Set& set = sets_[id];
  const Life& life = lives_[set.life];
  return life.epoch == owner.epoch && names_[set.from] == owner.from &&
         names_[set.to] == owner.to && names_[life.client] == owner.client;
}

bool OwnerNames::same_call(std::uint32_t id, std::uint32_t other) const {
  if (id == other) return true;
  if (id == kNoOwner || other == kNoOwner) return false;
  const Set& one = sets_[id];
  const Set& two = sets_[other];
  return one.from == two.from && one.to == two.to &&
         lives_[one.life].client == lives_[two.life].client;
}

HopOwner OwnerNames::owner(std::uint32_t id) const {
  const Set& set = sets_[id];
  const Life& life = lives_[set.life];
  return {names_[life.client], life.epoch, names_[set.from], names_[set.to]};
}

}  // namespace xbind
