// Ledger: hops are set up, changed and undone.
#include <algorithm>
#include <tuple>

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

// After a modify both the contract as asked and the present one are right: whoever says the setup
// again may or may not have heard of the modify.
bool same_contract(const HopRecord& record, const HopSetup& again) {
  return (again.demand == record.setup.demand && again.contract == record.setup.contract) ||
         (again.demand == record.demand && again.contract == record.contract);
}

std::optional<Admission> refused_contract(const TrafficContract& contract) {
  const auto refused = check(contract);
  if (!refused) return std::nullopt;
  return refuse(Cause::kInvalidRequest, {}, refused->value, refused->bound);
}

// A setup said again. How many replacement labels and how much quota are wanted this time makes no
// difference.
bool same_words(const HopRecord& record, const HopSetup& again) {
  const auto words = [](const HopSetup& s) {
    return std::tie(s.key, s.commit, s.hop_count, s.input_port, s.input_label, s.output_port,
                    s.output_label, s.call, s.branch, s.takes_over, s.joins);
  };
  const bool held = again.commit || again.held == record.setup.held;
  return words(record.setup) == words(again) && held && same_contract(record, again);
}

// The commit of a reservation: labels come with the commit, the rest stands.
bool same_hop(const HopRecord& record, const HopSetup& commit) {
  const auto words = [](const HopSetup& s) {
    return std::tie(s.hop_count, s.input_port, s.output_port, s.call, s.branch, s.takes_over,
                    s.joins);
  };
  return words(record.setup) == words(commit) && same_contract(record, commit);
}

// The ways of sharing a label with another hop exclude each other. No reservation is held with one, and
// of a hop that joins there is nothing to reserve.
bool takes_one_way(const HopSetup& s) {
  if (s.joins && !s.commit) return false;
  if ((s.takes_over || s.joins) && s.held) return false;
  return int{s.branch} + int{s.takes_over} + int{s.joins} <= 1;
}

}  // namespace

// ===== set up =====

Admission Ledger::set_up(ManagerIndex manager, const HopSetup& setup) {
  std::optional<HopRef> same;
  const HopKey& key = setup.key;
  Generation newest = key.generation;
  for (std::uint32_t i = buckets_[bucket(manager, key)]; i != kNil; i = hops_[i].next_in_bucket) {
    const HopKey& other = hops_[i].setup.key;
    if (hops_[i].manager != manager || other.connection != key.connection || other.leg != key.leg ||
        other.hop != key.hop) {
      continue;
    }
    newest = std::max(newest, other.generation);
    if (other.generation == key.generation) same = HopRef{i};
  }
  if (newest > key.generation) {
    return refuse(Cause::kStale, {}, key.generation.value(), newest.value());
  }
  if (!same) return set_up_new(manager, setup);
  if (hop(*same).state != HopState::kReserved || !setup.commit) return repeat(*same, setup);
  const Admission admission = commit_reserved(*same, setup);
  if (!admission.admitted()) undo(*same);
  return admission;
}

Admission Ledger::repeat(HopRef ref, const HopSetup& setup) const {
  const HopRecord& record = hop(ref);
  if (record.state == HopState::kRemoving) {
    return refuse(Cause::kBeingReleased, {}, setup.key.generation.value());
  }
  if (!same_words(record, setup)) {
    return refuse(Cause::kInvalidRequest, {}, setup.key.generation.value());
  }
  return repeated(ref);
}

Admission Ledger::set_up_new(ManagerIndex manager, const HopSetup& setup) {
  if (setup.key.hop >= setup.hop_count) {
    return refuse(Cause::kInvalidRequest, {}, setup.key.hop, setup.hop_count);
  }
  if (setup.branch && (setup.key.hop != 0 || setup.key.leg == 0)) {
    return refuse(Cause::kInvalidRequest, {}, setup.key.hop);
  }
  if (!takes_one_way(setup)) return refuse(Cause::kInvalidRequest, {}, setup.key.hop);
  if (const auto refused = refused_contract(setup.contract)) return *refused;
  Port* const in = port(setup.input_port);
  Port* const out = port(setup.output_port);
  if (in == nullptr || !in->present) {
    return refuse(Cause::kUnknownPort, setup.input_port, setup.input_port.value());
  }
  if (out == nullptr || !out->present) {
    return refuse(Cause::kUnknownPort, setup.output_port, setup.output_port.value());
  }
  if (alive_ >= options_.hops_max) return refuse(Cause::kBusy, {}, alive_ + 1);

  Label input_label;
  Label output_label;
  if (setup.commit) {
    if (const auto a = choose_input(manager, setup, input_label); !a.admitted()) return a;
  } else if (setup.input_label.present()) {
    return refuse(Cause::kInvalidRequest, setup.input_port, setup.input_label.value);
  }
  if (const auto a = choose_output(manager, setup, output_label); !a.admitted()) return a;
  if (const auto a = admit_resources(manager, setup); !a.admitted()) return a;

  // Nothing can refuse any more: take it all.
  const Resources charge = charge_of(setup);
  const HopRef ref = insert(manager, setup);
  HopRecord& record = hop(ref);
  record.state = setup.commit ? HopState::kCommitting : HopState::kReserved;
  record.cross_connect = {setup.input_port, {}, setup.output_port, output_label};
  record.charge = charge;
  enter(out->output, output_label, ref, &HopRecord::next_on_output);
  if (setup.commit) take_input(ref, input_label);
  Account& books = account(*out, manager);
  if (!setup.last() && !setup.joins) ++books.labels;
  Resources hops = books.hops;
  set_hops(*out, manager, hops += charge);
  if (allots_input(setup)) {
    record.ingress = setup.demand.cells_per_s;
    in->ingress_taken += setup.demand.cells_per_s;
  }

  Admission admission;
  admission.hop = ref;
  return admission;
}

