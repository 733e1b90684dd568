// Pages of hops: of a ledger, and of what a manager claims.
#include <algorithm>
#include <chrono>
#include <iterator>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "orb/convert_checks.hpp"
#include "orb/table_entries.hpp"

namespace xbind::orb {

std::size_t hops_that_fit(const std::vector<LedgerHop>& hops, const std::vector<HopOwner>& owners,
                          std::size_t first, std::size_t most, ReplyRoom& room) {
  constexpr std::size_t kHop = 120;
  constexpr std::size_t kOwner = 16;  // without its names
  std::unordered_set<std::uint32_t> said;
  std::size_t count = 0;
  for (; count < most && first + count < hops.size(); ++count) {
    const std::uint32_t number = hops[first + count].owner;
    std::size_t octets = kHop;
    if (number != kNoOwner && !said.contains(number)) {
      const HopOwner& owner = owners[number];
      octets += kOwner + cdr_string(owner.client.size()) + cdr_string(owner.from.size()) +
                cdr_string(owner.to.size());
    }
    if (!room.take(octets)) break;
    said.insert(number);
  }
  return count;
}

namespace {

// `Page`: LedgerPage or HopPage.
template <class Page>
void fill_hops(const LedgerHop* hops, std::size_t count, const std::vector<HopOwner>& owners,
               Page& out) {
  std::unordered_map<std::uint32_t, CORBA::ULong> said;  // index in the report to index in the page
  out.owners.length(0);
  out.hops.length(static_cast<CORBA::ULong>(count));
  for (CORBA::ULong i = 0; i < out.hops.length(); ++i) {
    const LedgerHop& from = hops[i];
    v2::LedgerHop& to = out.hops[i];
    to.name = orb::to_idl(from.key);
    to.hop_count = from.hop_count;
    to.settled = from.settled;
    to.held = from.held;
    // Rounded up: what is left does not become nothing.
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(from.hold_left).count();
    to.hold_left_ms = static_cast<CORBA::ULong>(std::clamp<std::int64_t>(left, 0, 0xffff'ffff));
    to.owner = kNoOwner;
    if (from.owner != kNoOwner) {
      const auto [owner, fresh] = said.try_emplace(from.owner, out.owners.length());
      to.owner = owner->second;
      if (fresh) {
        out.owners.length(owner->second + 1);
        orb::to_idl(owners[from.owner], out.owners[owner->second]);
      }
    }
    to.request = from.request.value();
    to.input_port = from.cross_connect.input_port.value();
    to.input_label = orb::to_idl(from.cross_connect.input_label);
    to.output_port = from.cross_connect.output_port.value();
    to.output_label = orb::to_idl(from.cross_connect.output_label);
    to.service = orb::to_idl(NetworkService{from.demand, from.contract});
    to.stage = static_cast<CORBA::Octet>(from.stage);
    to.branch = from.branch;
    to.bidirectional = from.bidirectional;
    to.superseded = from.superseded;
    to.revision = from.revision;
    to.shown_id = from.shown_id.value();
    to.enters = from.enters;
    to.rebuilt = from.rebuilt;
  }
}

template <class Page>
void take_hops(const Page& page, std::vector<LedgerHop>& hops, std::vector<HopOwner>& all_owners,
               Checker& checker) {
  const auto before = static_cast<std::uint32_t>(all_owners.size());
  std::vector<HopOwner> owners = checker.owners(page.owners);
  const auto count = static_cast<std::uint32_t>(owners.size());
  std::move(owners.begin(), owners.end(), std::back_inserter(all_owners));
  hops.reserve(hops.size() + page.hops.length());
  for (CORBA::ULong i = 0; i < page.hops.length(); ++i) {
    const v2::LedgerHop& from = page.hops[i];
    LedgerHop& to = hops.emplace_back();
    to.key = orb::to_core(from.name);
    to.cross_connect = {PortId{from.input_port}, checker.label(from.input_label),
                        PortId{from.output_port}, checker.label(from.output_label)};
    const NetworkService service = orb::to_core(from.service);
    to.demand = service.resources;
    to.contract = service.contract;
    to.settled = from.settled;
    to.held = from.held;
    to.hold_left = std::chrono::milliseconds{hold_ms_of(from.hold_left_ms)};
    to.hop_count = from.hop_count;
    to.owner = from.owner == kNoOwner ? kNoOwner : before + checker.owner(from.owner, count);
    to.request = RequestId{from.request};
    to.stage = checker.stage(from.stage);
    to.branch = from.branch;
    to.bidirectional = from.bidirectional;
    to.superseded = from.superseded;
    to.revision = from.revision;
    to.shown_id = ConnectionId{from.shown_id};
    to.enters = from.enters;
    to.rebuilt = from.rebuilt;
  }
}

}  // namespace

void to_idl(const LedgerHop* hops, std::size_t count, const std::vector<HopOwner>& owners,
            v2::LedgerPage& out) {
  fill_hops(hops, count, owners, out);
}

void to_idl(const HeldHops& held, std::size_t count, v2::HopPage& out) {
  fill_hops(held.hops.data(), count, held.owners, out);
}

Result<void> add_hops(const v2::LedgerPage& page, LedgerReport& report) {
  Checker checker;
  take_hops(page, report.hops, report.owners, checker);
  return checker.done();
}

Result<HeldHops> to_core(const v2::HopPage& page) {
  Checker checker;
  HeldHops held;
  take_hops(page, held.hops, held.owners, checker);
  held.next = page.next;
  return checker.done(std::move(held));
}

void to_idl(const HopClaims& claims, v2::HopPage& out) {
  fill_hops(claims.hops.data(), claims.hops.size(), claims.owners, out);
  out.next = claims.last ? 0 : 1;
}

Result<HopClaims> to_core(const v2::HopPage& claimed, const v2::PortLabelsSeq& resting, bool all) {
  Checker checker;
  HopClaims claims;
  take_hops(claimed, claims.hops, claims.owners, checker);
  claims.last = claimed.next == 0;
  claims.all = all;
  auto labels = to_core(resting);
  if (!labels) return tl::make_unexpected(labels.error());
  claims.resting = std::move(*labels);
  return checker.done(std::move(claims));
}

void to_idl(const ClaimsTaken& taken, v2::ClaimsTaken& out) {
  v2::HopResultBatch results;
  to_idl(HopResultBatch{taken.refused, {}}, results);
  out.refused = results.results;
  to_idl(taken.quarantined, out.quarantined);
  to_idl(taken.unclaimed, out.unclaimed);
  out.unclaimed_entries = static_cast<CORBA::ULong>(taken.unclaimed_entries);
}

Result<ClaimsTaken> to_core(const v2::ClaimsTaken& taken) {
  Checker checker;
  ClaimsTaken out;
  for (CORBA::ULong i = 0; i < taken.refused.length(); ++i) {
    out.refused.push_back(to_core(taken.refused[i], checker));
  }
  auto labels = to_core(taken.quarantined);
  if (!labels) return tl::make_unexpected(labels.error());
  out.quarantined = std::move(*labels);
  auto unclaimed = to_core(taken.unclaimed);
  if (!unclaimed) return tl::make_unexpected(unclaimed.error());
  out.unclaimed = std::move(*unclaimed);
  out.unclaimed_entries = taken.unclaimed_entries;
  return checker.done(std::move(out));
}

void to_idl(const ManagerEpochs& epochs, v2::ManagerEpochs& out) {
  out.newest = epochs.newest.value();
  out.renewals = epochs.renewals;
  out.used.length(static_cast<CORBA::ULong>(epochs.used.size()));
  for (CORBA::ULong i = 0; i < out.used.length(); ++i) out.used[i] = epochs.used[i];
}

ManagerEpochs to_core(const v2::ManagerEpochs& epochs) {
  std::set<std::uint64_t> used;  // whatever the peer has sent
  for (CORBA::ULong i = 0; i < epochs.used.length(); ++i) used.insert(epochs.used[i]);
  return epochs_at_switch(Epoch{epochs.newest}, epochs.renewals, {used.begin(), used.end()});
}

void to_idl(const CallAtSwitch& there, v2::CallAtSwitch& out) {
  fill_hops(there.hops.data(), there.hops.size(), there.owners, out);
  out.unreadable = printable(there.unreadable).c_str();
  to_idl(there.entries, out.entries);
  to_idl(there.differences, out.differences);
}

Result<CallAtSwitch> to_core(const v2::CallAtSwitch& there) {
  Checker checker;
  CallAtSwitch out;
  take_hops(there, out.hops, out.owners, checker);
  out.unreadable = printable(there.unreadable.in());
  auto entries = to_core(there.entries);
  if (!entries) return tl::make_unexpected(entries.error());
  out.entries = std::move(*entries);
  auto differences = to_core(there.differences);
  if (!differences) return tl::make_unexpected(differences.error());
  out.differences = std::move(*differences);
  return checker.done(std::move(out));
}

std::vector<HopQuestion> to_core(const v2::HopQuestionSeq& hops) {
  std::vector<HopQuestion> out;
  for (CORBA::ULong i = 0; i < hops.length(); ++i) {
    const v2::HopQuestion& from = hops[i];
    const NetworkService service = to_core(from.service);
    out.push_back({PortId{from.input_port}, PortId{from.output_port}, from.enters, from.leaves,
                   service.resources, service.contract, from.copies});
  }
  return out;
}

void to_idl(const std::vector<HopQuestion>& hops, v2::HopQuestionSeq& out) {
  out.length(static_cast<CORBA::ULong>(hops.size()));
  for (CORBA::ULong i = 0; i < out.length(); ++i) {
    const HopQuestion& from = hops[i];
    out[i].input_port = from.input_port.value();
    out[i].output_port = from.output_port.value();
    out[i].enters = from.enters;
    out[i].leaves = from.leaves;
    out[i].service = to_idl(NetworkService{from.demand, from.contract});
    out[i].copies = static_cast<CORBA::ULong>(from.copies);
  }
}

void to_idl(const std::vector<HopRoom>& rooms, v2::HopRoomSeq& out) {
  out.length(static_cast<CORBA::ULong>(rooms.size()));
  for (CORBA::ULong i = 0; i < out.length(); ++i) {
    const HopRoom& from = rooms[i];
    out[i].copies = from.copies;
    out[i].next.cause = static_cast<CORBA::Octet>(from.cause);
    out[i].next.refusing_port = from.port.value();
    out[i].next.asked = from.asked;
    out[i].next.free = from.free;
    out[i].most_cells_per_s = from.most_cells_per_s;
  }
}

Result<std::vector<HopRoom>> to_core(const v2::HopRoomSeq& rooms) {
  Checker checker;
  std::vector<HopRoom> out;
  for (CORBA::ULong i = 0; i < rooms.length(); ++i) {
    const v2::HopRefusal& next = rooms[i].next;
    out.push_back({rooms[i].copies, checker.cause(next.cause), PortId{next.refusing_port},
                   next.asked, next.free, rooms[i].most_cells_per_s});
  }
  return checker.done(std::move(out));
}

}  // namespace xbind::orb
