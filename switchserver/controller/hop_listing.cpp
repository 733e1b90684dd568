#include "switchserver/controller/hop_listing.hpp"

#include <algorithm>
#include <utility>

#include "switchserver/controller/parts.hpp"

namespace xbind::controller {
namespace {

constexpr std::size_t kLookedAtPerPage = 50'000;

}  // namespace

LedgerHop describe(const Parts& parts, HopRef ref, const HopRecord& record, TimePoint now,
                   OwnerPlaces& places, std::vector<HopOwner>& owners) {
  const Ledger& ledger = parts.ledger;
  LedgerHop hop;
  hop.owner = kNoOwner;
  if (const std::uint32_t number = record.owner(); number != kNoOwner) {
    const auto [owner, fresh] =
        places.try_emplace(number, static_cast<std::uint32_t>(owners.size()));
    if (fresh) owners.push_back(ledger.hops().owner_of(record));
    hop.owner = owner->second;
  }
  hop.key = record.key;
  hop.cross_connect = ledger.hops().cross_connect(record);
  hop.demand = record.demand;
  hop.settled = record.settled();
  hop.contract = record.contract();
  parts.changes.describe(ref, hop);
  hop.held = record.held;
  if (record.held && ledger.extras().hold_end(ref) != kNever) {
    hop.hold_left = std::max(ledger.extras().hold_end(ref) - now, Duration::zero());
  }
  hop.hop_count = record.hop_count;
  hop.request = record.request;
  hop.stage = record.stage();
  hop.branch = record.branch;
  hop.bidirectional = record.bidirectional;
  hop.superseded = ledger.stacks().superseded(ref);
  hop.revision = ledger.extras().revision(ref);
  hop.shown_id = ledger.extras().shown_id(ref);
  hop.enters = ledger.extras().ingress(ref).has_value();
  return hop;
}

HeldHops held_hops(const Parts& parts, std::string_view name, std::uint64_t from, std::size_t most,
                   TimePoint now, std::vector<std::uint64_t>* places) {
  HeldHops held;
  const auto manager = parts.ledger.managers().find(name);
  if (!manager || most == 0) return held;
  if (from >= Claims::kUncertainFrom) return parts.claims.page_of(*manager, from, most, places);
  OwnerPlaces owners;
  std::size_t looked_at = 0;
  held.next = parts.ledger.hops().visit(from, [&](HopRef ref, const HopRecord& record) {
    if (record.manager == *manager) {
      LedgerHop hop = describe(parts, ref, record, now, owners, held.owners);
      // Its next manager sends it again, here or to one that has lost its ledger by then.
      hop.settled = record.state() == HopFsm::State::kSet;
      held.hops.push_back(std::move(hop));
      if (places != nullptr) places->push_back(std::uint64_t{ref.value()} + 1);
    }
    return held.hops.size() < most && ++looked_at < kLookedAtPerPage;
  });
  if (held.next == 0 && parts.claims.uncertain_of(*manager) != 0) {
    held.next = Claims::kUncertainFrom;
  }
  return held;
}

}  // namespace xbind::controller