Admission Ledger::commit_reserved(HopRef ref, const HopSetup& setup) {
  HopRecord& record = hop(ref);
  if (!same_hop(record, setup)) {
    return refuse(Cause::kInvalidRequest, {}, setup.key.generation.value());
  }
  if (setup.output_label.present() && setup.output_label != record.cross_connect.output_label) {
    return refuse(Cause::kInvalidRequest, setup.output_port, setup.output_label.value);
  }
  if (const Port* out = port(setup.output_port); !out->present) {
    return refuse(Cause::kUnknownPort, setup.output_port, setup.output_port.value());
  }
  if (const Port* in = port(setup.input_port); !in->present) {
    return refuse(Cause::kUnknownPort, setup.input_port, setup.input_port.value());
  }
  Label input_label;
  if (const auto a = choose_input(record.manager, setup, input_label); !a.admitted()) return a;
  if (setup.takes_over) {
    const std::uint64_t demand = record.demand.cells_per_s;
    if (const auto a = admit_taken_input(setup, demand); !a.admitted()) return a;
  }
  record.setup = setup;
  take_input(ref, input_label);
  record.session = managers_[record.manager.value()].lapses;  // who commits knows the label
  record.state = HopState::kCommitting;
  touch(ref);
  Admission admission;
  admission.hop = ref;
  return admission;
}

// The input label of a commit: at the first hop the next free one, else the one given.
Admission Ledger::choose_input(ManagerIndex manager, const HopSetup& setup, Label& chosen) {
  LabelPool& pool = port(setup.input_port)->input;
  if (allots_input(setup)) {
    if (setup.input_label.present()) {
      return refuse(Cause::kInvalidRequest, setup.input_port, setup.input_label.value);
    }
    const auto label = pool.next_free();
    if (!label) return refuse(Cause::kNoLabel, setup.input_port, 1);
    chosen = *label;
    return {};
  }
  if (!pool.contains(setup.input_label)) {
    return refuse(Cause::kInvalidRequest, setup.input_port, setup.input_label.value);
  }
  chosen = setup.input_label;
  if (setup.branch) return choose_shared_input(manager, setup);
  if (setup.takes_over) return choose_taken_input(manager, setup);
  if (!pool.is_free(setup.input_label) && !planted(Bug::kForeignInputAccepted)) {
    return refuse(Cause::kForeignInputLabel, setup.input_port, setup.input_label.value);
  }
  return {};
}

// The output label: at the last hop, and where a reserve names none, the next free one; else the
// one given.
Admission Ledger::choose_output(ManagerIndex manager, const HopSetup& setup, Label& chosen) {
  const Label named = setup.output_label;
  if (setup.joins) {
    chosen = named;
    return choose_joined_output(manager, setup);
  }
  if (setup.last() && named.present()) {
    return refuse(Cause::kInvalidRequest, setup.output_port, named.value);
  }
  if (setup.last() || (!setup.commit && !named.present())) {
    return allot_output(manager, setup, chosen);
  }
  const LabelPool& pool = port(setup.output_port)->output;
  const LabelPlace place = pool.contains(named) ? pool.place_of(named) : LabelPlace{};
  const bool held =
      (place.holder == LabelHolder::kCached || place.holder == LabelHolder::kQuarantine) &&
      place.manager == manager;
  if (!held) return refuse(Cause::kLabelNotHeld, setup.output_port, named.value);
  chosen = named;
  return {};
}

