#include "switchserver/ledger_names.hpp"

#include <cstring>

#include "core/check.hpp"

namespace xbind {
namespace {

std::uint64_t mix(std::uint64_t x) {
  x *= 0x9e37'79b9'7f4a'7c15;
  return x ^ x >> 32;
}

// Names are short: eight octets at a time, the last eight again when they are not a multiple.
std::uint64_t hash_of(std::string_view name) {
  std::uint64_t hash = name.size();
  const char* at = name.data();
  std::size_t left = name.size();
  for (; left >= 8; left -= 8, at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, 8);
    hash = mix(hash ^ word);
  }
  std::uint64_t rest = 0;
  for (; left != 0; --left) rest = rest << 8 | static_cast<unsigned char>(*at++);
  return mix(hash ^ rest);
}

}  // namespace

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
  return names_.take(name, hash_of(name), made);
}

std::uint32_t CallNames::take(const CallRecord& call) {
  if (latest_ != kNil && same(latest_, call)) {
    sets_.take_again(latest_);
    return latest_;
  }
  const Set set{take_name(call.client), take_name(call.from), take_name(call.to)};
  bool made = false;
  latest_ = sets_.take(set, mix(mix(std::uint64_t{set.client} << 32 | set.from) + set.to), made);
  if (!made) {  // it has its names already
    names_.release(set.client);
    names_.release(set.from);
    names_.release(set.to);
  }
  return latest_;
}

void CallNames::release(std::uint32_t id) {
  if (!sets_.release(id)) return;
  const Set& set = sets_[id];
  names_.release(set.client);
  names_.release(set.from);
  names_.release(set.to);
  if (id == latest_) latest_ = kNil;
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
