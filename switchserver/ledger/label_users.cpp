#include "switchserver/ledger/label_users.hpp"

#include "core/check.hpp"

namespace xbind {

bool LabelUsers::shares_output(HopRef ref) const {
  const HopRecord& record = hops_.hop(ref);
  return record.next_on_output_ != kNil || head_on_output(record) != ref.value();
}

std::uint32_t LabelUsers::leave(LabelPool& pool, Spot spot, HopRef ref, Link link) {
  const HopRecord& record = hops_[ref.value()];
  const LabelPlace place = pool.place_of(spot);
  XB_CHECK(place.holder == LabelHolder::kConnection, to_string(pool.label(spot)), ref);
  const std::uint32_t head = place.hop.value();
  if (head == ref.value()) {
    if (record.*link != kNil) {
      pool.move(spot, {LabelHolder::kConnection, record.manager, HopRef{record.*link}});
    }
    return record.*link;
  }
  std::uint32_t before = head;
  while (hops_[before].*link != ref.value()) {
    before = hops_[before].*link;
    XB_CHECK(before < hops_.places(), to_string(pool.label(spot)), ref);
  }
  hops_[before].*link = record.*link;
  return head;
}

void LabelUsers::clear() {
  hops_.for_each([](HopRef, HopRecord& record) {
    record.next_on_input_ = kNil;
    record.next_on_output_ = kNil;
  });
}

}  // namespace xbind
