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

// ===== calls =====

std::uint32_t CallNames::take_name(std::string_view name) {
  bool made = false;
  return names_.take(name, name_hash(name), made);
}

std::uint32_t CallNames::take(const CallRecord& call) {
  std::uint32_t& recent = recent_of(call.from, call.to);
  if (recent != kNil && same(recent, call)) {
    sets_.take_again(recent);
    return recent;
  }
  const Set set{take_name(call.client), take_name(call.from), take_name(call.to)};
  bool made = false;
  const std::uint64_t ends = std::uint64_t{set.client} << 32 | set.from;
  recent = sets_.take(set, mix_hash(mix_hash(ends) + set.to), made);
  if (!made) {  // it has its names already
    names_.release(set.client);
    names_.release(set.from);
    names_.release(set.to);
  }
  return recent;
}

void CallNames::release(std::uint32_t id) {
  if (!sets_.release(id)) return;
  const Set& set = sets_[id];
  std::uint32_t& recent = recent_of(names_[set.from], names_[set.to]);
  if (recent == id) recent = kNil;
  names_.release(set.client);
  names_.release(set.from);
  names_.release(set.to);
}

std::uint32_t& CallNames::recent_of(std::string_view from, std::string_view to) {
  return recent_[name_hash(from, to) % recent_.size()];
}

bool CallNames::same(std::uint32_t id, const CallRecord& call) const {
  const Set& set = sets_[id];
  return names_[set.from] == call.from && names_[set.to] == call.to &&
         names_[set.client] == call.client;
}

CallRecord CallNames::call(std::uint32_t id, RequestId request) const {
  const Set& set = sets_[id];
  return {names_[set.client], request, names_[set.from], names_[set.to]};
}

}  // namespace xbind