Admission Ledger::allot_output(ManagerIndex manager, const HopSetup& setup, Label& chosen) {
  Port& out = *port(setup.output_port);
  if (!setup.last()) {
    const auto share = share_of(out, manager);
    const std::uint64_t would_hold = held_on(out, manager) + 1;
    if (share && would_hold > *share) {
      return refuse(Cause::kOverShare, setup.output_port, would_hold, *share);
    }
  }
  const auto label = out.output.next_free();
  if (!label) {
    Admission none = refuse(Cause::kNoLabel, setup.output_port, 1);
    none.labels_missing = 1;
    return none;
  }
  chosen = *label;
  return {};
}

// ===== resources =====

// Free to the manager: the unused part of its quota, else of the port. Where its hops exceed the
// quota in one of the two, that quota has no unused part.
Ledger::Room Ledger::room_for(ManagerIndex manager, Port& out) {
  const Account& of = account(out, manager);
  return {less(out.capacity.cells_per_s, out.taken.cells_per_s) +
              less(of.quota.cells_per_s, of.hops.cells_per_s),
          less(out.capacity.buffer_cells, out.taken.buffer_cells) +
              less(of.quota.buffer_cells, of.hops.buffer_cells)};
}

Admission Ledger::admit_resources(ManagerIndex manager, const HopSetup& setup) {
  Port& out = *port(setup.output_port);
  const Resources demand = charge_of(setup);
  const Room room = room_for(manager, out);
  if (demand.cells_per_s > room.cells || demand.buffer_cells > room.buffer) {
    Admission refused =
        demand.cells_per_s > room.cells
            ? refuse(Cause::kNoBandwidth, setup.output_port, demand.cells_per_s, room.cells)
            : refuse(Cause::kNoBuffer, setup.output_port, demand.buffer_cells, room.buffer);
    refused.quota_missing = {less(demand.cells_per_s, room.cells),
                             less(demand.buffer_cells, room.buffer)};
    return refused;
  }
  if (setup.takes_over && setup.commit) return admit_taken_input(setup, setup.demand.cells_per_s);
  if (allots_input(setup)) {
    const Port& in = *port(setup.input_port);
    const std::uint64_t ingress = less(in.capacity.cells_per_s, in.ingress_taken);
    if (setup.demand.cells_per_s > ingress) {
      return refuse(Cause::kNoBandwidth, setup.input_port, setup.demand.cells_per_s, ingress);
    }
  }
  return {};
}

Admission Ledger::modify(ManagerIndex manager, const HopModify& modify, bool until_settled) {
  const auto ref = find(manager, modify.key);
  if (!ref) return refuse(Cause::kUnknownConnection, {}, modify.key.connection.value());
  HopRecord& record = hop(*ref);
  if (record.state == HopState::kRemoving) {
    return refuse(Cause::kBeingReleased, {}, modify.key.generation.value());
  }
  const Resources now = record.demand;
  const Resources wanted = modify.demand;
  if (modify.revision == record.revision && wanted == now && modify.contract == record.contract) {
    return repeated(*ref);
  }
  if (modify.revision <= record.revision) {
    return refuse(Cause::kStale, {}, modify.revision, record.revision);
  }
  if (record.above != kNil || record.below != kNil || shares_output(*ref)) {
    return refuse(Cause::kChangeUnderWay, {}, modify.revision);
  }
  if (const auto refused = refused_contract(modify.contract)) return *refused;
  if (modify.contract.category != record.contract.category) {
    return refuse(Cause::kInvalidRequest, {}, static_cast<std::uint64_t>(modify.contract.category),
                  static_cast<std::uint64_t>(record.contract.category));
  }
  const CrossConnect& at = record.cross_connect;
  Port& out = *port(at.output_port);
  Port& in = *port(at.input_port);
  if (!wanted.fits_within(now) && !out.present) {
    return refuse(Cause::kUnknownPort, at.output_port, at.output_port.value());
  }
  const Room room = room_for(manager, out);
  Resources charge = charge_of(out, wanted, modify.contract);
  const bool no_more = wanted.fits_within(now) && !asks_for_more(record.contract, modify.contract);
  if (no_more) charge = lesser(charge, record.alone);
  const Resources more{less(charge.cells_per_s, record.charge.cells_per_s),
                       less(charge.buffer_cells, record.charge.buffer_cells)};
  if (more.cells_per_s > room.cells || more.buffer_cells > room.buffer) {
    Admission refused = more.cells_per_s > room.cells
                            ? refuse(Cause::kNoBandwidth, at.output_port, charge.cells_per_s,
                                     record.charge.cells_per_s + room.cells)
                            : refuse(Cause::kNoBuffer, at.output_port, charge.buffer_cells,
                                     record.charge.buffer_cells + room.buffer);
    refused.quota_missing = {less(more.cells_per_s, room.cells),
                             less(more.buffer_cells, room.buffer)};
    return refused;
  }
  if (record.ingress) {
    // A branch may have inherited less than it demands: lowering its demand takes no more for that.
    const std::uint64_t taken = *record.ingress;
    const std::uint64_t takes = wanted.cells_per_s > now.cells_per_s
                                    ? wanted.cells_per_s
                                    : std::min(taken, wanted.cells_per_s);
    const std::uint64_t most = taken + less(in.capacity.cells_per_s, in.ingress_taken);
    if (takes > most) {
      return refuse(Cause::kNoBandwidth, at.input_port, wanted.cells_per_s, most);
    }
    in.ingress_taken = in.ingress_taken - taken + takes;
    record.ingress = takes;
  }
  record.demand = wanted;
  record.revision = modify.revision;
  record.contract = modify.contract;
  record.alone = until_settled ? greater(charge, record.alone) : charge;
  charge_group(out, ref->value());
  Admission admission;
  admission.hop = *ref;
  return admission;
}

