#include "switchserver/ledger/claim.hpp"

#include <algorithm>

#include "switchserver/ledger/holdings.hpp"
#include "switchserver/ledger/setup_checks.hpp"

namespace xbind {
namespace {

// As the manager would set the hop up. The labels that this SwitchServer allotted were not named.
HopSetup setup_for(const LedgerHop& claimed) {
  HopSetup setup;
  setup.key = claimed.key;
  setup.commit = claimed.stage != HopStage::kReserved;
  setup.hop_count = claimed.hop_count;
  setup.input_port = claimed.cross_connect.input_port;
  setup.output_port = claimed.cross_connect.output_port;
  setup.demand = claimed.demand;
  setup.contract = claimed.contract;
  setup.request = claimed.request;
  setup.held = claimed.held;
  setup.branch = claimed.branch;
  setup.bidirectional = claimed.bidirectional;
  if (setup.commit ? !setup.first() : setup.first())
    setup.input_label = claimed.cross_connect.input_label;
  if (setup.commit && !setup.last()) setup.output_label = claimed.cross_connect.output_label;
  return setup;
}

bool can_be_claimed(const LedgerHop& hop) {
  if (hop.key.hop >= hop.hop_count) return false;
  return hop.stage == HopStage::kReserved ? hop.held : hop.stage != HopStage::kCommitting;
}

// Nobody has it, or hops of this connection do.
bool may_claim_input(const LedgerParts& parts, LabelPlace place, ManagerIndex manager,
                     const LedgerHop& claimed) {
  if (place.holder != LabelHolder::kConnection) return true;
  const HopTable& hops = parts.hops;
  for (std::uint32_t i = place.hop.value(); i != HopRecord::kNil; i = hops[i].next_on_input()) {
    const HopRecord& other = hops[i];
    if (other.manager != manager || other.key.connection != claimed.key.connection) return false;
    const bool same_leg = other.key.leg == claimed.key.leg;
    if (same_leg && other.key.generation == claimed.key.generation) return false;
    const bool same_port =
        parts.numbers.id(other.output_port()) == claimed.cross_connect.output_port;
    if (!same_leg && same_port) return false;
  }
  return true;
}

// Nobody has it, or this manager without a hop, or other generations of this leg do.
bool may_claim_output(const LedgerParts& parts, LabelPlace place, ManagerIndex manager,
                      const LedgerHop& claimed) {
  if (place.holder != LabelHolder::kConnection) {
    return place.holder <= LabelHolder::kFree || place.holder == LabelHolder::kUnclaimed ||
           is_loose(place, manager);
  }
  const HopTable& hops = parts.hops;
  for (std::uint32_t i = place.hop.value(); i != HopRecord::kNil; i = hops[i].next_on_output()) {
    const HopRecord& other = hops[i];
    const bool joins = other.manager == manager && other.key.connection == claimed.key.connection &&
                       other.key.leg == claimed.key.leg &&
                       other.last() == (claimed.key.hop + 1 == claimed.hop_count);
    if (!joins) return false;
  }
  return true;
}

// Where a claimed hop goes.
struct ClaimedPlace {
  PortIndex in;
  PortIndex out;
  bool has_input = false;
  LabelPool::Spot input;
  LabelPool::Spot output;
};

Refusal choose_labels(LedgerParts& parts, ManagerIndex manager, const LedgerHop& claimed,
                      ClaimedPlace& place) {
  const CrossConnect& at = claimed.cross_connect;
  const LabelPool& inputs = parts.labels.input(place.in);
  LabelPool& outputs = parts.labels.output(place.out);
  const bool reserved = claimed.stage == HopStage::kReserved;
  // A hold has an input label if it begins here and the client wants that label.
  place.has_input =
      !reserved || (claimed.key.hop == 0 && !claimed.branch && at.input_label.present());
  const auto input = place.has_input ? inputs.find_spot(at.input_label) : place.input;
  if (!input) return refuse(Cause::kInvalidRequest, at.input_port, at.input_label.value);
  // A hold's egress label is known to nobody yet: any will do.
  const bool allot = reserved && !at.output_label.present();
  const auto output = allot ? outputs.next_free_spot() : outputs.find_spot(at.output_label);
  if (!output && allot) return refuse(Cause::kNoLabel, at.output_port, 1);
  if (!output) return refuse(Cause::kInvalidRequest, at.output_port, at.output_label.value);
  place.input = *input;
  place.output = *output;
  if (place.has_input && !may_claim_input(parts, inputs.place_of(place.input), manager, claimed)) {
    return refuse(Cause::kForeignInputLabel, at.input_port, at.input_label.value);
  }
  if (!may_claim_output(parts, outputs.place_of(place.output), manager, claimed)) {
    return refuse(Cause::kLabelNotHeld, at.output_port, at.output_label.value);
  }
  return {};
}

// Hops of one leg on one input have taken over from one another, in the order of generations.
void stack_on_input(LedgerParts& parts, HopRef ref) {
  HopTable& hops = parts.hops;
  const HopRecord& record = hops[ref.value()];
  std::uint32_t below = HopRecord::kNil;
  std::uint32_t above = HopRecord::kNil;
  for (std::uint32_t i = record.next_on_input(); i != HopRecord::kNil;
       i = hops[i].next_on_input()) {
    const HopKey& other = hops[i].key;
    if (other.leg != record.key.leg) continue;
    if (other.generation < record.key.generation) {
      if (below == HopRecord::kNil || hops[below].key.generation < other.generation) below = i;
    } else if (above == HopRecord::kNil || other.generation < hops[above].key.generation) {
      above = i;
    }
  }
  if (below != HopRecord::kNil) {
    parts.stacks.link(HopRef{below}, ref);
    hops[ref.value()].takes_over = true;
    hops.touch(hops[below]);
  }
  if (above != HopRecord::kNil) {
    parts.stacks.link(ref, HopRef{above});
    hops[above].takes_over = true;
  }
}

// The cells that enter on an input are counted once: for the uppermost hop, or for one branch.
void claim_ingress(LedgerParts& parts, HopRef ref) {
  const HopTable& hops = parts.hops;
  const HopRecord& record = hops[ref.value()];
  std::uint32_t holder = HopRecord::kNil;
  for (std::uint32_t i = record.next_on_input(); i != HopRecord::kNil;
       i = hops[i].next_on_input()) {
    if (parts.extras.ingress(HopRef{i})) holder = i;
  }
  const std::uint64_t taken = holder == HopRecord::kNil ? 0 : *parts.extras.ingress(HopRef{holder});
  const std::uint64_t takes = std::max(taken, record.demand.cells_per_s);
  parts.ports.change_ingress(record.input_port(), taken, takes);
  if (holder != HopRecord::kNil && !parts.stacks.stands_on(ref.value(), holder)) {
    return parts.extras.set_ingress(HopRef{holder}, takes);
  }
  if (holder != HopRecord::kNil) parts.extras.set_ingress(HopRef{holder}, std::nullopt);
  parts.extras.set_ingress(ref, takes);
}

HopRef enter_claimed(LedgerParts& parts, ManagerIndex manager, const LedgerHop& claimed,
                     std::uint32_t owner, const ClaimedPlace& place) {
  HopHoldings holdings(parts);
  const LabelPlace noted = parts.labels.output(place.out).place_of(place.output);
  const bool joins = noted.holder == LabelHolder::kConnection;
  const Resources charge = parts.ports.charge_of(place.out, claimed.demand, claimed.contract);
  const HopRef ref =
      holdings.enter(manager, setup_for(claimed), owner, HopTable::hash(manager, claimed.key),
                     place.in, {place.out, place.output, charge, charge, joins});
  HopRecord& record = parts.hops[ref.value()];
  HopTable::set_claimed(record, claimed.stage, claimed.settled);
  record.earlier_session = true;
  record.joins = joins;
  if (joins) {
    parts.extras.edit(ref);  // keeps what this hop needs alone
    holdings.charge_group(place.out, ref.value());
  }
  if (place.has_input) {
    HopTable::set_input_label(record, claimed.cross_connect.input_label);
    LabelUsers::enter_input(parts.labels.input(place.in), place.input, ref, record);
    stack_on_input(parts, ref);
  }
  if (claimed.enters) claim_ingress(parts, ref);
  if (claimed.shown_id != ConnectionId{}) parts.extras.edit(ref).shown_id = claimed.shown_id;
  if (claimed.revision != 0) parts.extras.edit(ref).revision = claimed.revision;
  return ref;
}

}  // namespace

Admission claim(LedgerParts& parts, ManagerIndex manager, const LedgerHop& claimed,
                std::uint32_t owner) {
  if (const auto known = parts.hops.find(manager, claimed.key)) return repeated(*known);
  if (!can_be_claimed(claimed)) {
    return refuse(Cause::kInvalidRequest, {}, claimed.key.hop, claimed.hop_count);
  }
  if (const auto refused = refused_contract(claimed.contract)) return *refused;
  const CrossConnect& at = claimed.cross_connect;
  const auto in = parts.numbers.find(at.input_port);
  const auto out = parts.numbers.find(at.output_port);
  if (!in) return refuse(Cause::kUnknownPort, at.input_port, at.input_port.value());
  if (!out) return refuse(Cause::kUnknownPort, at.output_port, at.output_port.value());
  if (const auto refused = SetupChecks(parts).check_hops(0)) return *refused;
  ClaimedPlace place{*in, *out, false, {}, {}};
  if (const auto refused = choose_labels(parts, manager, claimed, place)) return *refused;
  Admission admission;
  admission.hop = enter_claimed(parts, manager, claimed, owner, place);
  return admission;
}

}  // namespace xbind
