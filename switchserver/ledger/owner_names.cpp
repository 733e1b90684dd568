#include "switchserver/ledger/owner_names.hpp"

#include "core/name_hash.hpp"

namespace xbind {

std::uint32_t OwnerNames::take_name(std::string_view name) {
  return names_.take(name, name_hash(name)).number;
}

std::uint32_t OwnerNames::take_life(const HopOwner& owner) {
  const Life life{take_name(owner.client), owner.epoch};
  const auto [number, made] =
      lives_.take(life, mix_hash(mix_hash(life.client) + life.epoch.value()));
  if (!made) names_.release(life.client);  // the life already holds its name
  return number;
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
  const std::uint64_t ends = std::uint64_t{set.life} << 32 | set.from;
  const auto [number, made] = sets_.take(set, mix_hash(mix_hash(ends) + set.to));
  recent = number;
  if (!made) {  // the set already holds its names
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
