// Ledger: hops and labels that managers claim after this SwitchServer has lost its ledger.
#include <algorithm>

#include "switchserver/ledger.hpp"
#include "switchserver/ledger_refusals.hpp"

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

}  // namespace

// Nobody has it, or hops of this connection do.
bool Ledger::may_claim_input(LabelPlace place, ManagerIndex manager,
                             const LedgerHop& claimed) const {
  if (place.holder != LabelHolder::kConnection) return true;
  for (std::uint32_t i = place.hop.value(); i != kNil; i = hops_[i].next_on_input) {
    const HopRecord& other = hops_[i];
    if (other.manager != manager || other.key.connection != claimed.key.connection) return false;
    const bool same_leg = other.key.leg == claimed.key.leg;
    if (same_leg && other.key.generation == claimed.key.generation) return false;
    const bool same_port =
        ports_[other.output_port].about.port == claimed.cross_connect.output_port;
    if (!same_leg && same_port) return false;
  }
  return true;
}

// Nobody has it, or this manager without a hop, or other generations of this leg do.
bool Ledger::may_claim_output(LabelPlace place, ManagerIndex manager,
                              const LedgerHop& claimed) const {
  if (place.holder != LabelHolder::kConnection) {
    return place.holder <= LabelHolder::kFree || place.holder == LabelHolder::kUnclaimed ||
           is_loose(place, manager);
  }
  for (std::uint32_t i = place.hop.value(); i != kNil; i = hops_[i].next_on_output) {
    const HopRecord& other = hops_[i];
    const bool joins = other.manager == manager && other.key.connection == claimed.key.connection &&
                       other.key.leg == claimed.key.leg &&
                       other.last() == (claimed.key.hop + 1 == claimed.hop_count);
    if (!joins) return false;
  }
  return true;
}

Admission Ledger::claim(ManagerIndex manager, const LedgerHop& claimed, std::uint32_t owner) {
  Admission admission;
  if (const auto known = find(manager, claimed.key)) {
    admission.hop = *known;
    admission.repeated = true;
    return admission;
  }
  if (!can_be_claimed(claimed)) {
    return refuse(Cause::kInvalidRequest, {}, claimed.key.hop, claimed.hop_count);
  }
  if (const auto wrong = check(claimed.contract)) {
    return refuse(Cause::kInvalidRequest, {}, wrong->value, wrong->bound);
  }
  const CrossConnect& at = claimed.cross_connect;
  Port* const in = port(at.input_port);
  Port* const out = port(at.output_port);
  if (in == nullptr) return refuse(Cause::kUnknownPort, at.input_port, at.input_port.value());
  if (out == nullptr) return refuse(Cause::kUnknownPort, at.output_port, at.output_port.value());
  if (hop_count() >= options_.hops_max) return refuse(Cause::kBusy, {}, hop_count() + 1);
  const bool reserved = claimed.stage == HopStage::kReserved;
  // A hold has an input label if it begins here and the client has asked for that label.
  const bool has_input =
      !reserved || (claimed.key.hop == 0 && !claimed.branch && at.input_label.present());
  const auto input = has_input ? in->input.find_spot(at.input_label) : Spot{};
  if (!input) return refuse(Cause::kInvalidRequest, at.input_port, at.input_label.value);
  // A hold's egress label is known to nobody yet: any will do.
  const bool allot = reserved && !at.output_label.present();
  const auto output = allot ? out->output.next_free_spot() : out->output.find_spot(at.output_label);
  if (!output && allot) return refuse(Cause::kNoLabel, at.output_port, 1);
  if (!output) return refuse(Cause::kInvalidRequest, at.output_port, at.output_label.value);
  if (has_input && !may_claim_input(in->input.place_of(*input), manager, claimed)) {
    return refuse(Cause::kForeignInputLabel, at.input_port, at.input_label.value);
  }
  if (!may_claim_output(out->output.place_of(*output), manager, claimed)) {
    return refuse(Cause::kLabelNotHeld, at.output_port, at.output_label.value);
  }

  const bool joins = out->output.place_of(*output).holder == LabelHolder::kConnection;
  const HopRef ref = insert(manager, setup_for(claimed), owner, hash(manager, claimed.key));
  HopRecord& record = hops_[ref.value()];
  record.state = claimed.stage;
  record.earlier_session = true;
  record.joins = joins;
  record.progress.claimed = true;
  record.progress.untold = claimed.stage == HopStage::kCommitted && !claimed.settled;
  record.input_port = static_cast<std::uint16_t>(in - ports_.data());
  record.output_port = static_cast<std::uint16_t>(out - ports_.data());
  record.output = packed(out->output.label(*output));
  record.charge = charge_of(*out, claimed.demand, claimed.contract);
  if (joins) extras(ref.value());  // keeps what this hop needs alone
  enter(out->output, *output, ref, &HopRecord::next_on_output);
  Account& books = account(*out, manager);
  if (!record.last() && !joins) ++books.labels;
  Resources hops = books.hops;
  set_hops(*out, books, hops += record.charge);
  if (joins) charge_group(*out, ref.value());
  if (has_input) {
    record.input = packed(at.input_label);
    enter(in->input, *input, ref, &HopRecord::next_on_input);
    stack_on_input(ref);
  }
  if (claimed.enters) claim_ingress(ref, *in);
  if (claimed.shown_id != ConnectionId{}) extras(ref.value()).shown_id = claimed.shown_id;
  if (claimed.revision != 0) extras(ref.value()).revision = claimed.revision;
  admission.hop = ref;
  return admission;
}