void Ledger::settle(HopRef ref, std::uint32_t revision, Resources demand,
                    const TrafficContract& contract) {
  HopRecord& record = hop(ref);
  XB_CHECK(demand.fits_within(record.demand), ref, demand.cells_per_s, demand.buffer_cells);
  if (record.ingress && *record.ingress > demand.cells_per_s) {
    port(record.cross_connect.input_port)->ingress_taken -= *record.ingress - demand.cells_per_s;
    record.ingress = demand.cells_per_s;
  }
  record.demand = demand;
  record.revision = revision;
  record.contract = contract;
  const CrossConnect& at = record.cross_connect;
  Port& out = *port(at.output_port);
  record.alone = lesser(charge_of(out, demand, contract), record.alone);
  charge_group(out, out.output.place_of(at.output_label).hop.value());
  touch(ref);
}

// ===== what became of it =====

void Ledger::programmed(HopRef ref) {
  HopRecord& record = hop(ref);
  XB_CHECK(record.state == HopState::kCommitting, static_cast<int>(record.state));
  record.state = HopState::kCommitted;
  touch(ref);
  if (record.below != kNil) touch(HopRef{record.below});
}

void Ledger::undo(HopRef ref) {
  const HopState state = hop(ref).state;
  XB_CHECK(state == HopState::kCommitting || state == HopState::kReserved, static_cast<int>(state));
  // A session that began after the commit does not know of the label; one whose commit of a held
  // reservation is refused does.
  const bool known = state == HopState::kReserved ||
                     hop(ref).session == managers_[hop(ref).manager.value()].lapses;
  give_up(ref, known ? LabelHolder::kCached : LabelHolder::kFree);
}

bool Ledger::begin_removal(HopRef ref) {
  HopRecord& record = hop(ref);
  if (record.state == HopState::kReserved || superseded(record)) {
    give_up(ref, LabelHolder::kQuarantine);
    return true;
  }
  if (record.state != HopState::kRemoving) {
    record.state = HopState::kRemoving;
    touch(ref);
  }
  return false;
}

void Ledger::removed(HopRef ref) {
  XB_CHECK(hop(ref).state == HopState::kRemoving, static_cast<int>(hop(ref).state));
  give_up(ref, LabelHolder::kQuarantine);
}

// Gives back everything the hop holds and ends its record. A label that this SwitchServer allotted
// for an endpoint is free at once, and so is what a forgotten manager would never return; any other
// goes where it is told. What others share stays theirs.
void Ledger::give_up(HopRef ref, LabelHolder output_goes_to) {
  HopRecord& record = hop(ref);
  const CrossConnect& at = record.cross_connect;
  Port& out = *port(at.output_port);
  if (record.setup.last() || managers_[record.manager.value()].forgotten ||
      planted(Bug::kNoQuarantine)) {
    output_goes_to = LabelHolder::kFree;
  }
  leave_input(ref);
  Account& books = account(out, record.manager);
  Resources hops = books.hops;
  set_hops(out, record.manager, hops -= record.charge);
  const std::uint32_t heir = leave(out.output, at.output_label, ref, &HopRecord::next_on_output);
  if (heir != kNil && !planted(Bug::kJoinFreesLabel)) {
    charge_group(out, heir);
  } else {
    out.output.move(at.output_label, {output_goes_to, record.manager, {}});
    if (!record.setup.last()) --books.labels;
  }
  erase(ref);
}

void Ledger::touch(HopRef ref) { hop(ref).version = ++clock_; }

}  // namespace xbind
