// Ledger: setup, change and undoing of hops.
#include <algorithm>

#include "core/check.hpp"
#include "core/planted.hpp"
#include "switchserver/ledger.hpp"
#include "switchserver/ledger_refusals.hpp"

namespace xbind {
namespace {

Admission repeated(HopRef ref) {
  Admission admission;
  admission.hop = ref;
  admission.repeated = true;
  return admission;
}

std::optional<Admission> refused_contract(const TrafficContract& contract) {
  const auto refused = check(contract);
  if (!refused) return std::nullopt;
  return refuse(Cause::kInvalidRequest, {}, refused->value, refused->bound);
}

// The ways of sharing a label with another hop exclude each other. A held reservation cannot use
// any of them, and a hop that joins has nothing to reserve.
bool takes_one_way(const HopSetup& s) {
  if (s.joins && !s.commit) return false;
  if ((s.takes_over || s.joins) && s.held) return false;
  return int{s.branch} + int{s.takes_over} + int{s.joins} <= 1;
}

}  // namespace

// ===== set up =====

// One walk along the chain finds the same hop and the newest generation.
Admission Ledger::set_up(ManagerIndex manager, const HopSetup& setup, std::uint32_t owner) {
  const HopKey& key = setup.key;
  const std::uint64_t hash = Ledger::hash(manager, key);
  std::uint32_t same = kNil;
  Generation newest = key.generation;
  for (std::uint32_t i = by_place_.first(hash); i != kNil;) {
    const HopRecord& other = hops_[i];
    if (other.key.connection == key.connection && other.key.leg == key.leg &&
        other.key.hop == key.hop && other.manager == manager) {
      newest = std::max(newest, other.key.generation);
      if (other.key.generation == key.generation) same = i;
    }
    i = other.next;
  }
  if (newest > key.generation) {
    return refuse(Cause::kStale, {}, key.generation.value(), newest.value());
  }
  if (same == kNil) return set_up_new(manager, setup, owner, hash);
  const HopRef ref{same};
  if (hops_[same].state != HopStage::kReserved || !setup.commit) return repeat(ref, setup, owner);
  const Admission admission = commit_reserved(ref, setup, owner);
  if (!admission.admitted()) undo(ref);
  return admission;
}

// ===== repeated setups =====

// After a modify both the original and the present contract match: a manager that repeats the setup
// may or may not know of the modify.
bool Ledger::same_contract(HopRef ref, const HopSetup& again) const {
  const HopRecord& record = hop(ref);
  if (again.demand == record.demand && again.contract == record.contract()) return true;
  if (!record.special) return false;
  const HopExtras& extras = extras_.at(ref.value());
  return again.demand == extras.asked && again.contract == extras.asked_contract.contract();
}

// Whether the commit matches its reservation. The labels come with the commit; everything else must
// be equal. The client may have restarted since the reservation was held.
bool Ledger::same_hop(HopRef ref, const HopSetup& commit, std::uint32_t owner) const {
  const HopRecord& record = hop(ref);
  return record.hop_count == commit.hop_count &&
         ports_[record.input_port].about.port == commit.input_port &&
         ports_[record.output_port].about.port == commit.output_port &&
         record.request == commit.request && names_.same_call(record.owner, owner) &&
         record.branch == commit.branch && record.takes_over == commit.takes_over &&
         record.joins == commit.joins && same_contract(ref, commit);
}

// Whether this is the same setup again. The wanted numbers of labels and quota may differ.
bool Ledger::same_setup(HopRef ref, const HopSetup& again, std::uint32_t owner) const {
  const HopRecord& record = hop(ref);
  const Label input = record.input_named ? record.input_label() : Label{};
  const Label output = record.output_named ? record.output_label() : Label{};
  return record.key == again.key && record.commit == again.commit && input == again.input_label &&
         output == again.output_label && (again.commit || again.held == record.held) &&
         same_hop(ref, again, owner);
}

Admission Ledger::repeat(HopRef ref, const HopSetup& setup, std::uint32_t owner) const {
  if (hop(ref).state == HopStage::kRemoving) {
    return refuse(Cause::kBeingReleased, {}, setup.key.generation.value());
  }
  if (!same_setup(ref, setup, owner)) {
    return refuse(Cause::kInvalidRequest, {}, setup.key.generation.value());
  }
  return repeated(ref);
}

// ===== new setups =====

Admission Ledger::set_up_new(ManagerIndex manager, const HopSetup& setup, std::uint32_t owner,
                             std::uint64_t hash) {
  if (setup.key.hop >= setup.hop_count) {
    return refuse(Cause::kInvalidRequest, {}, setup.key.hop, setup.hop_count);
  }
  if (setup.branch && (setup.key.hop != 0 || setup.key.leg == 0)) {
    return refuse(Cause::kInvalidRequest, {}, setup.key.hop);
  }
  if (!takes_one_way(setup)) return refuse(Cause::kInvalidRequest, {}, setup.key.hop);
  Port* const in = port(setup.input_port);
  Port* const out = port(setup.output_port);
  if (const auto refused = check_request(setup, in, out, 0)) return *refused;

  Spot input_spot;
  Spot output_spot;
  const bool has_input = setup.commit || (allots_input(setup) && setup.input_label.present());
  if (has_input) {
    if (const auto refused = choose_input(manager, setup, *in, input_spot)) return *refused;
  } else if (setup.input_label.present()) {
    return refuse(Cause::kInvalidRequest, setup.input_port, setup.input_label.value);
  }
  if (const auto refused = choose_output(manager, setup, *out, output_spot)) return *refused;
  const Resources alone = charge_of(*out, setup.demand, setup.contract);
  const Resources charge = additional_charge(*out, setup, alone);
  Account& books = account(*out, manager);
  if (const auto refused = admit_resources(setup, *in, *out, books, charge)) return *refused;

  // Nothing can refuse from here on: reserve everything.
  const HopRef ref = insert(manager, setup, owner, hash);
  HopRecord& record = hops_[ref.value()];
  record.state = setup.commit ? HopStage::kCommitting : HopStage::kReserved;
  record.input_port = static_cast<std::uint16_t>(in - ports_.data());
  record.output_port = static_cast<std::uint16_t>(out - ports_.data());
  record.output = packed(out->output.label(output_spot));
  record.charge = alone;
  set_charge(ref.value(), charge);
  enter(out->output, output_spot, ref, &HopRecord::next_on_output);
  if (has_input) take_input(ref, *in, input_spot);
  if (!setup.last() && !setup.joins) ++books.labels;
  Resources hops = books.hops;
  set_hops(*out, books, hops += charge);
  if (allots_input(setup)) {
    set_ingress(ref.value(), setup.demand.cells_per_s);
    in->ingress_taken += setup.demand.cells_per_s;
  }

  Admission admission;
  admission.hop = ref;
  return admission;
}

// `more_hops`: taken by a dry run.
Ledger::Refusal Ledger::check_request(const HopSetup& setup, const Port* in, const Port* out,
                                      std::uint64_t more_hops) const {
  if (const auto refused = refused_contract(setup.contract)) return refused;
  if (in == nullptr || !in->present) {
    return refuse(Cause::kUnknownPort, setup.input_port, setup.input_port.value());
  }
  if (out == nullptr || !out->present) {
    return refuse(Cause::kUnknownPort, setup.output_port, setup.output_port.value());
  }
  const std::uint64_t hops = hop_count() + more_hops;
  if (hops >= options_.hops_max) return refuse(Cause::kBusy, {}, hops + 1);
  return {};
}

Admission Ledger::commit_reserved(HopRef ref, const HopSetup& setup, std::uint32_t owner) {
  HopRecord& record = hop(ref);
  if (!same_hop(ref, setup, owner)) {
    return refuse(Cause::kInvalidRequest, {}, setup.key.generation.value());
  }
  if (setup.output_label.present() && setup.output_label != record.output_label()) {
    return refuse(Cause::kInvalidRequest, setup.output_port, setup.output_label.value);
  }
  if (!output_port(record).present) {
    return refuse(Cause::kUnknownPort, setup.output_port, setup.output_port.value());
  }
  Port& in = input_port(record);
  if (!in.present) {
    return refuse(Cause::kUnknownPort, setup.input_port, setup.input_port.value());
  }
  const Label reserved = record.input_label();  // an ingress label that the reserve named
  Spot input_spot;
  if (reserved.present()) {
    if (setup.input_label.present() && setup.input_label != reserved) {
      return refuse(Cause::kInvalidRequest, setup.input_port, setup.input_label.value);
    }
  } else if (const auto refused = choose_input(record.manager, setup, in, input_spot)) {
    return *refused;
  }
  if (setup.takes_over) {
    const std::uint64_t demand = record.demand.cells_per_s;
    if (const auto refused = admit_taken_input(setup, in, demand)) return *refused;
  }
  if (record.held) hold_ends_.erase(ref.value());
  copy_setup_fields(record, setup);
  if (record.special) {
    HopExtras& extras = extras_.at(ref.value());
    extras.asked = setup.demand;
    extras.asked_contract = PackedContract(setup.contract);
  }
  if (!reserved.present()) take_input(ref, in, input_spot);
  record.earlier_session = false;  // the committing session knows the label
  record.state = HopStage::kCommitting;
  touch(ref);
  Admission admission;
  admission.hop = ref;
  return admission;
}

// The input label: at the first hop the wanted or the next free one, otherwise the given one.
Ledger::Refusal Ledger::choose_input(ManagerIndex manager, const HopSetup& setup, Port& in,
                                     Spot& chosen) {
  LabelPool& pool = in.input;
  if (allots_input(setup)) {
    if (setup.input_label.present()) {
      return choose_wanted(pool, setup.input_port, setup.input_label, chosen);
    }
    const auto spot = pool.next_free_spot();
    if (!spot) return no_label(setup.input_port);
    chosen = *spot;
    return {};
  }
  const auto spot = pool.find_spot(setup.input_label);
  if (!spot) return refuse(Cause::kInvalidRequest, setup.input_port, setup.input_label.value);
  chosen = *spot;
  const LabelPlace place = pool.place_of(chosen);
  if (setup.branch) return choose_shared_input(manager, setup, place);
  if (setup.takes_over) return choose_taken_input(manager, setup, place);
  if (place.holder > LabelHolder::kFree && !planted(Bug::kForeignInputAccepted)) {
    return refuse(Cause::kForeignInputLabel, setup.input_port, setup.input_label.value);
  }
  return {};
}

// The output label: at the last hop the wanted or the next free one, for a reserve that names none
// the next free one, otherwise the given one.
Ledger::Refusal Ledger::choose_output(ManagerIndex manager, const HopSetup& setup, Port& out,
                                      Spot& chosen) {
  const Label named = setup.output_label;
  const LabelPool& pool = out.output;
  if (setup.joins) {
    if (const auto refused = choose_joined_output(manager, setup, out)) return refused;
    chosen = pool.spot(named);
    return {};
  }
  if (setup.last() && named.present()) {
    return choose_wanted(pool, setup.output_port, named, chosen);
  }
  if (setup.last() || (!setup.commit && !named.present())) {
    return allot_output(manager, setup, out, chosen);
  }
  LabelPlace place;
  if (const auto spot = pool.find_spot(named)) {
    chosen = *spot;
    place = pool.place_of(chosen);
  }
  if (!is_loose(place, manager))
    return refuse(Cause::kLabelNotHeld, setup.output_port, named.value);
  return {};
}

Ledger::Refusal Ledger::allot_output(ManagerIndex manager, const HopSetup& setup, Port& out,
                                     Spot& chosen) {
  if (const auto refused = check_share(manager, setup, out, 0)) return refused;
  const auto spot = out.output.next_free_spot();
  if (!spot) {
    Admission none = no_label(setup.output_port);
    none.labels_missing = 1;
    return none;
  }
  chosen = *spot;
  return {};
}

// `more_labels`: allotted by a dry run.
Ledger::Refusal Ledger::check_share(ManagerIndex manager, const HopSetup& setup, const Port& out,
                                    std::uint64_t more_labels) const {
  if (setup.last()) return {};
  const auto share = share_of(out, manager, more_labels);
  const std::uint64_t would_hold = held_on(out, manager) + more_labels + 1;
  if (!share || would_hold <= *share) return {};
  return refuse(Cause::kOverShare, setup.output_port, would_hold, *share);
}

// ===== resources =====

// The room for the manager of this account: the unused part of its quota and the free part of the
// port. In a component in which its hops exceed the quota, no quota is unused.
Resources Ledger::room_for(const Port& out, const Account& of) {
  return {less(out.capacity.cells_per_s, out.taken.cells_per_s) +
              less(of.quota.cells_per_s, of.hops.cells_per_s),
          less(out.capacity.buffer_cells, out.taken.buffer_cells) +
              less(of.quota.buffer_cells, of.hops.buffer_cells)};
}

// Of the receive side, for cells that enter the network here.
std::uint64_t Ledger::ingress_room(const Port& in) {
  return less(in.capacity.cells_per_s, in.ingress_taken);
}

Ledger::Refusal Ledger::admit_resources(const HopSetup& setup, const Port& in, const Port& out,
                                        const Account& of, Resources charge) const {
  if (const auto refused = exceeds(setup.output_port, charge, room_for(out, of))) return refused;
  if (setup.takes_over && setup.commit) {
    return admit_taken_input(setup, in, setup.demand.cells_per_s);
  }
  if (allots_input(setup)) {
    return exceeds_ingress(setup.input_port, setup.demand.cells_per_s, ingress_room(in));
  }
  return {};
}

Admission Ledger::modify(ManagerIndex manager, const HopModify& modify, bool until_settled) {
  const auto ref = find(manager, modify.key);
  if (!ref) return refuse(Cause::kUnknownConnection, {}, modify.key.connection.value());
  HopRecord& record = hop(*ref);
  if (record.state == HopStage::kRemoving) {
    return refuse(Cause::kBeingReleased, {}, modify.key.generation.value());
  }
  const std::uint32_t at = ref->value();
  const Resources now = record.demand;
  const TrafficContract contract = record.contract();
  const Resources wanted = modify.demand;
  const std::uint32_t revision = this->revision(*ref);
  if (modify.revision == revision && wanted == now && modify.contract == contract) {
    return repeated(*ref);
  }
  if (modify.revision <= revision) {
    return refuse(Cause::kStale, {}, modify.revision, revision);
  }
  const bool only_handed_over = modify.handover && wanted == now && modify.contract == contract;
  if (only_handed_over) return hand_over_alone(*ref, modify);
  if (above_of(at) != kNil || below_of(at) != kNil || shares_output(*ref)) {
    return refuse(Cause::kChangeUnderWay, {}, modify.revision);
  }
  if (const auto refused = refused_contract(modify.contract)) return *refused;
  if (modify.contract.category != contract.category) {
    return refuse(Cause::kInvalidRequest, {}, static_cast<std::uint64_t>(modify.contract.category),
                  static_cast<std::uint64_t>(contract.category));
  }
  Port& out = output_port(record);
  Port& in = input_port(record);
  const PortId output_id = out.about.port;
  if (!wanted.fits_within(now) && !out.present) {
    return refuse(Cause::kUnknownPort, output_id, output_id.value());
  }
  const Resources room = room_for(out, account(out, manager));
  const Resources alone = this->alone(*ref);
  Resources charge = charge_of(out, wanted, modify.contract);
  const bool no_more = wanted.fits_within(now) && !asks_for_more(contract, modify.contract);
  if (no_more) charge = lesser(charge, alone);
  const Resources more{less(charge.cells_per_s, record.charge.cells_per_s),
                       less(charge.buffer_cells, record.charge.buffer_cells)};
  if (auto refused = exceeds(output_id, more, room)) {
    // In terms of the whole hop: what it has counts as free to it.
    const bool bandwidth = refused->cause == Cause::kNoBandwidth;
    refused->asked = bandwidth ? charge.cells_per_s : charge.buffer_cells;
    refused->free += bandwidth ? record.charge.cells_per_s : record.charge.buffer_cells;
    return *refused;
  }
  std::optional<std::uint64_t> takes = ingress(*ref);
  if (takes) {
    // A branch may have inherited less than it demands: lowering its demand must not raise that.
    const std::uint64_t taken = *takes;
    takes = wanted.cells_per_s > now.cells_per_s ? wanted.cells_per_s
                                                 : std::min(taken, wanted.cells_per_s);
    const std::uint64_t most = taken + ingress_room(in);
    if (*takes > most) {
      return refuse(Cause::kNoBandwidth, in.about.port, wanted.cells_per_s, most);
    }
    in.ingress_taken = in.ingress_taken - taken + *takes;
  }
  HopExtras& extras = this->extras(at);
  extras.ingress = takes;
  extras.revision = modify.revision;
  extras.alone = until_settled ? greater(charge, alone) : charge;
  record.demand = wanted;
  record.packed = PackedContract(modify.contract);
  charge_group(out, at);
  if (modify.handover) hand_over(*ref, *modify.handover);
  Admission admission;
  admission.hop = *ref;
  return admission;
}

// No resources change, so another path being set up is no obstacle.
Admission Ledger::hand_over_alone(HopRef ref, const HopModify& modify) {
  extras(ref.value()).revision = modify.revision;
  hand_over(ref, *modify.handover);
  Admission admission;
  admission.hop = ref;
  return admission;
}

void Ledger::hand_over(HopRef ref, const HopHandover& handover) {
  HopRecord& record = hop(ref);
  const std::uint32_t owner = names_.take(handover.owner);
  if (record.owner != kNoOwner) names_.release(record.owner);
  record.owner = owner;
  record.request = handover.request;
  extras(ref.value()).shown_id = handover.shown_id;
}

void Ledger::settle(HopRef ref, std::uint32_t revision, Resources demand,
                    const TrafficContract& contract) {
  HopRecord& record = hop(ref);
  XB_CHECK(demand.fits_within(record.demand), ref, demand.cells_per_s, demand.buffer_cells);
  HopExtras& extras = this->extras(ref.value());
  if (extras.ingress && *extras.ingress > demand.cells_per_s) {
    input_port(record).ingress_taken -= *extras.ingress - demand.cells_per_s;
    extras.ingress = demand.cells_per_s;
  }
  record.demand = demand;
  extras.revision = revision;
  record.packed = PackedContract(contract);
  Port& out = output_port(record);
  extras.alone = lesser(charge_of(out, demand, contract), extras.alone);
  charge_group(out, out.output.place_of(record.output_label()).hop.value());
  drop_plain(ref.value());
  touch(ref);
}

// ===== outcomes =====

void Ledger::programmed(HopRef ref) {
  HopRecord& record = hop(ref);
  XB_CHECK(record.state == HopStage::kCommitting, static_cast<int>(record.state));
  record.state = HopStage::kCommitted;
  touch(ref);
  if (const std::uint32_t below = below_of(ref.value()); below != kNil) touch(HopRef{below});
}

void Ledger::undo(HopRef ref) {
  const HopStage state = hop(ref).state;
  XB_CHECK(state == HopStage::kCommitting || state == HopStage::kReserved, static_cast<int>(state));
  // A session that began after the commit does not have the label in its cache. If it committed a
  // held reservation and that commit is refused, it does.
  const bool known = state == HopStage::kReserved || !hop(ref).earlier_session;
  give_up(ref, known ? LabelHolder::kCached : LabelHolder::kQuarantine);
}

bool Ledger::goes_at_once(HopRef ref) const {
  return hop(ref).state == HopStage::kReserved || superseded(ref);
}

bool Ledger::begin_removal(HopRef ref) {
  HopRecord& record = hop(ref);
  if (goes_at_once(ref)) {
    give_up(ref, LabelHolder::kQuarantine);
    return true;
  }
  if (record.state != HopStage::kRemoving) {
    record.state = HopStage::kRemoving;
    touch(ref);
  }
  return false;
}

void Ledger::removed(HopRef ref) {
  XB_CHECK(hop(ref).state == HopStage::kRemoving, static_cast<int>(hop(ref).state));
  give_up(ref, LabelHolder::kQuarantine);
}

// Releases everything that the hop holds and ends its record. An egress label is free at once, and
// so is a label of a forgotten manager, which would never return it. Any other label goes to
// `output_goes_to`. Labels and bandwidth that other hops share stay with them.
void Ledger::give_up(HopRef ref, LabelHolder output_goes_to) {
  HopRecord& record = hops_[ref.value()];
  Port& out = output_port(record);
  if (record.last() || managers_[record.manager.value()].forgotten || planted(Bug::kNoQuarantine)) {
    output_goes_to = LabelHolder::kFree;
  }
  leave_input(ref);
  Account& books = account(out, record.manager);
  Resources hops = books.hops;
  set_hops(out, books, hops -= record.charge);
  const Spot spot = out.output.spot(record.output_label());
  const std::uint32_t heir = leave(out.output, spot, ref, &HopRecord::next_on_output);
  if (heir != kNil && !planted(Bug::kJoinFreesLabel)) {
    charge_group(out, heir);
  } else {
    out.output.move(spot, {output_goes_to, record.manager, {}});
    if (!record.last()) --books.labels;
  }
  erase(ref);
}

void Ledger::touch(HopRef ref) { hop(ref).version = ++clock_; }

}  // namespace xbind