// Hops of one leg on one input have taken over from one another, in the order of generations.
void Ledger::stack_on_input(HopRef ref) {
  const HopRecord& record = hops_[ref.value()];
  std::uint32_t below = kNil;
  std::uint32_t above = kNil;
  for (std::uint32_t i = record.next_on_input; i != kNil; i = hops_[i].next_on_input) {
    const HopKey& other = hops_[i].key;
    if (other.leg != record.key.leg) continue;
    if (other.generation < record.key.generation) {
      if (below == kNil || hops_[below].key.generation < other.generation) below = i;
    } else if (above == kNil || other.generation < hops_[above].key.generation) {
      above = i;
    }
  }
  if (below != kNil) {
    extras(below).above = ref.value();
    extras(ref.value()).below = below;
    hops_[ref.value()].takes_over = true;
    touch(HopRef{below});
  }
  if (above != kNil) {
    extras(above).below = ref.value();
    extras(ref.value()).above = above;
    hops_[above].takes_over = true;
  }
}

// The cells that enter on an input are counted once: for the uppermost hop, or for one branch.
void Ledger::claim_ingress(HopRef ref, Port& in) {
  const std::uint64_t demand = hops_[ref.value()].demand.cells_per_s;
  std::uint32_t holder = kNil;
  for (std::uint32_t i = hops_[ref.value()].next_on_input; i != kNil; i = hops_[i].next_on_input) {
    if (ingress(HopRef{i})) holder = i;
  }
  const std::uint64_t taken = holder == kNil ? 0 : *ingress(HopRef{holder});
  const std::uint64_t takes = std::max(taken, demand);
  in.ingress_taken += takes - taken;
  if (holder != kNil && !stands_on(ref.value(), holder)) return set_ingress(holder, takes);
  if (holder != kNil) set_ingress(holder, std::nullopt);
  set_ingress(ref.value(), takes);
}

void Ledger::claim_resting(ManagerIndex manager, PortId id, Label label) {
  Port* const of = port(id);
  const auto spot = of == nullptr ? std::nullopt : of->output.find_spot(label);
  if (!spot) return;
  const LabelPlace place = of->output.place_of(*spot);
  if (place.holder > LabelHolder::kFree && !is_loose(place, manager)) return;
  of->output.move(*spot, {LabelHolder::kQuarantine, manager, {}});
}

bool Ledger::has_unclaimed(PortId id) const {
  const Port* const of = port(id);
  return of != nullptr && (of->input.count(LabelHolder::kUnclaimed) != 0 ||
                           of->output.count(LabelHolder::kUnclaimed) != 0);
}

}  // namespace xbind
